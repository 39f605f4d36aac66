"""Do topics help a speech recognizer? N-best rescoring, on real recognizer outputs and on synthetic speech.

    python benchmarks/speech.py                  both evaluations, with a table at the end
    python benchmarks/speech.py librispeech      one of them: librispeech or flite
    python benchmarks/speech.py --table          only print the stored results

Three parties hold transcripts (ljspeech, ami, sotu). Topics come from each alone, from the federation (CALM
at epsilon 6 for a word added or removed, FTM) and from all in one place; the n-gram model from all of them.
For every kind of topics strength and weight are chosen on the sessions of the development part (a third), and
words are counted on the others; intervals are by resampling sessions. The control has one topic: word
frequencies without context. Results go to benchmarks/results/speech_*.json.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from corpora import DATA, RESULTS
from transcripts import Document, documents, librispeech, synthesized

import fedtopics
from fedtopics import methods
from fedtopics.applications.bootstrap import Score
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
    split_sessions,
    tune,
    word_error_rate,
)
from fedtopics.corpus import Corpus, concatenate
from fedtopics.federation import in_process
from fedtopics.model import TopicModel

CACHE = Path(__file__).parents[1] / "runs" / "speech"
N_TOPICS, N_WORDS, DEVELOPMENT = 50, 5000, 1 / 3
STRENGTHS = (0.05, 0.1, 0.3, 0.5)
CONTROL = "unigram control"
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "pooled": ("pooled", {}),
    "CALM, epsilon 6": ("calm", {"epsilon": 6.0}),
    "FTM, epsilon 11": ("ftm", {"epsilon": 11.0}),
    "FTM SentenceLDA, epsilon 11": (
        "ftm",
        {"epsilon": 11.0, "unit": "sentence", "n_rounds": 3, "n_local": 20},
    ),
    "alone": ("alone", {}),
}


def language_model(held: dict[str, list[Document]]) -> NGramModel:
    """Trigrams of all transcripts over the words that occur twice and whose sound is known."""
    sentences = [sentence for party in held.values() for document in party for sentence in document]
    counts = Counter(word for sentence in sentences for word in sentence)
    known = pronunciations()
    return estimate(sentences, [word for word, count in counts.items() if count > 1 and word in known])


def parties(held: dict[str, list[Document]]) -> dict[str, Corpus]:
    """The documents of each party over one vocabulary, with their sentences."""
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


def topics(corpora: dict[str, Corpus], seed: int = 0) -> dict[str, TopicModel]:
    """A model of every kind, and the control; kept for the next time, by version."""
    found = {CONTROL: _one_topic(concatenate(list(corpora.values())))}
    folder = CACHE / f"topics-{fedtopics.__version__}-{seed}"
    for label, (method, settings) in KINDS.items():
        names = [f"{party} alone" for party in corpora] if label == "alone" else [label]
        if not all((folder / name).exists() for name in names):
            trained = methods.make(method, n_topics=N_TOPICS, **settings)
            outcome = in_process.run(trained, corpora, seed=seed, n_threads=2)
            models = [outcome.model] if label != "alone" else list(outcome.local_models.values())
            for name, model in zip(names, models, strict=True):
                assert model is not None
                model.save(folder / name)
        found |= {name: TopicModel.load(folder / name) for name in names}
        print(f"topics: {label}", flush=True)
    return found


def _one_topic(corpus: Corpus) -> TopicModel:
    counts = np.bincount(corpus.words, minlength=corpus.n_words)
    return TopicModel.from_counts(np.stack([counts, counts]), corpus.vocabulary, alpha=1.0)


def measured(
    utterances: list[Utterance], language: NGramModel, models: dict[str, TopicModel], included: bool
) -> dict[str, Any]:
    """Word error rates on the test sessions: first pass, n-grams, control and every kind of topics."""
    development = split_sessions(utterances, DEVELOPMENT, seed=0)
    parts = {True: np.flatnonzero(development), False: np.flatnonzero(~development)}
    weights = (2.0, 4.0, 6.5, 9.5) if included else (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
    plain = plain_scores(utterances, language)
    nothing = [np.zeros(len(scores)) for scores in plain]

    def judged(scores: dict[tuple[str, float], list[Any]]) -> tuple[Setting, Score]:
        held = {key: [found[n] for n in parts[True]] for key, found in scores.items()}
        setting = tune([utterances[n] for n in parts[True]], held, weights)
        chosen = scores[setting.way, setting.strength]
        test = [utterances[n] for n in parts[False]]
        picked = choose(test, [chosen[n] for n in parts[False]], setting.weight)
        return setting, word_error_rate(test, errors(test, picked))

    base = nothing if included else plain
    baseline = {("interpolation", 0.0): base}
    results = {"first pass": judged({("interpolation", 0.0): nothing}), "n-grams": judged(baseline)}
    for label, model in models.items():
        adaptation = Adaptation(language, model)
        found = scores_by_setting(utterances, adaptation, product(WAYS, STRENGTHS))
        if included:
            found = {
                key: [a - p if len(a) > 1 else a for a, p in zip(scores, plain, strict=True)]
                for key, scores in found.items()
            }
        for way in WAYS:
            tried = baseline | {key: scores for key, scores in found.items() if key[0] == way}
            results[f"{label}, {way}"] = judged(tried)
            print(label, way, *results[f"{label}, {way}"], flush=True)
    oracle = [min(u.hypotheses, key=lambda h, u=u: errors([u], [h])[0, 0]) for u in utterances]
    best = errors([utterances[n] for n in parts[False]], [oracle[n] for n in parts[False]]).sum(axis=0)
    return {
        "version": fedtopics.__version__,
        "n_utterances": len(utterances),
        "n_test": len(parts[False]),
        "n_hypotheses": float(np.mean([len(u.hypotheses) for u in utterances])),
        "best_possible": float(best[0] / best[1]),
        "systems": {label: _plain(*found, results["n-grams"][1]) for label, found in results.items()},
    }


def _plain(setting: Setting, score: Score, base: Score) -> dict[str, Any]:
    gain = score.minus(base)
    return {
        "setting": vars(setting),
        "word_error_rate": score.value,
        "interval": score.interval,
        "minus_n_grams": gain.value,
        "minus_interval": gain.interval,
    }


def table(name: str) -> str:
    """The stored results as Markdown."""
    stored = json.loads((RESULTS / f"speech_{name}.json").read_text())
    lines = [
        f"{name}: {stored['n_test']} test utterances, {stored['n_hypotheses']:.2f} hypotheses each, "
        f"best possible {100 * stored['best_possible']:.2f} %",
        "",
        "| language model | word error rate | 95 % | minus n-grams | 95 % | strength | weight |",
        "|---|---|---|---|---|---|---|",
    ]
    for label, found in stored["systems"].items():
        low, high = (100 * value for value in found["interval"])
        below, above = (100 * value for value in found["minus_interval"])
        lines.append(
            f"| {label} | {100 * found['word_error_rate']:.2f} % | {low:.2f} to {high:.2f} "
            f"| {100 * found['minus_n_grams']:+.2f} | {below:+.2f} to {above:+.2f} "
            f"| {found['setting']['strength']:g} | {found['setting']['weight']:g} |"
        )
    return "\n".join(lines)


def run(names: list[str]) -> None:
    """Measure these evaluations and store what came out."""
    held = documents()
    language = language_model(held)
    print(f"n-grams: {len(language.probabilities):,} over {len(language.vocabulary):,} words", flush=True)
    heard = {name: _utterances(name, language) for name in names}
    models = topics(parties(held))
    for name, utterances in heard.items():
        result = measured(utterances, language, models, included=name == "flite")
        (RESULTS / f"speech_{name}.json").write_text(json.dumps(result, indent=1) + "\n")


def _utterances(name: str, language: NGramModel) -> list[Utterance]:
    return librispeech() if name == "librispeech" else synthesized(language, CACHE / "heard.json")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=["librispeech", "flite"])
    parser.add_argument("--table", action="store_true", help="only print the stored results")
    options = parser.parse_args()
    if not (DATA / "librispeech_text").exists():
        print("no transcripts found: let FEDTOPICS_DATA point to them")
        return
    if not options.table:
        run(options.names)
    for name in options.names:
        print("\n" + table(name))


if __name__ == "__main__":
    main()
