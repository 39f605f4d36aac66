"""No error prints a document, whatever is wrong with how it was given."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fedtopics import Corpus, read, train
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

SECRET = "patient Margarethe complained of headaches and a rash since Tuesday"
MODEL = TopicModel.from_counts([[3, 1], [1, 3]], ["headaches", "rash"])


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
    "a mapping in place of a source": lambda _: read({"text": SECRET}),
    "a mapping to train on": lambda _: train({"text": [SECRET] * 9}, "pooled"),  # type: ignore[arg-type]
    "a mapping of texts": lambda _: Corpus.from_texts({SECRET: SECRET}),
    "a mapping for a model": lambda _: MODEL.transform({SECRET: SECRET}),  # type: ignore[arg-type]
    "bytes in a row": lambda _: read([{"text": SECRET.encode()}]),
    "a row in a row": lambda _: read([{"text": {"body": SECRET}}]),
    "a text as a language": lambda _: read(
        [{"text": "a", "b": SECRET}], text_column="text", language_column="b"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_quotes_no_document(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        WRONG[name](tmp_path)
    for word in ("Margarethe", "headaches", "Tuesday"):
        assert word not in str(caught.value)
