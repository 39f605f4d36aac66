"""Some words of a document, each by randomized response: their law and their price."""

from functools import partial
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest
from statistics_ import SEED, assert_drawn_from

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.price import accounting

noise = partial(Noise.simulated, SEED, "responses")


def sampled(documents, mechanism, *address):
    words = np.array([word for document in documents for word in document], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    return mechanism(words, offsets, noise(*address)).value


def report_law(document, mechanism):
    """Pr[all reports] of one document, by listing the orders of its tokens and of its slots."""
    size = max(len(document), mechanism.n_reports)
    padded = [*document, *[mechanism.n_words] * (size - len(document))]
    channel, law = mechanism.response.channel(), {}
    orders = list(permutations(range(size), mechanism.n_reports))
    for order in orders:
        slots = [padded[place] for place in order]
        for reports in product(range(mechanism.n_words + 1), repeat=mechanism.n_reports):
            chance = np.prod([channel[slot, report] for slot, report in zip(slots, reports, strict=True)])
            law[reports] = law.get(reports, 0.0) + chance / len(orders)
    return law


@pytest.mark.parametrize("document", [[], [1], [0, 1], [0, 0, 1]], ids=str)
def test_sampled_reports_follow_their_law(document):
    mechanism = SampledResponse(1.5, 2, 2)
    reports = sampled([document] * 40_000, mechanism, "sampled", len(document))
    law = report_law(document, mechanism)
    counts = [np.sum((reports == np.array(key)).all(axis=1)) for key in law]
    assert_drawn_from(np.array(counts), np.array(list(law.values())))


def test_sampled_reports_are_as_private_as_they_cost():
    """Every pair of documents of up to three tokens, by the relations between them."""
    mechanism = SampledResponse(0.8, 2, 2)
    documents = [list(d) for size in range(4) for d in combinations_with_replacement(range(2), size)]
    laws = {tuple(document): report_law(document, mechanism) for document in documents}
    price = {
        relation: accounting.epsilon(mechanism.price().losses_of(relation), 0.0)
        for relation in ("word add/remove", "word replace", "document add/remove", "document replace")
    }
    assert price == pytest.approx(
        {
            "word add/remove": 0.8,
            "word replace": 0.8,
            "document add/remove": 1.6,
            "document replace": 1.6,
        }
    )
    for one, other in product(laws, laws):
        loss = max(np.log(laws[one][key] / laws[other][key]) for key in laws[one])
        assert loss <= price["document replace"] + 1e-9
        shared = sum(min(one.count(word), other.count(word)) for word in range(2))
        if max(len(one), len(other)) - shared <= 1:
            assert loss <= price["word add/remove"] + 1e-9


def test_sampled_reports_do_not_follow_the_order_of_words():
    """The same word in the first of many places is drawn no more often than elsewhere."""
    mechanism = SampledResponse(30.0, 10, 1)
    reports = sampled([list(range(10))] * 20_000, mechanism, "order")
    assert_drawn_from(np.bincount(reports[:, 0], minlength=10)[:10], np.full(10, 0.1))


@pytest.mark.parametrize(("n_words", "n_reports"), [(1, 2), (5, 0)])
def test_sampled_reports_need_words_and_slots(n_words, n_reports):
    with pytest.raises(InputError, match="whole number of at least"):
        SampledResponse(1.0, n_words, n_reports)
