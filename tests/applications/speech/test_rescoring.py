"""N-best lists: the context decides between words that sound alike, settings come from other sessions."""

import os
import wave
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cases.speech_tuning import split_sessions, tune
from fedtopics.applications.speech.adaptation import Adaptation
from fedtopics.applications.speech.estimation import estimate
from fedtopics.applications.speech.recognizer import Recognizer, samples
from fedtopics.applications.speech.rescoring import (
    Hypothesis,
    Setting,
    Utterance,
    adapted_scores,
    choose,
    contexts,
    errors,
    plain_scores,
    rescored,
    word_error_rate,
)
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

COURT, SEA = ["judge", "law", "suit"], ["ship", "port", "suite"]
TOPICS = TopicModel.from_counts([[5, 5, 5, 0, 0, 0], [0, 0, 0, 5, 5, 5]], [*COURT, *SEA])
LANGUAGE = estimate([["the", word] for word in (*COURT, *SEA)], ["the", *COURT, *SEA], order=2)


def utterance(name: str, session: str, reference: str, *hypotheses: str) -> Utterance:
    """Hypotheses one apart in their scores."""
    found = tuple(Hypothesis(tuple(text.split()), -float(n)) for n, text in enumerate(hypotheses))
    return Utterance(name, session, tuple(reference.split()), found)


def session(name: str, words: list[str]) -> list[Utterance]:
    told = [utterance(f"{name}-{word}", name, f"the {word}", f"the {word}") for word in words[:2]]
    right, wrong = f"the {words[2]}", f"the {'suite' if words[2] == 'suit' else 'suit'}"
    return [*told, utterance(f"{name}-asked", name, right, wrong, right)]


TALK = [u for n in range(4) for u in (*session(f"court {n}", COURT), *session(f"sea {n}", SEA))]


def test_the_context_is_what_was_heard_around_the_utterance() -> None:
    found = contexts(TALK[:3])
    assert found[0] == ["the", "law", "the", "suite"]
    assert found[2] == ["the", "judge", "the", "law"]


@pytest.mark.parametrize("way", ["interpolation", "rescaling"])
def test_the_topic_of_the_session_decides(way: str) -> None:
    first = errors(TALK, choose(TALK, plain_scores(TALK, LANGUAGE), 0.0))
    assert word_error_rate(TALK, first).value == pytest.approx(8 / 48)
    scores = adapted_scores(TALK, Adaptation(LANGUAGE, TOPICS), way, 0.7)
    assert errors(TALK, choose(TALK, scores, 4.0))[:, 0].sum() == 0


def test_a_model_that_the_first_pass_knew_is_not_counted_twice() -> None:
    often = estimate([["the", "suite"]] * 9 + [["the", word] for word in COURT], LANGUAGE.vocabulary, order=2)
    setting, first = Setting("rescaling", 0.0, 9.0), [utterance.first for utterance in TALK]
    assert rescored(TALK, Adaptation(often, TOPICS), setting, included=True) == first
    assert rescored(TALK, Adaptation(often, TOPICS), setting, included=False) != first


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_prefers_what_is_unlikely_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match=f"weight must be finite and at least 0, got {weight}"):
        Setting("rescaling", 0.1, weight)


def test_tuning_takes_the_mildest_of_the_best() -> None:
    adaptation = Adaptation(LANGUAGE, TOPICS)
    scores = {("rescaling", s): adapted_scores(TALK, adaptation, "rescaling", s) for s in (0.0, 0.3, 0.7)}
    setting = tune(TALK, scores, (0.5, 4.0, 8.0))
    assert setting.strength > 0
    assert errors(TALK, choose(TALK, scores["rescaling", setting.strength], setting.weight)).sum() == 48


def test_sessions_stay_whole_and_errors_are_counted_by_word() -> None:
    development = split_sessions(TALK, 0.5, seed=0)
    held = {u.session for u, chosen in zip(TALK, development, strict=True) if chosen}
    assert len(held) == 4
    assert not held & {u.session for u, chosen in zip(TALK, development, strict=True) if not chosen}
    counted = errors([utterance("a", "s", "one two three", "one too three four")], [Hypothesis(("one",), 0)])
    assert counted.tolist() == [[2.0, 3.0]]
    with pytest.raises(InputError, match="a reference to count errors, got none for 'b'"):
        errors([utterance("b", "s", "", "one")], [Hypothesis(("one",), 0.0)])


def test_one_session_has_an_interval_too() -> None:
    said = [utterance(f"u{n}", "s", "one two", "one two" if n % 2 else "one too") for n in range(20)]
    rate = word_error_rate(said, errors(said, [u.first for u in said]))
    assert rate.value == 0.25
    assert rate.interval[0] < 0.25 < rate.interval[1]


def written(path: Path, rate: int, channels: int = 1, width: int = 2, seconds: int = 1) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(bytes(seconds * rate * channels * width))
    return path


def test_audio_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert len(samples(written(tmp_path / "good.wav", 16_000))) == 32_000
    with pytest.raises(InputError, match="1 channel, 16 bits, got 8000, 1 and 16 in"):
        samples(written(tmp_path / "slow.wav", 8_000))
    with pytest.raises(InputError, match="got 16000, 2 and 16"):
        samples(written(tmp_path / "stereo.wav", 16_000, channels=2))
    with pytest.raises(InputError, match="expected some samples, got 0 in"):
        samples(written(tmp_path / "silent.wav", 16_000, seconds=0))
    whole = (tmp_path / "good.wav").read_bytes()
    (tmp_path / "cut.wav").write_bytes(whole[:-1000])
    with pytest.raises(InputError, match="expected 16000 samples, got 15500 in"):
        samples(tmp_path / "cut.wav")
    for text in ("no audio", ""):
        (tmp_path / "text.wav").write_text(text)
        with pytest.raises(InputError, match="expected a WAV file, got another"):
            samples(tmp_path / "text.wav")
    with pytest.raises(InputError, match="cannot read"):
        samples(tmp_path / "other.wav")
    os.mkfifo(tmp_path / "pipe.wav")
    with pytest.raises(InputError, match="expected a plain file"):
        samples(tmp_path / "pipe.wav")


def test_the_recognizer_hears_its_own_words_alone() -> None:
    pytest.importorskip("pocketsphinx")
    recognizer = Recognizer(LANGUAGE)
    noise = np.random.default_rng(0).integers(-3000, 3000, 16_000, np.int16).tobytes()
    found = recognizer.hypotheses(noise, most=3)
    assert 1 <= len(found) <= 4
    assert all(word in LANGUAGE.ids for hypothesis in found for word in hypothesis.words)
    assert found[0].score == max(hypothesis.score for hypothesis in found)
    for audio in (b"", b"odd"):
        with pytest.raises(InputError, match="samples of 2 bytes, got"):
            recognizer.hypotheses(audio)
    foreign = estimate([["zwei"]], ["zwei"], order=1)
    with pytest.raises(InputError, match="English words in lower case, got none"):
        Recognizer(foreign)
