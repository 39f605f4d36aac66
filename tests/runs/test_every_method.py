"""What people ask of topics works for every method that gives some, in every variant."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics import merge, methods, train
from fedtopics.errors import InputError
from fedtopics.evaluation import over_time
from fedtopics.evaluation.intrusion import graded, questions, sheet
from fedtopics.protocol.method import Method
from fedtopics.report import run_page
from fedtopics.runs.run import Run

TOPICS = planted_topics(3, 12)
FIRST, SECOND = drawn_corpus(TOPICS, 90, 30, seed=1), drawn_corpus(TOPICS, 60, 30, seed=2)
FORMS = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
WANTED = {"epsilon": 20.0, "n_rounds": 4, "top_words": 8, "max_length": 30}
every = pytest.mark.parametrize(("name", "variant"), FORMS)


def settings(name: str, variant: str | None) -> dict[str, Any]:
    known = methods.settings(name, variant)
    found = {setting: value for setting, value in WANTED.items() if setting in known}
    if (name, variant) == ("pctd", "paper"):  # its n-grams keep no epsilon
        found |= {"epsilon": None, "sigma": 0.05}
    return found | ({} if variant is None else {"variant": variant})


@cache
def trained(name: str, variant: str | None) -> Run:
    return train(FIRST, name, n_topics=3, n_parties=2, n_threads=1, **settings(name, variant))


@every
def test_a_model_is_used_as_any_other(name: str, variant: str | None, tmp_path: Path) -> None:
    run = trained(name, variant)
    model = run.model
    assert run.record["n_topics"] == model.n_topics
    said = f"{model.n_topics} topics, not the 3 that were asked for"
    assert (model.n_topics != 3) == any(said in note for note in run.record["notes"])
    assert len(model.tree()) == model.n_topics - 1
    assert model.reduce_topics(2).n_topics == 2
    assert model.name_topics(lambda words: f"about {words[0]}").label(0).startswith("about w")
    assert {len(words) for words in model.top_words(5)} == {5}
    assert set(model.common_words(3)) < set(model.vocabulary)
    asked = questions(model)
    lines = sheet(asked).splitlines()
    filled = [lines[0], *(f"{line}{each.intruder}" for line, each in zip(lines[1:], asked, strict=True))]
    assert all(graded(asked, "\n".join(filled)).values())
    found = over_time(model, SECOND, [1990 + number % 2 for number in range(SECOND.n_docs)])
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-5)
    assert model.n_topics <= merge(model, model).n_topics <= 2 * model.n_topics
    run.save(tmp_path / "run")
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run), Run.load(tmp_path / "run")):
        np.testing.assert_array_equal(other.model.transform(SECOND), model.transform(SECOND))
        assert other.record["scores"] == run.record["scores"]
    assert model.names[0] in run_page(run)


@every
@pytest.mark.parametrize("test_fraction", [0.1, 0])
def test_it_goes_on_with_new_documents_and_words(
    name: str, variant: str | None, test_fraction: float
) -> None:
    run = trained(name, variant)
    options = {"n_parties": 2, "n_threads": 1, "test_fraction": test_fraction}
    after = run.update(SECOND, words=["fresh"], **options)
    assert after.model.vocabulary == (*run.model.vocabulary, "fresh")
    assert set(after.record["update"]) >= {"stable", "new", "fading", "privacy"}
    assert after.record["variant"] == variant
    begins_anew = methods.find(name, variant).continued is Method.continued
    assert (after.record["settings"]["n_rounds"] == run.record["settings"]["n_rounds"]) == begins_anew
    assert after.epsilon == run.epsilon
    assert (after.scores["perplexity"] is None) == (test_fraction == 0)
    for row in after.privacy:  # new documents cost what those before have cost
        assert row["relation"] in {each["relation"] for each in run.privacy}
    assert after.update(FIRST, **options).record["update"]["of_tokens"] == after.model.n_tokens


@every
def test_with_all_the_noise_there_is_nobody_takes_it_for_a_model(name: str, variant: str | None) -> None:
    given = settings(name, variant)
    if given.get("epsilon") is None:
        return
    given |= {"epsilon": 0.01}
    if name == "hush" or (name, variant) == ("pctd", "sound"):  # they do not begin
        with pytest.raises(InputError, match="leaves some signal"):
            train(FIRST, name, n_topics=3, n_parties=2, **given)
        return
    run = train(FIRST, name, n_topics=3, n_parties=2, n_threads=1, **given)
    assert run.warnings
    for shown in (run_page(run), repr(run), run._repr_html_()):
        assert run.warnings[0] in shown
