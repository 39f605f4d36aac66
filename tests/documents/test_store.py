"""A corpus in a folder: what comes back, and what is said of a folder that is damaged."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fedtopics import InputError
from fedtopics.documents import Corpus, concatenate, mapped, read, store
from fedtopics.documents.pieces import pieces
from fedtopics.sampling import lda

TEXTS = ["The dog barks. A cat sleeps.", "", "Cats and dogs! Dogs?", "Où est le café? Là."]
KNOWN = {
    "ids": "abcd",
    "parties": ["n", "s", "n", "n"],
    "labels": ["x", "y", "x", "ü\n"],
    "persons": ["p", "q", "p", "q"],
}


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, stop_words=False, min_df=1, max_df=1.0, **KNOWN)


@pytest.fixture
def folder(corpus: Corpus, tmp_path: Path) -> Path:
    store.save(corpus, tmp_path / "corpus")
    return tmp_path / "corpus"


def equal(one: Corpus, other: Corpus) -> bool:
    arrays = ("words", "offsets", "sentence_offsets", "document_sentences")
    columns = ("vocabulary", "ids", "labels", "parties", "persons", "language", "sentence_unit")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays) and all(
        getattr(other, name) == getattr(one, name) for name in columns
    )


def test_what_is_saved_comes_back_and_lies_on_the_disk(corpus: Corpus, folder: Path) -> None:
    opened = read(folder)
    assert equal(corpus, opened)
    assert mapped.is_mapped(opened.words)
    assert not opened.words.flags.writeable


def test_bags_of_words_without_anything_known_come_back(tmp_path: Path) -> None:
    corpus = Corpus.from_sparse([[2, 0], [0, 1], [0, 0]], ["tax", "war"])
    store.save(corpus, tmp_path / "bags")
    opened = read(tmp_path / "bags")
    assert opened.sentence_offsets is None
    assert opened.ids is None
    assert opened.words.tolist() == [0, 0, 1]
    assert opened.offsets.tolist() == [0, 2, 3, 3]


@pytest.mark.parametrize(
    "change",
    [
        lambda corpus: corpus.select([3, 0, 0]),
        lambda corpus: corpus.select(np.array([True, False, True, True])),
        lambda corpus: corpus.with_vocabulary(("cats", "dogs", "café")),
        lambda corpus: concatenate([corpus, corpus]),
        lambda corpus: corpus.split(0.5, seed=3)[0],
    ],
)
def test_what_is_made_of_it_is_the_same_and_on_the_disk(
    corpus: Corpus, folder: Path, change: Callable[[Corpus], Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped, "AT_ONCE", 3)  # several blocks
    made = change(read(folder))
    assert equal(change(corpus), made)
    assert mapped.is_mapped(made.words) or not made.n_tokens
    assert np.array_equal(made.to_sparse().toarray(), change(corpus).to_sparse().toarray())
    assert made.document_frequency().tolist() == change(corpus).document_frequency().tolist()


def test_pieces_are_all_documents_in_order(corpus: Corpus, folder: Path) -> None:
    for given in (corpus, read(folder)):
        found = list(pieces(given, 4))
        assert len(found) > 1
        assert np.array_equal(np.concatenate([piece.words for piece in found]), corpus.words)
        assert [name for piece in found for name in piece.ids or ()] == list(corpus.ids or ())


def test_words_can_be_left_out_but_texts_are_not_read_again(folder: Path) -> None:
    assert read(folder, max_words=2).n_words == 2
    assert read(folder, vocabulary=["dog", "cat"]).words.tolist() == [0, 1]
    for asked in (
        {"text_column": "t"},
        {"tokenizer": str.split},
        {"language": "de"},
        {"sentences": "paragraphs"},
    ):
        with pytest.raises(InputError, match="fedtopics index"):
            read(folder, **asked)
    with pytest.raises(InputError, match="either vocabulary or max_words"):
        read(folder, vocabulary=["dog"], max_words=1)


def test_nothing_is_overwritten(corpus: Corpus, folder: Path) -> None:
    with pytest.raises(InputError, match="nothing is overwritten"):
        store.save(corpus, folder)


@pytest.mark.parametrize("name", ["words", "offsets", "sentence_offsets", "document_sentences", "vocabulary"])
def test_a_changed_byte_is_found_before_it_is_used(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[len(raw) // 2] ^= 64
    (folder / name).write_bytes(raw)
    with pytest.raises(InputError, match="index its source anew"):
        lda.start(read(folder), 2, seed=0)


@pytest.mark.parametrize("name", ["ids.letters", "ids.ends", "labels.codes"])
def test_a_changed_byte_of_what_is_known_is_found(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[-1] ^= 1
    (folder / name).write_bytes(raw)
    opened = read(folder)
    with pytest.raises(InputError, match="index its source anew"):
        list(getattr(opened, name.split(".")[0]))


@pytest.mark.parametrize("name", ["words", "offsets", "vocabulary", "persons.ends"])
def test_a_cut_or_missing_file_is_found_when_it_is_opened(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:-1])
    with pytest.raises(InputError, match="were written"):
        read(folder)
    (folder / name).unlink()
    with pytest.raises(InputError):
        read(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"n_tokens": 1},
        {"n_docs": "many"},
        {"files": {}},
        {"files": {"words": None, "offsets": None, "vocabulary": None}},
        {"language": 3},
    ],
)
def test_a_manifest_that_lies_is_refused(folder: Path, change: dict[str, object]) -> None:
    path = folder / store.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError):
        read(folder)


def test_numbers_that_were_wrong_from_the_start_reach_no_kernel(folder: Path, corpus: Corpus) -> None:
    """Checksums tell what changed; ranges are checked beside them, as anybody can write a folder."""
    wrong = corpus.words.copy()
    wrong[0] = 1_000_000
    file = folder / "words"
    file.write_bytes(wrong.tobytes())
    path = folder / store.MANIFEST
    described = json.loads(path.read_text())
    described["files"]["words"]["crc32"] = zlib.crc32(wrong.tobytes())
    path.write_text(json.dumps(described))
    for use in (lambda c: lda.start(c, 2, seed=0), lambda c: c.select([0]), lambda c: c.to_sparse()):
        with pytest.raises(InputError, match="below"):
            use(read(folder))


def test_what_others_mapped_is_theirs(tmp_path: Path) -> None:
    """A private mapping with changes in it would lose them if it were let go of."""
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(3, dtype=np.int32).tobytes())
    words = np.memmap(path, np.int32, mode="c")
    words[0] = 2
    mapped.forget(words)
    assert not mapped.is_mapped(words)
    assert Corpus(words, np.array([0, 3]), ("a", "b", "c")).words.tolist() == [2, 1, 2]
    with pytest.raises(InputError, match="below"):
        Corpus(words, np.array([0, 3]), ("a", "b"))


def test_a_full_disk_is_an_error_and_no_end(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mapped.os, "posix_fallocate", full, raising=False)
    with pytest.raises(InputError, match="TMPDIR"):
        mapped.zeros(10, np.int32, like=read(folder).words)
