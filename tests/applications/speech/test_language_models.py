"""N-gram models: they sum to one, ARPA files come back as written, bad ones are refused with their line."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fedtopics.applications.speech import arpa
from fedtopics.applications.speech.adaptation import Adaptation
from fedtopics.applications.speech.estimation import estimate
from fedtopics.applications.speech.ngrams import END, START, UNKNOWN, Gram, NGramModel
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

SENTENCES = [
    "the judge read the law",
    "the ship left the port",
    "the judge left",
    "the ship read the port",
    "a judge read the law",
]
WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()})
TOPICS = TopicModel.from_counts([[5, 5, 0, 0, 9], [0, 0, 5, 5, 9]], ["judge", "law", "ship", "port", "zebra"])


@pytest.fixture(scope="module")
def language() -> NGramModel:
    return estimate([sentence.split() for sentence in SENTENCES], set(WORDS) - {"a"}, order=3, least=2)


def after(model: NGramModel, *words: str) -> Gram:
    return tuple(model.ids[word] for word in words)


def every(model: NGramModel, history: Sequence[str]) -> list[Gram]:
    """All words that can follow, each behind the history."""
    return [(*after(model, *history), number) for number in range(len(model.vocabulary)) if number != 1]


HISTORIES = [(), ("the",), (START, "the"), ("judge", "left"), ("law", "left"), ("left", UNKNOWN)]


@pytest.mark.parametrize("history", HISTORIES)
def test_probabilities_after_any_words_sum_to_one(language: NGramModel, history: tuple[str, ...]) -> None:
    assert sum(map(language.probability, every(language, history))) == pytest.approx(1, abs=1e-12)


def test_a_probability_by_hand() -> None:
    """`the` comes 8 times, with 4 different words after it, 2 times `ship`; Witten and Bell's formula."""
    model = estimate([sentence.split() for sentence in SENTENCES], WORDS, order=2)
    counted = [word for sentence in SENTENCES for word in sentence.split()] + [END] * 5
    kinds = len(set(counted))
    alone = (2 + kinds / (len(WORDS) + 2)) / (len(counted) + kinds)
    assert model.probability(after(model, "ship")) == pytest.approx(alone)
    assert model.probability(after(model, "the", "ship")) == pytest.approx((2 + 4 * alone) / (8 + 4))
    assert model.probability(after(model, "the", "the")) == pytest.approx(
        4 / 12 * model.probability(after(model, "the"))
    )


def test_the_arpa_file_comes_back(language: NGramModel, tmp_path: Path) -> None:
    arpa.write(language, tmp_path / "small.arpa")
    (tmp_path / "small.arpa.gz").write_bytes(gzip.compress((tmp_path / "small.arpa").read_bytes()))
    again = arpa.read(tmp_path / "small.arpa.gz")
    assert again.order == 3
    for sentence in (*SENTENCES, "law left a zebra"):
        expected = [language.probability(gram) for gram in language.grams(sentence.split())]
        found = [again.probability(gram) for gram in again.grams(sentence.split())]
        assert_allclose(found, expected, rtol=1e-4)
    with pytest.raises(InputError, match="exists"):
        arpa.write(language, tmp_path / "small.arpa")


GOOD = """\\data\\
ngram 1=3
ngram 2=1

\\1-grams:
-99 <s> -0.3
-0.5 </s>
-0.2 law -0.1

\\2-grams:
-0.1 <s> law

\\end\\
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-0.5 </s>", "x0.5 </s>", "a logarithm, got 'x0.5 </s>' at .*, line 7"),
        ("-0.1 <s> law", "-0.1 <s> war", "1-grams .not 'war'., got .*, line 11"),
        ("-0.1 <s> law", "-0.1 law", "a logarithm, 2 words and perhaps a back-off, got .*, line 11"),
        ("-0.2 law", "0.2 law", "at most 0, got .*, line 8"),
        ("-0.2 law", "nan law", "a logarithm below 99, got .*, line 8"),
        ("law -0.1", "law 400", "a logarithm below 99, got .*, line 8"),
        ("\\data\\", "", "data.*line"),
        ("ngram 2=1", "ngram two", "ngram N=COUNT, got 'ngram two' at .*, line 3"),
        ("ngram 2=1", "ngram 2=7", "as many n-grams as announced"),
        ("\\2-grams:", "\\5-grams:", "announced under .*line 10"),
        ("\\end\\\n", "", "end.*got the end of the file at .*, line 12"),
        ("-0.1 <s> law", "-0.1 <s> law\n-0.1 <s> law", "every n-gram once, got .*, line 12"),
        ("-0.1 <s> law\n\n\\end\\\n", "-0.1 <s", "2 words and perhaps a back-off, got .*, line 11"),
        ("-0.5 </s>", "-0.5 <end>", "<s> and </s> among the 1-grams, got 'no </s>' at .*, line 13"),
    ],
)
def test_a_bad_arpa_file_is_refused_with_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.arpa"
    file.write_text(GOOD)
    assert arpa.read(file).order == 2
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        arpa.read(file)


def test_a_back_off_that_is_not_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "short.arpa").write_text(GOOD.replace("<s> -0.3", "<s>"))
    model = arpa.read(tmp_path / "short.arpa")
    assert model.probability(after(model, START, END)) == pytest.approx(10**-0.5)
    assert model.probability(after(model, "law", END)) == pytest.approx(10**-0.6)


def test_a_model_needs_both_ends_of_a_sentence() -> None:
    with pytest.raises(InputError, match="with <s> and </s>, got none of </s>"):
        NGramModel([START, "law"], {(0,): 0.0, (1,): 1.0}, {})


def test_unknown_words_need_a_probability(tmp_path: Path) -> None:
    file = tmp_path / "closed.arpa"
    file.write_text(GOOD)
    with pytest.raises(InputError, match="does not know 'war'"):
        arpa.read(file).grams(["law", "war"])
    with pytest.raises(InputError, match="above 0 for unknown words, at most 1, got 5"):
        arpa.read(file, unknown=5)
    open_model = arpa.read(file, unknown=1e-5)
    assert open_model.probability(open_model.grams(["law", "war"])[1]) == 1e-5


@pytest.mark.parametrize("way", ["interpolation", "rescaling"])
@pytest.mark.parametrize("history", HISTORIES)
def test_adapted_probabilities_sum_to_one(language: NGramModel, way: str, history: tuple[str, ...]) -> None:
    adaptation = Adaptation(language, TOPICS)
    given = adaptation.word_probabilities(np.array([0.9, 0.1], np.float32))
    assert given.sum() == pytest.approx(1)
    for strength in (0.0, 0.3, 1.0):
        found = adaptation.probabilities(every(language, history), given, way, strength)
        assert found.sum() == pytest.approx(1, abs=1e-9)


def test_strength_nothing_is_the_plain_model_and_context_moves_words(language: NGramModel) -> None:
    adaptation = Adaptation(language, TOPICS)
    courts, harbors = adaptation.mixtures([["judge", "law", "judge"], ["ship", "port", "port"]])
    grams = language.grams(["the", "judge", "left", "the", "port"])
    plain = [language.probability(gram) for gram in grams]
    for way in ("interpolation", "rescaling"):
        given = adaptation.word_probabilities(courts)
        assert_allclose(adaptation.probabilities(grams, given, way, 0.0), plain, rtol=1e-12)
        in_court = adaptation.probabilities(grams, given, way, 0.5)
        at_sea = adaptation.probabilities(grams, adaptation.word_probabilities(harbors), way, 0.5)
        assert in_court[1] > at_sea[1]
        assert in_court[4] < at_sea[4]
    assert in_court[1] > plain[1]  # rescaling; interpolation thins out what words before w say


def test_bad_adaptations_are_refused(language: NGramModel) -> None:
    with pytest.raises(InputError, match="words in common, got none"):
        Adaptation(language, TopicModel.from_counts([[1, 2], [2, 1]], ["eins", "zwei"]))
    adaptation = Adaptation(language, TOPICS)
    given = adaptation.word_probabilities(np.array([0.5, 0.5], np.float32))
    with pytest.raises(InputError, match="interpolation or rescaling, got 'magic'"):
        adaptation.probabilities([(3,)], given, "magic", 0.5)
    with pytest.raises(InputError, match="strength from 0 to 1, got 2"):
        adaptation.probabilities([(3,)], given, "rescaling", 2.0)
