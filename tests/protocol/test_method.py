"""What an error says to use instead is every method that can, so that no list is kept by hand unseen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fedtopics import methods
from fedtopics.cluster import settings as on_cluster
from fedtopics.errors import InputError
from fedtopics.protocol import with_related_words
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked
from fedtopics.protocol.summing import Summing
from fedtopics.runs.kept import check_keeps

OTHER, CALM = methods.make("lplda"), methods.make("calm")


def is_private(method: Method) -> bool:
    return all(cost.losses for cost in method.prices(100))


@pytest.mark.parametrize(
    ("refused", "can"),
    [
        (lambda: with_related_words.check(OTHER, 1.0), lambda method: method.told_topics is not None),
        (
            lambda: checked(OTHER, Summing(1)),
            lambda method: method.sums is not None and is_private(method),
        ),
        (lambda: checked(CALM, Summing(1, "together")), lambda method: method.noise_on_sums),
        (lambda: check_keeps(OTHER), lambda method: method.keeps),
        (
            lambda: on_cluster.check_method(OTHER),
            lambda method: method.in_shards or method.noise_on_sums,
        ),
    ],
    ids=["consistency", "secure sum", "noise together", "kept", "cluster"],
)
def test_methods_that_an_error_names_are_those_that_can(
    refused: Callable[[], object], can: Callable[[Method], bool]
) -> None:
    with pytest.raises(InputError, match="; use ") as caught:
        refused()
    named = re.split(", | or ", str(caught.value).rpartition("; use ")[2])
    forms = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
    able = {name for name, variant in forms if can(methods.make(name, variant=variant))}
    assert {name.partition(" ")[0] for name in named} == able
