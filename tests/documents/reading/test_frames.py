"""Tables in memory are read as tables are: by their columns, not as lists of names."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fedtopics import Corpus, read, train
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

TEXTS = [
    f"apple bread candy {'duck egg' if number % 2 else 'fig grape'} w{number % 5}" for number in range(40)
]
ROWS = [{"who": f"p{number % 2}", "text": text, "size": number} for number, text in enumerate(TEXTS)]
KINDS: dict[str, Any] = {
    "pandas": pd.DataFrame(ROWS),
    "pandas with an index": pd.DataFrame(ROWS, index=[f"row {number}" for number in range(40)]),
    "polars": pl.DataFrame(ROWS),
    "arrow": pa.Table.from_pylist(ROWS),
    "rows": ROWS,
}
PLAIN = Corpus.from_texts(TEXTS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_read_by_its_columns(kind: str) -> None:
    found = read(KINDS[kind], party_column="who")
    assert found.vocabulary == PLAIN.vocabulary
    assert np.array_equal(found.words, PLAIN.words)
    assert found.parties is not None
    assert list(found.parties) == [row["who"] for row in ROWS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_trained_on_and_transformed(kind: str) -> None:
    run = train(KINDS[kind], "pooled", n_topics=2, n_rounds=3, party_column="who", show_progress=False)
    assert run.model.n_words == PLAIN.n_words
    assert {party["name"] for party in run.record["parties"]} == {"p0", "p1"}
    assert run.record["source"] == "a table"
    mixtures = run.model.transform(KINDS[kind])
    assert np.array_equal(mixtures, run.model.transform(TEXTS))
    renamed = [{"title": row["text"], "body": row["text"]} for row in ROWS]
    for column in ("body", ["body", "body"]):
        assert np.array_equal(run.model.transform(renamed, text_column=column), mixtures)
    twice = run.model.read(renamed, text_column=["title", "body"])
    assert twice.n_tokens == 2 * run.model.read(TEXTS).n_tokens


def test_rows_of_pandas_have_nothing_where_a_value_is_missing() -> None:
    frame = pd.DataFrame(ROWS).assign(when=pd.NaT, person=pd.array([None] * 40, "string"))
    frame.loc[frame.index % 4 == 0, "text"] = np.nan
    rows = frame.to_dict("records")
    found = read(rows, label_column="when", person_column="person", min_df=1, max_df=1.0)
    assert "nan" not in found.vocabulary
    assert found.n_empty == 10
    assert set(found.labels or ()) == set(found.persons or ()) == {""}
    assert found.vocabulary == read(frame, min_df=1, max_df=1.0).vocabulary


def test_a_stream_of_arrow_rows_is_a_table() -> None:
    assert np.array_equal(read(KINDS["arrow"].to_reader()).words, PLAIN.words)


@pytest.mark.parametrize("given", [5, None, pl.DataFrame(ROWS).lazy()])
def test_what_is_no_source_is_named(given: object) -> None:
    for use in (read, lambda what: train(what, "pooled", n_topics=2)):
        with pytest.raises(InputError, match=type(given).__name__):
            use(given)


def test_a_list_of_texts_is_shown_the_way() -> None:
    for texts in (["rain fell"], pd.Series(["rain fell"]), (text for text in ["rain fell"])):
        with pytest.raises(InputError, match=r"texts are taken by Corpus.from_texts and by train"):
            read(texts)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_names_of_columns_are_never_taken_for_texts(kind: str) -> None:
    model = TopicModel.from_counts([[3, 1], [1, 3]], ["apple", "bread"])
    for use in (Corpus.from_texts, lambda table: list(model.transform_stream(table))):
        with pytest.raises(
            InputError, match=r"a list of texts, got .*; put them in a list, or read\(\) them"
        ):
            use(KINDS[kind])


def test_columns_of_texts_and_of_counts_are_told_apart() -> None:
    model = TopicModel.from_counts([[3, 1, 0], [1, 0, 3]], ["apple", "bread", "candy"])
    texts = model.transform(TEXTS)
    assert np.array_equal(model.transform(pd.DataFrame(ROWS)["text"]), texts)
    assert np.array_equal(model.transform(np.array(TEXTS)), texts)
    counts = np.array([[1, 0, 2], [0, 1, 0]])
    assert np.array_equal(model.transform(pd.DataFrame(counts)), model.transform(counts))


def test_a_table_that_does_not_say_its_text_is_refused_with_its_columns() -> None:
    for table in (pd.DataFrame({"a": ["war"], "b": ["peace"]}), [{"a": "war", "b": "peace"}]):
        with pytest.raises(InputError, match=r"expected a column 'text' in the table, got a, b"):
            read(table)
        assert read(table, text_column="b", min_df=1, max_df=1.0).vocabulary == ("peace",)
    with pytest.raises(InputError, match="in row 1, got none"):
        read([{"text": "war"}, {"words": "peace"}])
    with pytest.raises(InputError, match="mapping in row 1, got str"):
        read([{"text": "war"}, "peace"])
    with pytest.raises(InputError, match="empty corpus"):
        read(pd.DataFrame({"text": pd.Series([], dtype="string")}))


def test_strings_of_arrow_that_are_none_are_said_to_be_so() -> None:
    ends, letters = (pa.py_buffer(part) for part in (np.array([0, 5], np.int32).tobytes(), b"rain\xff"))
    broken = pa.Array.from_buffers(pa.string(), 1, [None, ends, letters])
    with pytest.raises(InputError, match="expected texts in UTF-8, got other bytes in the table"):
        read(pa.table({"text": broken}))
