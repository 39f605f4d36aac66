"""Transcripts of three parties, and speech to recognize: real recognizer outputs, and synthesized sentences.

    ljspeech   sentences of seven books read aloud     ami   talk in meetings     sotu   speeches to Congress

Sentences that are synthesized occur in no training part: they are of the test parts of ljspeech (whose
chapters are those of its training part) and of ami, and of every twelfth speech.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import corpora
from fedtopics.applications.speech.ngrams import NGramModel
from fedtopics.applications.speech.recognizer import Recognizer, pronunciations, samples
from fedtopics.applications.speech.rescoring import Hypothesis, Utterance
from fedtopics.documents.text.tokens import SentenceSplitter
from fedtopics.errors import InputError

WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
HELD_OUT = 12  # every so many speeches
PASSAGE = 8  # sentences that make a document

Sentence = tuple[str, ...]
Document = list[Sentence]


def words(text: str) -> Sentence:
    """Lower-case words as a recognizer writes them."""
    return tuple(WORD.findall(text.lower().replace("’", "'")))


@cache
def documents() -> dict[str, list[Document]]:
    """Training documents of each party, sentence by sentence."""
    return {"ami": list(_ami("train")), "ljspeech": _ljspeech("ljs_train.txt.gz"), "sotu": _sotu(False)}


def held_out(per_party: int) -> list[tuple[str, Sentence]]:
    """(session, sentence): runs of five to eighteen words whose sound the dictionary knows."""
    known = pronunciations()
    trained = {sentence for held in documents().values() for document in held for sentence in document}
    chosen = []
    parts = {"ami": list(_ami("test")), "ljspeech": _ljspeech("ljs_test.txt"), "sotu": _sotu(True)}
    for party, held in parts.items():
        usable = [
            [s for s in document if 5 <= len(s) <= 18 and s not in trained and all(w in known for w in s)]
            for document in held
        ]
        sessions = [document for document in usable if len(document) >= 4]
        order = np.random.default_rng(0).permutation(len(sessions))
        found = [(f"{party} {n}", s) for n in order for s in sessions[n][:PASSAGE]]
        chosen += found[:per_party]
    return chosen


def _ami(part: str) -> Iterator[Document]:
    path = next(corpora.path("ami").glob(f"{part}.in.txt.*"))
    opened = (gzip if path.suffix == ".gz" else lzma).open(path, "rt", encoding="utf-8")
    with opened as lines:
        for line in lines:
            yield [found for text in line.split("<EOS>") if (found := words(text))]


def _ljspeech(name: str) -> list[Document]:
    """The sentences of a chapter in their order, in runs of eight."""
    path = corpora.path("ljspeech") / name
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    chapters: dict[str, list[tuple[str, Sentence]]] = {}
    for line in text.splitlines():
        name, _, spoken = line.partition("|")
        place = Path(name).stem
        chapters.setdefault(place[:5], []).append((place, words(spoken.split("|")[0])))
    return [run for chapter in chapters.values() for run in _runs([s for _, s in sorted(chapter) if s])]


def _sotu(held: bool) -> list[Document]:
    split = SentenceSplitter("en")
    found: list[Document] = []
    with lzma.open(corpora.path("sotu"), "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if (number % HELD_OUT == 0) == held:
                text = json.loads(line)["text"]
                found += _runs([s for sentence in split(text) if (s := words(sentence))])
    return found


def _runs(sentences: list[Sentence]) -> list[Document]:
    return [sentences[start : start + PASSAGE] for start in range(0, len(sentences), PASSAGE)]


def librispeech() -> list[Utterance]:
    """What 22 settings of one recognizer heard in LibriSpeech test-clean.

    There are no acoustic scores: a hypothesis scores the logarithm of its share of the settings.
    """
    path = corpora.path("librispeech") / "test-clean.ref_hyps.jsonl.xz"
    found = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            heard = [tuple(text.split()) for text in row["hyps"].values()]
            hypotheses = [
                Hypothesis(h, float(np.log(heard.count(h) / len(heard)))) for h in dict.fromkeys(heard)
            ]
            session = row["utt"].rsplit("-", 1)[0]
            found.append(Utterance(row["utt"], session, tuple(row["ref"].split()), tuple(hypotheses)))
    return found


def synthesized(language: NGramModel, cache: Path, per_party: int = 180) -> list[Utterance]:
    """Held-out sentences spoken by flite and heard by pocketsphinx with this model; `cache` keeps them."""
    sentences = held_out(per_party)
    heard = _kept(cache)
    missing = [sentence for _, sentence in sentences if sentence not in heard]
    recognizer = Recognizer(language) if missing else None
    cache.parent.mkdir(parents=True, exist_ok=True)
    with cache.open("a", encoding="utf-8") as file:
        for sentence in missing:
            assert recognizer is not None
            heard[sentence] = recognizer.hypotheses(spoken(sentence))
            found = [[" ".join(h.words), h.score] for h in heard[sentence]]
            file.write("\n" + json.dumps({"said": " ".join(sentence), "heard": found}))
            file.flush()
    return [
        Utterance(f"{session} {number}", session, sentence, heard[sentence])
        for number, (session, sentence) in enumerate(sentences)
    ]


def _kept(cache: Path) -> dict[Sentence, tuple[Hypothesis, ...]]:
    """What was heard before, by sentence; a line that was cut off when a run was stopped does not count."""
    kept: dict[Sentence, tuple[Hypothesis, ...]] = {}
    lines = cache.read_text(encoding="utf-8").splitlines() if cache.exists() else []
    for row in (json.loads(line) for line in lines if line.endswith("}")):
        found = (Hypothesis(tuple(text.split()), score) for text, score in row["heard"])
        kept[tuple(row["said"].split())] = tuple(found)
    return kept


def spoken(sentence: Sentence) -> bytes:
    """The sentence in flite's voice slt."""
    if shutil.which("flite") is None:
        raise InputError("speech is synthesized with flite, which is not installed: apt-get install flite")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speech.wav"
        command = ["flite", "-voice", "slt", "-t", " ".join(sentence), "-o", str(file)]
        subprocess.run(command, check=True, capture_output=True)
        return samples(file)
