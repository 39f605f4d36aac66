"""A model folder made to deceive, with hashes that fit, is refused by one clear line."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.fuzzer import limits
from safetensors.numpy import load, save

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS, WORDS, _content_hash

MODEL = TopicModel.from_counts([[3, 1, 0], [0, 1, 4]], ["tax", "wär", "law"], card={"method": "pooled"})
HEADER = {
    "alpha": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]},
    "topic_word": {"dtype": "F64", "shape": [2, 3], "data_offsets": [16, 64]},
}


def refused(folder: Path, numbers: bytes | None = None, words: dict[str, Any] | None = None) -> str:
    """What is said of the model after someone changed it and made its hash fit."""
    MODEL.save(folder)
    content = (folder / NUMBERS).read_bytes() if numbers is None else numbers
    described = json.loads((folder / WORDS).read_bytes()) | (words or {})
    described.pop("sha256")
    described["sha256"] = _content_hash(content, described)
    (folder / NUMBERS).write_bytes(content)
    (folder / WORDS).write_text(json.dumps(described))
    with pytest.raises(InputError) as error, limits():
        TopicModel.load(folder)
    assert str(error.value).isprintable()
    return str(error.value)


def framed(header: Any, data: bytes = bytes(64), length: int | None = None) -> bytes:
    written = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(written) if length is None else length) + written + data


def changed(name: str, **values: Any) -> bytes:
    return framed(HEADER | {name: HEADER[name] | values})


@pytest.mark.parametrize(
    "numbers",
    [
        changed("topic_word", data_offsets=[0, 48]),
        changed("topic_word", data_offsets=[16, 2**63]),
        changed("topic_word", data_offsets=[64, 16]),
        changed("topic_word", data_offsets=[-16, 32]),
        changed("topic_word", shape=[-2, -3]),
        changed("topic_word", shape=[2**32, 2**32]),
        changed("topic_word", shape=[0, 2**39, 2**39, 2**39], data_offsets=[16, 16]),
        changed("topic_word", shape=[2, 3.0]),
        changed("topic_word", dtype="F1024"),
        framed(HEADER, bytes(63)),
        framed(HEADER, bytes(65)),
        framed(HEADER, length=2**63),
        framed(HEADER, length=0),
        framed(HEADER, length=10**8),
        framed(b"[" * 100_000),
        framed(b'{"a":' * 100_000),
        framed(b"\xff" * 20),
        framed(None),
        b"",
    ],
    ids=range(19),
)
def test_a_header_that_lies_is_refused(tmp_path: Path, numbers: bytes) -> None:
    assert "expected safetensors in" in refused(tmp_path, numbers)


@pytest.mark.parametrize(
    ("name", "array", "told"),
    [
        ("topic_word", np.full((2, 3), np.nan), "expected probabilities"),
        ("topic_word", np.full((2, 3), np.inf), "expected probabilities"),
        ("topic_word", np.array([[2.0, -1.0, 0.0]] * 2), "expected probabilities"),
        ("topic_word", np.full((2, 3), 0.5), "divide each row by its sum"),
        ("topic_word", np.full((2, 4), 0.25), "expected topic_word of shape"),
        ("topic_word", np.full(6, 1 / 6), "expected topic_word of shape"),
        ("topic_word", np.full((0, 3), 1.0), "expected topic_word of shape"),
        ("topic_word", np.eye(3, dtype=np.int64)[:2], "expected float64 in 'topic_word'"),
        ("topic_word", np.full((2, 3), 1 / 3, np.float32), "expected float64 in 'topic_word'"),
        ("alpha", np.array([True, True]), "expected float64 in 'alpha'"),
        ("alpha", np.array([0.1, np.nan]), "positive numbers as alpha"),
        ("alpha", np.array([[0.1, 0.1]]), "positive numbers as alpha"),
        ("topic_shares", np.array([0.5, np.inf]), "shares of topics"),
        ("stranger", np.zeros(3, np.uint8), "expected float64 in 'stranger'"),
    ],
)
def test_numbers_that_are_no_topics_are_refused(
    tmp_path: Path, name: str, array: np.ndarray[Any, Any], told: str
) -> None:
    MODEL.save(tmp_path / "before")
    arrays = load((tmp_path / "before" / NUMBERS).read_bytes())
    assert told in refused(tmp_path, save(arrays | {name: array}))


@pytest.mark.parametrize(
    "words",
    [
        {"vocabulary": ["tax", "war"]},
        {"vocabulary": ["tax", "tax", "war"]},
        {"vocabulary": ["tax", "\ud800", "war"]},
        {"vocabulary": ["tax", 5, "war"]},
        {"vocabulary": ["tax", ["a"], "war"]},
        {"vocabulary": "tax"},
        {"vocabulary": {"tax": 0, "war": 1, "law": 2}},
        {"vocabulary": None},
        {"labels": ["a", "\udfff"]},
        {"labels": "ab"},
        {"labels": 5},
        {"card": {"method": "\ud800"}},
        {"card": [["a", 1]]},
        {"card": {"epsilon": float("nan")}},
        {"language": ["en"]},
        {"language": "\ud800"},
        {"schema": "fedtopics.model/2"},
    ],
    ids=range(17),
)
def test_words_that_are_none_are_refused(tmp_path: Path, words: dict[str, Any]) -> None:
    assert "; " in refused(tmp_path, words=words)


def test_half_a_character_is_not_saved_and_nothing_is_left_behind(tmp_path: Path) -> None:
    model = replace(TopicModel.from_counts([[3, 1], [1, 3]], ["tax", "law"]), card={"of": "half\ud800"})
    with pytest.raises(InputError, match="expected words that a file can hold"):
        model.save(tmp_path / "new")
    assert not (tmp_path / "new").exists()
