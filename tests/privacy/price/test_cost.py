"""What releases cost together, relation by relation; silence never means free."""

from math import inf

import pytest
from privacy.price.costs import WORD, row, word

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE, INFINITE, Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release


def test_a_later_disclosure_is_not_hidden_by_earlier_private_releases():
    ledger = Ledger()
    ledger.charge("a", 0, word(1.0))
    ledger.charge("a", 1, INFINITE)
    assert row(ledger, "a", WORD)["basis"] == "none"


def test_a_relation_left_out_by_one_of_two_costs_has_no_bound():
    total = word(1.0) + Cost((Loss("word replace", Pure(2.0)),))
    assert accounting.epsilon(total.losses_of("word replace"), 0.0) == inf
    assert accounting.epsilon((word(1.0) + FREE).losses_of(WORD), 0.0) == 1.0
    assert accounting.epsilon((word(1.0) + FREE).losses_of("party"), 0.0) == inf


def test_what_is_free_adds_nothing_to_a_cost_not_even_length():
    for cost in (word(1.0), FREE, INFINITE):
        assert cost + FREE == FREE + cost == cost
    assert sum([word(1.0), *[FREE] * 10_000], start=FREE) == word(1.0)


def test_unknown_relations_events_and_costs_are_refused():
    with pytest.raises(InputError, match=r"relation must be one of word add/remove, .* got 'sentence'"):
        Loss("sentence", Pure(1.0))
    with pytest.raises(InputError, match="expected a privacy event"):
        Loss(WORD, "nothing at all")
    for losses in ([Loss(WORD, Pure(1.0))], (1.0,)):
        with pytest.raises(InputError, match="tuple of Loss"):
            Cost(losses)
    with pytest.raises(InputError, match="noise source"):
        Cost(noise="numpy")
    with pytest.raises(InputError, match="expected the Cost"):
        Ledger().charge("a", 0, 1.0)
    with pytest.raises(TypeError, match="a release needs a Cost"):
        Release(1, None)
    with pytest.raises(InputError, match="not a privacy ledger"):
        Ledger.from_json("{}")
