"""The models of all methods on the built-in corpus are the bits that they were, however the code is arranged.

A change of numbers on purpose changes a hash here, and a line in CHANGELOG.md.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

import pytest

from fedtopics import methods
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays
from fedtopics.runs.preparing import Data, prepare

HASHES = {
    "alone": "0434cdb869981318e70a990305c66615",
    "calm": "d86016ce22426fc3295b36f49dc70cf0",
    "fedlda paper": "1308679b180d5422afd2b5e2d24d97fa",
    "fedlda sound": "d6365bca19a4026e0b5bd92a8c55b972",
    "ftm paper": "8914e69a7088440414b078818d245f8c",
    "ftm sound": "c6da00d443de33418e2226e4e1f2200e",
    "lplda paper": "2a17c10cd58f56601ad51e083a25c826",
    "lplda sound": "94c661f46efd7fcef0f708e1e401c1ba",
    "pctd paper": "48c21c71e52ee45821623537853e6c39",
    "pctd sound": "0cd9990ef1cb6b3a4f0dfa654c55bc96",
    "pooled": "a2b63a5e41828d670ca2d947f1991c54",
    "shared": "2bc1e0acf961b5722f6c17d3c73289d3",
}


@cache
def sotu() -> Data:
    return prepare("sotu", seed=1, max_words=300)


@pytest.mark.parametrize("name", HASHES)
def test_the_bits_of_a_model_are_what_they_were(name: str) -> None:
    method, _, variant = name.partition(" ")
    settings = {"variant": variant} if variant else {}
    made = methods.make(method, n_topics=5, n_rounds=1 if name == "ftm paper" else 3, **settings)
    outcome = in_process.run(made, sotu().parties, seed=1, n_threads=2)
    models = [outcome.model, *(outcome.local_models[party] for party in sorted(outcome.local_models))]
    digest = sha256(b"".join(model.topic_word.tobytes() for model in models if model is not None))
    assert digest.hexdigest()[:32] == HASHES[name]


def test_calm_without_roots_has_the_bits_it_had_before_there_were_any() -> None:
    before = {"n_steps": 2, "momentum": 0.9, "sends": "counts", "tells": "topics"}
    made = methods.make("calm", n_topics=5, n_rounds=3, **before)
    model = in_process.run(made, sotu().parties, seed=1, n_threads=2).model
    assert model is not None
    assert sha256(model.topic_word.tobytes()).hexdigest()[:32] == "9a54822cf4e604f808a2d698c705374e"


def test_hush_begins_with_the_bits_and_ends_with_the_numbers_that_it_had() -> None:
    """Its server takes eigenvectors, whose last digits differ by processor, and what follows by under 1 %."""
    first = sha256()

    def overheard(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
        first.update(release.value["totals"].tobytes() if number == 0 else b"")

    made = methods.make("hush", n_topics=5, n_rounds=7)
    model = in_process.run(made, sotu().parties, seed=1, n_threads=2, overhear=overheard).model
    assert model is not None
    assert first.hexdigest()[:32] == "09260bc456213d4d6d91d2d3cf4189aa"
    assert model.topic_shares == pytest.approx([0.18614, 0.28617, 0.18142, 0.17515, 0.17112], rel=0.01)
    assert model.topic_word[:, 2] == pytest.approx(
        [4.961e-3, 7.143e-3, 3.487e-3, 7.255e-3, 7.79e-3], rel=0.01
    )


def test_every_method_is_here() -> None:
    assert {name.partition(" ")[0] for name in HASHES} | {"hush"} == set(methods.names())
