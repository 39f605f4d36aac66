"""The two sides of the wire without a network: the same model as in process, whatever goes wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from federation.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.federation import in_process

TOPICS = planted_topics(3, 8)
CORPORA = {
    name: drawn_corpus(TOPICS, n_docs=30, length=20, seed=seed)
    for seed, name in enumerate(["north", "south", "west"])
}


@pytest.mark.parametrize("name", methods.names())
def test_the_model_is_that_of_the_reference_engine(name: str, tmp_path: Path) -> None:
    method = methods.make(name, n_topics=3, n_rounds=4)
    reference = in_process.run(method, CORPORA, seed=3)
    end = Rehearsal(tmp_path, simulated(method, CORPORA), CORPORA).trained()
    model = method.model(end.state, end.words or ())
    if reference.model is not None:
        assert model is not None
        np.testing.assert_array_equal(model.topic_word, reference.model.topic_word)
