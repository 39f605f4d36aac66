"""No error prints a document, whatever is wrong with how it was given."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from documents.reading.workbooks import write_workbook

from fedtopics import LDA, Corpus, merge, read, train
from fedtopics.applications.classification import checked_labels, split_by_class, split_by_column
from fedtopics.applications.speech import arpa, nbest
from fedtopics.documents import datasets
from fedtopics.errors import InputError
from fedtopics.evaluation import over_time, scores
from fedtopics.model import TopicModel
from fedtopics.related_words import load

SECRET = "patient Margarethe complained of headaches and a rash since Tuesday"
BRIEF = "Margarethe still has headaches"  # no longer than a path may be
WIDE = "患者自星期二起头痛并出现皮疹"  # without a space
MODEL = TopicModel.from_counts([[3, 1], [1, 3]], ["headaches", "rash"])
FITTED = LDA(2, max_iter=1).fit(pd.DataFrame({"a": [1, 2], "b": [2, 1]}))


COUNTED = Corpus.from_sparse([[1, 1]], ["headaches", "rash"])


def labeled(*labels: str) -> Corpus:
    return Corpus.from_sparse([[1, 1]] * len(labels), ["a", "b"], labels=labels, parties=labels)


def counts(folder: Path, content: str) -> Path:
    file(folder, "vocab.x.txt", "rain\n")
    return file(folder, "docword.x.txt", content)


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


WRONG: dict[str, Callable[[Path], object]] = {
    "a row in place of a text": lambda _: Corpus.from_texts([{"text": SECRET}]),  # type: ignore[list-item]
    "rows to train on": lambda _: train([(1, SECRET)] * 5),  # type: ignore[list-item]
    "one string": lambda _: Corpus.from_texts(SECRET),
    "one string for a model": lambda _: MODEL.transform(SECRET),  # type: ignore[arg-type]
    "a tokenizer of tuples": lambda _: Corpus.from_texts([SECRET], tokenizer=lambda text: [(text,)]),  # type: ignore[arg-type, return-value, list-item]
    "a table without names": lambda folder: read(file(folder, "a.csv", f"{SECRET},1\n{SECRET},2\n")),
    "semicolons": lambda folder: read(file(folder, "b.csv", f"{SECRET};{SECRET}\n")),
    "a quote that is open": lambda folder: read(file(folder, "c.csv", f'text\n"{SECRET}\n')),
    "a list of texts": lambda folder: read(file(folder, "d.jsonl", f'"{SECRET}"\n')),
    "JSON that is none": lambda folder: read(file(folder, "e.jsonl", f'{{"text": "{SECRET}\n')),
    "texts as names": lambda folder: read(file(folder, "f.jsonl", f'{{"{SECRET}": 1}}\n')),
    "another column": lambda folder: read(file(folder, "g.csv", f"{SECRET},b\n1,2\n"), text_column="text"),
    "texts as counts": lambda folder: read(file(folder, "h.ldac", f"{SECRET}\n")),
    "texts as UCI counts": lambda folder: read(file(folder, "docword.x.txt", f"{SECRET}\n1\n1\n")),
    "an open document": lambda folder: read(
        file(folder, "i.txt", f"<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>\n{SECRET}\n")
    ),
    "a text in place of a source": lambda _: read(SECRET),
    "a long text in place of a source": lambda _: read(SECRET * 99),
    "a text to train on": lambda _: train(SECRET * 9, "pooled"),
    "a text to train on with agreed words": lambda _: train(SECRET * 99, "calm", vocabulary_epsilon=1.0),
    "a brief text in place of a source": lambda _: read(BRIEF),
    "a text without spaces in place of a source": lambda _: read(WIDE),
    "a long text without spaces in place of a source": lambda _: train(WIDE * 40, "pooled"),
    "a text as a path": lambda _: read(Path(BRIEF)),
    "a text in place of a source, with a query": lambda _: read(SECRET, query="select 1"),
    "a text as a name of documents": lambda _: datasets.load(SECRET),
    "a text as a vocabulary": lambda _: read([{"text": "a"}], vocabulary=SECRET),
    "texts as a word relation": lambda _: load([[SECRET]], ["a"]),
    "a text as its language": lambda _: Corpus.from_texts(["a"], language=SECRET),
    "a text as sentences": lambda _: Corpus.from_texts(["a"], sentences=SECRET),  # type: ignore[arg-type]
    "a text that names a column": lambda _: read([{"text": "a"}], party_column=WIDE),
    "texts for topics": lambda _: TopicModel.from_counts([SECRET], ["a"]),
    "texts as topics": lambda _: TopicModel([[SECRET]], [0.1], ["a"]),  # type: ignore[arg-type]
    "texts as topics to be scored": lambda _: scores([SECRET], COUNTED, COUNTED),
    "texts as names of topics": lambda _: MODEL.set_topic_labels([SECRET, SECRET, SECRET]),
    "a text as a topic": lambda _: MODEL.set_topic_labels({SECRET: "a"}),  # type: ignore[dict-item]
    "a text as a setting": lambda _: train(COUNTED, "calm", n_topics=2, seed_words=[SECRET]),
    "texts of other columns for counts": lambda _: FITTED.transform(pd.DataFrame({SECRET: [1], "a": [1]})),
    "texts as columns of counts": lambda _: LDA(2).fit(pd.DataFrame([[1, 2]], columns=[SECRET, SECRET])),
    "numbers of any size among texts": lambda _: read(pd.DataFrame({"text": [2**80, SECRET]}, dtype=object)),
    "a text as gzip": lambda folder: read(file(folder, "s.csv.gz", SECRET)),
    "a mapping in place of a source": lambda _: read({"text": SECRET}),
    "a mapping to train on": lambda _: train({"text": [SECRET] * 9}, "pooled"),  # type: ignore[arg-type]
    "a mapping of texts": lambda _: Corpus.from_texts({SECRET: SECRET}),
    "a mapping for a model": lambda _: MODEL.transform({SECRET: SECRET}),  # type: ignore[arg-type]
    "bytes in a row": lambda _: read([{"text": SECRET.encode()}]),
    "a row in a row": lambda _: read([{"text": {"body": SECRET}}]),
    "texts for counts": lambda _: LDA(2).fit([SECRET] * 3),
    "a table of texts for counts": lambda _: LDA(2).fit(pd.DataFrame({"text": [SECRET] * 3})),
    "bytes for counts": lambda _: LDA(2).fit(np.array([[SECRET.encode()]])),
    "texts in a matrix": lambda _: MODEL.transform(np.array([[SECRET, SECRET]])),
    "a path for a model": lambda _: MODEL.transform(Path(SECRET)),  # type: ignore[arg-type]
    "half a character": lambda _: Corpus.from_texts([SECRET + "\ud83d"]),
    "half a character for a model": lambda _: MODEL.transform([SECRET + "\ud83d"]),
    "names of columns twice": lambda _: read(pd.DataFrame([[1, 2]], columns=[SECRET, SECRET])),
    "mappings among texts": lambda _: read(pd.DataFrame({"text": [SECRET, {"a": SECRET}]})),
    "another encoding": lambda folder: read(file(folder, "k.csv", f"text\n{SECRET}\n"), encoding="utf-16"),
    "a word among UCI counts": lambda folder: read(counts(folder, f"1\n1\n1\n{SECRET}\n")),
    "a short row without names": lambda folder: read(file(folder, "l.csv", "17,Tuesday headaches,x\n")),
    "a short row and another column": lambda folder: read(
        file(folder, "m.csv", "Margarethe had headaches\n"), text_column="b"
    ),
    "cells of a spreadsheet": lambda folder: read(
        write_workbook(folder / "n.xlsx", {"a": [[SECRET, "b"], [SECRET, 2]]})
    ),
    "documents as a vocabulary": lambda folder: read(
        "sotu", vocabulary=file(folder, "o.txt", f"{SECRET}\n{SECRET}\n")
    ),
    "long documents as a vocabulary": lambda folder: read(
        "sotu", vocabulary=file(folder, "p.txt", f"{SECRET * 3}\n")
    ),
    "words with their counts": lambda _: read([Counter(SECRET.split())]),
    "words with their counts, with a column": lambda _: train([Counter(SECRET.split())], text_column="a"),
    "words with their counts in a file": lambda folder: read(
        file(folder, "u.jsonl", '{"Margarethe": 2, "headaches": 1}\n')
    ),
    "rows with names that come one by one": lambda _: train({"text": SECRET} for _ in range(9)),
    "a text in place of a method": lambda _: train(COUNTED, SECRET),
    "texts in place of a method": lambda _: train(COUNTED, [SECRET]),  # type: ignore[arg-type]
    "texts in place of a number": lambda _: train(COUNTED, "calm", n_topics=[BRIEF]),
    "a text in place of an epsilon": lambda _: train(COUNTED, "calm", epsilon=SECRET),  # type: ignore[arg-type]
    "texts as sentences": lambda _: Corpus.from_texts(["a"], sentences=[BRIEF]),  # type: ignore[arg-type]
    "texts in place of a corpus": lambda _: over_time(MODEL, [SECRET], [1990]),  # type: ignore[arg-type]
    "a text in place of times": lambda _: over_time(MODEL, COUNTED, SECRET),
    "a text as a period": lambda _: over_time(MODEL, COUNTED, [1990], period=SECRET),
    "a text as an event": lambda _: over_time(MODEL, COUNTED, [1990], events=SECRET),
    "a text as an order of words": lambda _: MODEL.top_words(3, by=SECRET),
    "a text in place of a model's folder": lambda _: TopicModel.load(SECRET),
    "texts in place of a model": lambda _: merge(MODEL, [SECRET]),  # type: ignore[arg-type]
    "texts as seed words": lambda _: LDA(2, vocabulary=["a"], seed_words=[[SECRET]]).fit([[1]]),
    "a text as a language model": lambda folder: arpa.read(file(folder, "v.arpa", f"\\data\\\n{SECRET}\n")),
    "texts as word vectors": lambda folder: load(
        file(folder, "w.txt", "Margarethe-has-headaches-again\n"), ["a"]
    ),
    "texts as times": lambda _: over_time(MODEL, COUNTED, [SECRET]),
    "texts as labels": lambda _: checked_labels(labeled(SECRET, SECRET)),
    "a text as one of the labels": lambda _: split_by_class(labeled(SECRET, "b", "b"), seed=0),
    "texts as parts": lambda _: split_by_column(labeled(SECRET, "b")),
    "a line that is no hypotheses": lambda folder: nbest.read(file(folder, "q.jsonl", SECRET)),
    "hypotheses without scores": lambda folder: nbest.read(
        file(folder, "r.jsonl", f'{{"name": "u", "hypotheses": ["{SECRET}"]}}')
    ),
    "a text as a language": lambda _: read(
        [{"text": "a", "b": SECRET}], text_column="text", language_column="b"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_quotes_no_document(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        WRONG[name](tmp_path)
    for word in ("Margarethe", "headaches", "Tuesday", "b'pa'", "头痛"):
        assert word not in str(caught.value)


@pytest.mark.parametrize("column", ["party_column", "person_column"])
def test_no_party_or_person_is_called_by_its_document(column: str) -> None:
    for rows in ([{"text": SECRET, "kind": "a"}], [{"kind": SECRET, "text": 3}]):
        text = "text" if rows[0]["text"] == SECRET else "kind"
        with pytest.raises(InputError, match=f"beside the texts, got '{text}' as both"):
            read(rows, text_column=text, **{column: text})


def test_a_first_line_that_may_be_a_document_is_spoken_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    read(file(tmp_path, "t.csv", f"{SECRET}\n{SECRET}\n"))
    assert "no line names columns: --no-header" in caplog.text
    assert "Margarethe" not in caplog.text


@pytest.mark.parametrize("ask", [LDA(2).fit, LDA(2, max_iter=1).fit([[1, 2]]).transform])
def test_an_error_shows_no_counts_of_a_document(ask: Callable[[object], object]) -> None:
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead. Reshape your data"):
        ask(np.array([7, 3]))
