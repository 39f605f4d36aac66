"""Privacy events: their numbers, and their way through JSON."""

import json
from math import inf

import pytest
from privacy.price.costs import WORD

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.events import (
    KINDS,
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianVector,
    KaryResponse,
    Nothing,
    Pure,
    ZeroConcentrated,
    from_dict,
    to_dict,
)
from fedtopics.privacy.price.ledger import Ledger


@pytest.mark.parametrize("value", [float("nan"), inf, -inf, -1.0, "1", None, True])
def test_events_refuse_numbers_that_make_no_sense(value):
    for make in (Pure, ZeroConcentrated, DiscreteLaplace, Gaussian, lambda x: Budget(WORD, x)):
        with pytest.raises(InputError, match="must be a finite number"):
            make(value)
    with pytest.raises(InputError):
        Ledger(delta=value)
    with pytest.raises(InputError):
        accounting.epsilon([], value)


@pytest.mark.parametrize("delta", [1.0, 2.0])
def test_delta_of_one_or_more_is_refused(delta):
    with pytest.raises(InputError, match="delta must be below 1"):
        Approximate(1.0, delta)


def test_every_event_kind_survives_json():
    examples = [
        Nothing(),
        KINDS["NonPrivate"](),
        Pure(1.0),
        Approximate(1.0, 0.1),
        DiscreteLaplace(1.0, 2),
        KaryResponse(1.0, 3),
        Gaussian(1.0, 2.0),
        DiscreteGaussian(1.0, 2),
        GaussianVector(20.0, 12.5),
        ZeroConcentrated(0.5),
    ]
    assert {type(event) for event in examples} == set(KINDS.values())
    assert [from_dict(json.loads(json.dumps(to_dict(event)))) for event in examples] == examples
