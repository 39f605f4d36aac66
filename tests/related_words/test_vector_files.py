"""Word vectors from files of every kind, against gensim; what is wrong in a file is named with its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fedtopics import related_words
from fedtopics.errors import InputError
from fedtopics.related_words import token_table, vector_files

WORDS = ("tax", "taxes", "war", "nowhere")
PLACE = {word: number for number, word in enumerate(WORDS)}
ROWS = np.array([[1.0, 0.5, -2.0], [0.9, 0.6, -2.1], [-1.0, 3.0, 0.25], [0.1, 0.2, 0.3]], np.float32)
STORED = ("tax", "taxes", "war", "other")


def text(header: bool) -> str:
    lines = [f"{word} " + " ".join(map(str, row)) for word, row in zip(STORED, ROWS.tolist(), strict=True)]
    return "\n".join((["4 3"] if header else []) + lines) + "\n"


def word2vec(line_ends: bool) -> bytes:
    end = b"\n" if line_ends else b""
    return b"4 3\n" + b"".join(
        word.encode() + b" " + row.tobytes() + end for word, row in zip(STORED, ROWS, strict=True)
    )


def check(found: tuple[Any, Any]) -> None:
    assert found[0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(found[1], ROWS[:3], rtol=1e-6)


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("name", ["glove.txt", "wiki.vec", "glove.txt.gz"])
def test_text_is_read(tmp_path: Path, header: bool, name: str) -> None:
    content = text(header).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    check(vector_files.read(tmp_path / name, PLACE))


@pytest.mark.parametrize("name", ["news.bin", "news.bin.gz", "news.vectors"])
@pytest.mark.parametrize("line_ends", [False, True])
def test_word2vec_is_read(tmp_path: Path, name: str, line_ends: bool) -> None:
    content = word2vec(line_ends)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    check(vector_files.read(tmp_path / name, PLACE))


def test_gensim_writes_what_is_read(tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(3)
    vectors.add_vectors(list(STORED), ROWS)
    for binary in (False, True):
        vectors.save_word2vec_format(tmp_path / f"v{binary}", binary=binary)
        check(vector_files.read(tmp_path / f"v{binary}", PLACE))


@pytest.fixture(scope="module")
def fasttext(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    sentences = [["tax", "taxes", "income"], ["war", "peace", "wär"], ["tax", "war", "x"]] * 5
    model = FastText(sentences, vector_size=6, min_count=1, bucket=50, epochs=1, seed=1, workers=1, min_n=1)
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path, model.wv


def test_a_fasttext_model_is_read_with_its_n_grams(fasttext: tuple[Path, Any]) -> None:
    path, oracle = fasttext
    words = ("tax", "wär", "taxed", "x")  # "taxed" is not in the model's dictionary
    found = vector_files.read(path, {word: number for number, word in enumerate(words)})
    assert found[0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found[1][:2], [oracle["tax"], oracle["wär"]], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found[1][2:], [oracle["taxed"], oracle["x"]], rtol=1e-4, atol=1e-6)


def test_a_fasttext_model_that_ends_early_is_refused(fasttext: tuple[Path, Any], tmp_path: Path) -> None:
    content = fasttext[0].read_bytes()
    for size in (20, 100, 1500):
        (tmp_path / "short.bin").write_bytes(content[:size])
        with pytest.raises(InputError, match="ends early"):
            vector_files.read(tmp_path / "short.bin", PLACE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("tax 1 2 3\nwar 1 2\n", r"expected 3 numbers after the word in .*line 2, got 2"),
        ("tax 1 2 3\nother 1 2 3 4\n", r"line 2, got 4"),
        ("9 3\ntax 1 2 3\nwar 1 2\n", r"line 3, got 2"),
        ("tax 1 2 3\nwar 1 two 3\n", r"finite numbers in .*line 2"),
        ("tax\tsteuer\nwar\tkrieg\n", "a dictionary has the codes of its languages in the first line"),
        ("tax 1 2 3\nwar 1 nan 3\n", r"finite numbers in .*line 2"),
        ("impôt 1 2 3\nguerre 1 2 3\n", r"no word of the vocabulary \('tax' ...\) has a vector"),
        (
            "3430\n6906\n353160\n1 61 2\n",
            r"expected word vectors in .*v.txt, .* got one word alone in line 1",
        ),
        ("", "no word of the vocabulary"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.txt").write_text(content)
    with pytest.raises(InputError, match=message):
        related_words.load(tmp_path / "v.txt", WORDS)


def test_words_with_spaces_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("tax 1 2 3\n. . . 1 2 3\nwar 1 2 3\n")
    assert vector_files.read(tmp_path / "v.txt", PLACE)[0].tolist() == [0, 2]


@pytest.mark.parametrize("size", [3, 10, len(word2vec(False)) - 1])
def test_a_binary_file_that_ends_early_is_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "v.bin").write_bytes(word2vec(False)[:size])
    with pytest.raises(InputError, match=r"got an end in vector|a first line"):
        vector_files.read(tmp_path / "v.bin", PLACE)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(text(False).encode())[:-9])
    with pytest.raises(InputError, match="cannot read the word vectors"):
        vector_files.read(tmp_path / "v.txt.gz", PLACE)


def wheel(folder: Path, vocabulary: dict[str, int]) -> None:
    """The files of the wheel, with these tokens."""
    from safetensors.numpy import save_file

    for name in ("tokenizers", "weights"):
        (folder / name).mkdir()
    save_file({token_table.TABLE: ROWS.astype(np.float16)}, folder / "weights" / "small.safetensors")
    content = json.dumps({"model": {"vocab": vocabulary}}, ensure_ascii=False)
    (folder / "tokenizers" / "small.json").write_text(content, "utf-8")


def test_the_token_table_of_a_wheel_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # "taxes" does not begin a word, "Tax" is not needed, "War" is, and "es" is the longest end of "taxes".
    wheel(tmp_path, {"▁Tax": 0, "taxes": 0, "▁War": 1, "s": 0, "es": 2, "▁tax": 3, "▁t": 0})
    monkeypatch.setattr(token_table, "folder", lambda: tmp_path)
    known, rows = token_table.read(PLACE)
    assert known.tolist() == [0, 1, 2]
    np.testing.assert_allclose(rows, [ROWS[3], ROWS[[3, 2]].mean(axis=0), ROWS[1]], rtol=1e-3, atol=1e-3)
    relation = related_words.load("default", WORDS)
    assert (relation.source, len(relation.sha256)) == ("wordllama", 64)
    with pytest.raises(InputError, match="no word of the vocabulary consists of tokens"):
        related_words.load("wordllama", ("impôt",))


def test_a_wheel_with_other_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_table, "folder", lambda: tmp_path)
    with pytest.raises(InputError, match=r"expected tokenizers/\*.json in .*, got none; install it again"):
        related_words.load("wordllama", WORDS)
    wheel(tmp_path, {"▁tax": 0})
    (tmp_path / "tokenizers" / "small.json").write_text("[]")
    with pytest.raises(InputError, match="expected a tokenizer and a table of vectors"):
        related_words.load("wordllama", WORDS)
    (tmp_path / "tokenizers" / "small.json").write_text('{"model": {"vocab": {"▁tax": 4}}}', "utf-8")
    with pytest.raises(InputError, match="expected a tokenizer and a table of vectors"):
        related_words.load("wordllama", WORDS)
    (tmp_path / "weights" / "small.safetensors").write_bytes(b"no table")
    with pytest.raises(InputError, match="expected a tokenizer and a table of vectors"):
        related_words.load("wordllama", WORDS)


@pytest.mark.skipif(token_table.folder() is None, reason="needs the extra `vectors`")
def test_the_extra_relates_words_out_of_the_box() -> None:
    words = ("court", "judge", "soviet", "russian", "hospital", "doctors")
    relation = related_words.load("default", words)
    assert (relation.source, relation.n_known) == ("wordllama", 6)
    weights = relation.weights.toarray() - np.eye(len(words))
    assert weights.argmax(axis=1).tolist() == [1, 0, 3, 2, 5, 4]
