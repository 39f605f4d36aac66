"""The word vectors that come with the package: small, harmless to read, and right about well-known words."""

import re
from pathlib import Path

import numpy as np
import pytest

from fedtopics.errors import InputError
from fedtopics.related_words import general_english

DATA = general_english.FILE.read_bytes()


def test_the_file_is_small_and_plain() -> None:
    assert len(DATA) < 2_000_000
    with np.load(general_english.FILE, allow_pickle=False) as file:
        assert sorted(file) == ["scale", "vectors", "words"]
        words, vectors, scale = file["words"], file["vectors"], file["scale"]
    spelled = words.tobytes().decode("ascii").split("\n")
    assert (words.dtype, vectors.dtype, scale.dtype, scale.shape) == (np.uint8, np.int8, np.float32, ())
    assert vectors.shape[1] == len(spelled) == len(set(spelled))
    assert all(re.fullmatch("[a-z]{2,20}", word) for word in spelled)
    assert scale > 0
    assert vectors.any(axis=0).all()


def test_unknown_words_are_zero_and_known_ones_keep_their_places() -> None:
    found = general_english.vectors(["xqzzy", "doctor", "", "Doctor", "doctor"])
    assert found.dtype == np.int8
    assert not found[[0, 2, 3]].any()
    with np.load(general_english.FILE) as file:
        place = file["words"].tobytes().decode().split("\n").index("doctor")
        np.testing.assert_array_equal(found[1], file["vectors"][:, place])
    np.testing.assert_array_equal(found[1], found[4])
    assert general_english.vectors([]).shape == (0, found.shape[1])


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("doctor", "nurse", "galaxy"),
        ("wheat", "corn", "lawyer"),
        ("software", "computer", "cancer"),
        ("hockey", "football", "inflation"),
        ("bank", "loan", "guitar"),
        ("church", "bishop", "engine"),
        ("film", "actor", "oxygen"),
        ("court", "judge", "recipe"),
    ],
)
def test_related_words_are_nearer(word: str, near: str, far: str) -> None:
    found = general_english.vectors([word, near, far]).astype(float)
    assert found.any(axis=1).all()
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1


def test_callers_cannot_change_what_others_read() -> None:
    general_english.vectors(["doctor"])[:] = 0
    assert general_english.vectors(["doctor"]).any()


@pytest.mark.parametrize("damage", ["missing", "empty", "text", "cut", "changed"])
def test_a_damaged_file_is_named(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    middle = len(DATA) // 2
    contents = {
        "empty": b"",
        "text": b"these are no vectors",
        "cut": DATA[:middle],
        "changed": DATA[:middle] + bytes(100) + DATA[middle + 100 :],
    }
    path = tmp_path / "general_english.npz"
    if damage in contents:
        path.write_bytes(contents[damage])
    monkeypatch.setattr(general_english, "FILE", path)
    with pytest.raises(InputError, match=r"cannot read the word vectors .*general_english\.npz.*install"):
        general_english.vectors(["doctor"])


WORDS = np.frombuffer(b"doctor\nnurse", np.uint8)


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"words": WORDS}, "vectors is not a file"),
        ({"words": np.array([["doctor"]], object), "vectors": np.zeros((3, 1), np.int8)}, "pickle"),
        ({"words": WORDS, "vectors": np.zeros((3, 3), np.int8)}, "for 2 words .* shape"),
        ({"words": WORDS, "vectors": np.zeros(2, np.int8)}, "for 2 words .* shape"),
        ({"words": WORDS, "vectors": np.zeros((3, 2))}, "for 2 words .* float64"),
    ],
)
def test_a_file_of_another_form_is_refused(
    arrays: dict[str, np.ndarray], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "general_english.npz"
    np.savez(path, **arrays)
    monkeypatch.setattr(general_english, "FILE", path)
    with pytest.raises(InputError, match=told):
        general_english.vectors(["doctor"])
