"""What hush says before a run, and of a run on too little."""

import pytest

from fedtopics.errors import InputError
from fedtopics.methods.hush import outlook
from fedtopics.methods.hush.method import Hush
from fedtopics.protocol.method import Amounts


def test_more_documents_larger_epsilon_fewer_words_and_fewer_parties_keep_more() -> None:
    shares = [outlook.kept(x) for x in (500, 2_500, 5_000, 10_000, 20_000, 50_000, 200_000)]
    assert shares == sorted(shares)
    x = outlook.documents_for_noise(10_000, 5000, 4.0, 1e-6)
    assert x < outlook.documents_for_noise(20_000, 5000, 4.0, 1e-6)
    assert x < outlook.documents_for_noise(10_000, 2000, 4.0, 1e-6)
    assert x < outlook.documents_for_noise(10_000, 5000, 8.0, 1e-6)
    assert x > outlook.documents_for_noise(10_000, 5000, 4.0, 1e-6, n_noises=3)


def test_what_is_not_possible_is_called_so() -> None:
    assert Hush(epsilon=1.0).outlook(Amounts(5000, 2_000))[0].startswith("not possible")
    told = Hush(epsilon=8.0).outlook(Amounts(5000, 50_000))
    assert told[0].startswith("expect")
    assert len(told) == 1
    assert any("take at most 10 topics" in line for line in Hush(epsilon=4.0).outlook(Amounts(5000, 5_000)))


def test_topics_of_too_few_documents_are_withdrawn() -> None:
    assert outlook.hopeless(1_000.0, 1, 5000, 8.0, 1e-6)
    assert outlook.hopeless(-50.0, 1, 5000, 8.0, 1e-6)
    assert not outlook.hopeless(10_000.0, 1, 5000, 8.0, 1e-6)


def test_amounts_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="delta must be below 1 / 20,000"):
        Hush(delta=1e-4).outlook(Amounts(5000, 20_000))
    with pytest.raises(InputError, match="name a --person-column"):
        Hush(unit="person").outlook(Amounts(5000, 20_000))
    told = Hush(unit="person").outlook(Amounts(5000, 20_000, 20_000))
    assert any("every person has one document" in line for line in told)
    told = Hush().outlook(Amounts(5000, 20_000, 10_000))
    assert any("not protected as a whole" in line for line in told)
