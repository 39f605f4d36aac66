"""Do topics help a speech recognizer? N-best rescoring, on real recognizer outputs and on synthetic speech.

Three parties hold transcripts (ljspeech, ami, sotu). Topics come from each alone, from the federation and
from all in one place; the n-gram model from all of them. For every kind of topics strength and weight are
chosen on the sessions of the development part (a third), and words are counted on the others; intervals are
by resampling sessions, alike for all systems. The control has one topic: word frequencies without context.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import ROOT
from benchmarks.case import Steps, case
from benchmarks.cases import speech_tables
from benchmarks.cases.speech_tuning import split_sessions, tune
from benchmarks.cases.transcripts import documents, librispeech, synthesized
from benchmarks.provenance import git
from fedtopics import methods
from fedtopics.applications import speech as recognition
from fedtopics.applications.bootstrap import Floats, Score
from fedtopics.applications.speech.adaptation import WAYS, Adaptation
from fedtopics.applications.speech.estimation import estimate
from fedtopics.applications.speech.ngrams import NGramModel
from fedtopics.applications.speech.recognizer import pronunciations
from fedtopics.applications.speech.rescoring import (
    Setting,
    Utterance,
    choose,
    errors,
    plain_scores,
    scores_by_setting,
    word_error_rate,
)
from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.model import TopicModel
from fedtopics.protocol import in_process

NAMES = ("librispeech", "flite")
PARTIES = ("ami", "ljspeech", "sotu")
N_TOPICS, N_WORDS, DEVELOPMENT = 50, 5000, 1 / 3
STRENGTHS = (0.05, 0.1, 0.3, 0.5)
BASE, CONTROL, ALONE = "n-grams", "unigram control", "{} alone"
PRINTED = {"variant": "paper", "tau": 0.5}  # a lower threshold keeps hundreds of entries for every token
SENTENCES = {"unit": "sentence", "n_rounds": 3, "n_local": 20}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "CALM, epsilon 6": ("calm", {"epsilon": 6.0}),
    "FTM, epsilon 6": ("ftm", {"epsilon": 6.0}),
    "FTM, epsilon 11": ("ftm", {"epsilon": 11.0}),
    "FTM SentenceLDA, epsilon 11": ("ftm", {"epsilon": 11.0} | SENTENCES),
    "FTM as printed, epsilon 11": ("ftm", {"epsilon": 11.0} | PRINTED),
    "FTM SentenceLDA as printed, epsilon 11": ("ftm", {"epsilon": 11.0} | PRINTED | SENTENCES),
    "pooled": ("pooled", {}),
}
AGAIN = ("ami alone", "CALM, epsilon 6", "FTM, epsilon 6", "pooled")  # with other seeds too
SEEDS = (1, 2)


@cache
def kept() -> Path:
    """Where topics and what was heard are kept for steps to come: of another commit they are made anew."""
    return ROOT / "runs" / "speech" / (git("rev-parse", "HEAD") or "no commit")


@cache
def language_model() -> NGramModel:
    """Trigrams of all transcripts over the words that occur twice and whose sound is known."""
    sentences = [sentence for party in documents().values() for document in party for sentence in document]
    counts = Counter(word for sentence in sentences for word in sentence)
    known = pronunciations()
    return estimate(sentences, [word for word, count in counts.items() if count > 1 and word in known])


@cache
def parties() -> dict[str, Corpus]:
    """The documents of each party over one vocabulary, with their sentences."""
    held = documents()
    texts = [" ".join(s) for party in held.values() for document in party for s in document]
    lines = Corpus.from_texts(texts, max_words=N_WORDS, sentences=False)
    ends = np.cumsum([0, *(len(document) for party in held.values() for document in party)])
    corpus = Corpus(
        lines.words,
        lines.offsets[ends],
        lines.vocabulary,
        sentence_offsets=lines.offsets,
        document_sentences=ends,
        language="en",
    )
    names = np.array([party for party, own in held.items() for _ in own])
    return {name: corpus.select(names == name) for name in held}


def topics(label: str, seed: int) -> TopicModel:
    """The topics of one kind, made once."""
    corpora = parties()
    if label == CONTROL:
        return _one_topic(concatenate(list(corpora.values())))
    folder = kept() / f"topics-{seed}" / label
    if not folder.exists():
        method, settings = KINDS.get(label, ("alone", {}))
        held = {name: own for name, own in corpora.items() if label in (*KINDS, ALONE.format(name))}
        trained = methods.make(method, n_topics=N_TOPICS, **settings)
        outcome = in_process.run(trained, held, seed=seed, n_threads=1)
        model = outcome.model if label in KINDS else outcome.local_models[next(iter(held))]
        assert model is not None
        model.save(folder)
    return TopicModel.load(folder)


def _one_topic(corpus: Corpus) -> TopicModel:
    counts = np.bincount(corpus.words, minlength=corpus.n_words)
    return TopicModel.from_counts(np.stack([counts, counts]), corpus.vocabulary, alpha=1.0)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Utterances to rescore, some of them for development.

    included   whether the first pass has used the n-gram model
    weights    of the language model, to choose from
    """

    utterances: list[Utterance]
    language: NGramModel
    included: bool
    weights: tuple[float, ...]

    @cached_property
    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(development, test): places of their utterances."""
        chosen = split_sessions(self.utterances, DEVELOPMENT, seed=0)
        return np.flatnonzero(chosen), np.flatnonzero(~chosen)

    @cached_property
    def plain(self) -> list[Floats]:
        return plain_scores(self.utterances, self.language)

    @cached_property
    def unadapted(self) -> list[Floats]:
        """What the n-gram model adds to the first pass: nothing where it was included."""
        return [np.zeros(len(scores)) for scores in self.plain] if self.included else self.plain

    def judged(self, scores: dict[tuple[str, float], list[Floats]]) -> tuple[Setting, Score]:
        """The best setting on the development part, and its word error rate on the test part."""
        development, test = self.parts
        held = {key: [found[n] for n in development] for key, found in scores.items()}
        setting = tune([self.utterances[n] for n in development], held, self.weights)
        asked, chosen = [self.utterances[n] for n in test], scores[setting.way, setting.strength]
        picked = choose(asked, [chosen[n] for n in test], setting.weight)
        return setting, word_error_rate(asked, errors(asked, picked))

    def adapted(self, model: TopicModel) -> dict[str, tuple[Setting, Score]]:
        """`judged` with these topics, for each way to use them; not to use them is a choice too."""
        adaptation = Adaptation(self.language, model)
        found = scores_by_setting(self.utterances, adaptation, product(WAYS, STRENGTHS))
        if self.included:
            found = {
                key: [a - p for a, p in zip(scores, self.plain, strict=True)] for key, scores in found.items()
            }
        return {
            way: self.judged(
                {(way, 0.0): self.unadapted} | {key: s for key, s in found.items() if key[0] == way}
            )
            for way in WAYS
        }

    def described(self) -> dict[str, Any]:
        """Sizes, and the word error rate of the best hypothesis of every utterance."""
        asked = [self.utterances[n] for n in self.parts[1]]
        best = [min(u.hypotheses, key=lambda h, u=u: errors([u], [h])[0, 0]) for u in asked]
        wrong, words = errors(asked, best).sum(axis=0)
        return {
            "n_utterances": len(self.utterances),
            "n_test": len(asked),
            "n_test_sessions": len({u.session for u in asked}),
            "n_hypotheses": float(np.mean([len(u.hypotheses) for u in self.utterances])),
            "best_possible": float(wrong / words),
        }


@cache
def evaluation(name: str) -> Evaluation:
    """The utterances of an evaluation, and which weights suit the scores of its first pass."""
    language = language_model()
    if name == "librispeech":
        return Evaluation(librispeech(), language, False, (0.0, 0.02, 0.05, 0.1, 0.2, 0.4))
    heard = synthesized(language, kept() / "heard.jsonl")
    return Evaluation(heard, language, True, (2.0, 4.0, 6.5, 9.5))


def _row(setting: Setting, score: Score, base: Score, control: Score | None = None) -> dict[str, Any]:
    gain = score.minus(base)
    row = {
        "setting": vars(setting),
        "word_error_rate": score.value,
        "interval": score.interval,
        "minus_n_grams": gain.value,
        "minus_interval": gain.interval,
    }
    if control is not None:
        beyond = score.minus(control)
        row |= {"minus_control": beyond.value, "minus_control_interval": beyond.interval}
    return row


@cache
def base(name: str) -> tuple[Setting, Score]:
    """The n-gram model without topics."""
    asked = evaluation(name)
    return asked.judged({(WAYS[0], 0.0): asked.unadapted})


@cache
def adapted(name: str, label: str, seed: int = 0) -> dict[str, tuple[Setting, Score]]:
    return evaluation(name).adapted(topics(label, seed))


def described(name: str) -> dict[str, Any]:
    return evaluation(name).described()


def first_pass(name: str) -> dict[str, Any]:
    asked = evaluation(name)
    return _row(*asked.judged({(WAYS[0], 0.0): [0 * s for s in asked.plain]}), base(name)[1])


def plain(name: str) -> dict[str, Any]:
    return _row(*base(name), base(name)[1])


def system(name: str, label: str) -> dict[str, Any]:
    """What these topics do, for each way to use them."""
    controls = adapted(name, CONTROL)
    found = adapted(name, label).items()
    return {way: _row(*judged, base(name)[1], controls[way][1]) for way, judged in found}


def other_seed(name: str, label: str, seed: int) -> dict[str, float]:
    """What topics of another seed change, to see how much of a difference is the seed's."""
    found = adapted(name, label, seed).items()
    return {way: score.value - base(name)[1].value for way, (_, score) in found}


@case(
    "speech",
    measures=(recognition, methods),
    minutes=15,
    seeds=(0, *SEEDS),
    corpora=("librispeech", *PARTIES),
    needs={"jiwer": "speech", "pocketsphinx": "speech"},
    pages=("docs/how-to/applications.md", "docs/evidence/reproduction.md"),
    shows={name: partial(speech_tables.rates, name) for name in NAMES},
)
def steps() -> Steps:
    """Whether topics help a speech recognizer: rescoring of real hypotheses and of synthetic speech."""
    made: Steps = {}
    for name in NAMES:
        made |= {
            f"{name}/facts": partial(described, name),
            f"{name}/first pass": partial(first_pass, name),
            f"{name}/{BASE}": partial(plain, name),
        }
        for label in (CONTROL, *map(ALONE.format, PARTIES), *KINDS):
            made[f"{name}/systems/{label}"] = partial(system, name, label)
    for seed, label in product(SEEDS, AGAIN):  # on LibriSpeech topics change next to nothing
        made[f"flite/other seeds/{label}/{seed}"] = partial(other_seed, "flite", label, seed)
    return made
