"""Word intrusion: can one tell the word that does not belong (Chang et al., Reading Tea Leaves, NIPS 2009)?

A question is five words of a topic and one intruder, a word shown for another topic and improbable in this,
in an order by chance. `questions` makes them from a model and a seed, so that the key need not be kept;
`sheet` is a table for people to fill in, and `graded` the share that they got right. All of it is made of the
model alone.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import cell
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

N_WORDS = 5
IMPROBABLE = 0.5  # an intruder is in the lower part of the topic's words, by probability
HEAD = ("question", *(f"word {number + 1}" for number in range(N_WORDS + 1)), "intruder")


@dataclass(frozen=True)
class Question:
    """Words of a `topic` with one that does not belong, the `intruder`."""

    topic: int
    words: tuple[str, ...]
    intruder: str


def questions(
    model: TopicModel, *, seed: int = 0, by: str = "distinctive", known: NDArray[np.bool_] | None = None
) -> list[Question]:
    """A question for each topic of a `model` that has one, in an order by `seed`.

    by      which words of topics are asked for, as for `top_words`
    known   which words of the vocabulary may be asked for; all if not given
    """
    generator = np.random.default_rng(seed)
    usable = np.ones(model.n_words, np.bool_) if known is None else known
    first = [[w for w in row if usable[w]][:N_WORDS] for row in model.top_word_ids(20, by).tolist()]
    place = np.argsort(np.argsort(-model.topic_word, axis=1, kind="stable"), axis=1)
    found = []
    for topic in generator.permutation(model.n_topics).tolist():
        shown = {w for k, row in enumerate(first) if k != topic for w in row}
        strangers = sorted(w for w in shown if place[topic, w] > IMPROBABLE * model.n_words)
        if len(first[topic]) < N_WORDS or not strangers:
            continue
        intruder = int(generator.choice(strangers))
        words = [model.vocabulary[w] for w in generator.permutation([*first[topic], intruder]).tolist()]
        found.append(Question(topic, tuple(words), model.vocabulary[intruder]))
    return found


def sheet(asked: Sequence[Question]) -> str:
    """The questions as CSV with an empty last column, to be filled in with the word that does not belong."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(HEAD)
    for number, question in enumerate(asked):
        writer.writerow([number + 1, *map(cell, question.words), ""])
    return text.getvalue()


def graded(asked: Sequence[Question], answers: str) -> dict[int, bool]:
    """Whether each topic's intruder was found, of the questions that a filled-in sheet (CSV) answers."""
    listed = _rows(answers)
    rows = {row[0].strip().removesuffix(".0"): row for row in listed}
    if len(listed) != len(asked) or set(rows) != {str(number + 1) for number in range(len(asked))}:
        raise InputError(
            f"expected the sheet of {len(asked)} questions with its answers, got another table; "
            "give the same model, seed and order of words as for the sheet"
        )
    found = {}
    for number, question in enumerate(asked):
        row = rows[str(number + 1)]
        if row[1:-1] != [cell(word) for word in question.words]:
            raise InputError(
                "expected the words of the sheet as they were, got others; fill in the last column"
            )
        if row[-1].strip():
            found[question.topic] = row[-1].strip().lower() == cell(question.intruder).lower()
    if not found:
        raise InputError("expected answers in the last column, got none; write the word that does not belong")
    return found


def _rows(answers: str) -> list[list[str]]:
    """The rows of a sheet as spreadsheets write it: with ; or tabs, a line `sep=;`, empty cells behind."""
    lines = answers.splitlines()
    if lines and lines[0].lower().startswith("sep="):
        lines = lines[1:]
    first = lines[0].replace('"', "") if lines else ""
    mark = next((mark for mark in ";\t" if first.startswith(f"{HEAD[0]}{mark}")), ",")
    rows = [row for row in csv.reader(lines, delimiter=mark) if any(row)]
    fits = all(len(row) >= len(HEAD) and not any(row[len(HEAD) :]) for row in rows)
    if not fits or not rows or tuple(rows[0][: len(HEAD)]) != HEAD:
        return []
    return [row[: len(HEAD)] for row in rows[1:]]
