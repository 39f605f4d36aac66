"""A saved model comes back bit for bit; one that was touched does not come back at all."""

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load, save

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS, WORDS, _content_hash

CARD = {"method": "pooled", "n_docs": 12, "privacy": {"basis": "none"}}


@pytest.fixture
def model():
    counts = np.random.default_rng(5).poisson(3.0, (4, 6))
    words = ["tax", "wär", "戦争", "law", "a b", "🙂"]
    return TopicModel.from_counts(counts, words, alpha=[0.1, 0.2, 0.3, 0.4], card=CARD)


def forge(directory, numbers=None, **changes):
    """Change a saved model and give it the hash that fits, as one who edits on purpose would."""
    content = numbers if numbers is not None else (directory / NUMBERS).read_bytes()
    described = json.loads((directory / WORDS).read_text()) | changes
    described.pop("sha256")
    described["sha256"] = _content_hash(content, described)
    (directory / NUMBERS).write_bytes(content)
    (directory / WORDS).write_text(json.dumps(described))


def test_what_was_saved_is_loaded(model, tmp_path):
    model = model.set_topic_labels({2: "Ä"})
    model.save(tmp_path / "new" / "place")
    loaded = TopicModel.load(tmp_path / "new" / "place")
    assert loaded.topic_word.tobytes() == model.topic_word.tobytes()
    assert loaded.alpha.tobytes() == model.alpha.tobytes()
    assert loaded.topic_shares.tobytes() == model.topic_shares.tobytes()
    assert (loaded.vocabulary, loaded.labels, loaded.card) == (model.vocabulary, model.labels, model.card)


def test_saving_twice_gives_the_same_files(model, tmp_path):
    hashes = set()
    for name in ("one", "two"):
        model.save(tmp_path / name)
        hashes.add(hashlib.sha256((tmp_path / name / NUMBERS).read_bytes()).hexdigest())
        hashes.add(hashlib.sha256((tmp_path / name / WORDS).read_bytes()).hexdigest())
    assert len(hashes) == 2


def test_nothing_is_overwritten_unasked(model, tmp_path):
    model.save(tmp_path)
    before = (tmp_path / WORDS).read_bytes()
    with pytest.raises(InputError, match="overwrite"):
        model.set_topic_labels({0: "other"}).save(tmp_path)
    assert (tmp_path / WORDS).read_bytes() == before
    model.set_topic_labels({0: "other"}).save(tmp_path, overwrite=True)
    assert TopicModel.load(tmp_path).label(0) == "other"
    assert sorted(path.name for path in tmp_path.iterdir()) == [WORDS, NUMBERS]


@pytest.mark.parametrize("name", [NUMBERS, WORDS])
def test_one_changed_byte_is_refused(model, tmp_path, name):
    model.save(tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    place = content.index(b"pooled") if name == WORDS else -3
    content[place] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="hash"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize("name", [NUMBERS, WORDS])
def test_a_missing_file_is_named(model, tmp_path, name):
    model.save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match=f"no {name}"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"schema": "other/1"}', "[" * 100_000, "\udcff"])
def test_a_description_that_is_none_is_refused(model, tmp_path, content):
    model.save(tmp_path)
    (tmp_path / WORDS).write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match="expected"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("topic_word", np.full((4, 6), np.nan)),
        ("topic_word", np.full((4, 6), 1.0)),
        ("topic_word", np.full((4, 5), 0.2)),
        ("alpha", np.full(3, 0.1)),
        ("alpha", np.full(4, np.inf)),
        ("topic_shares", np.full(5, 0.2)),
    ],
)
def test_forged_numbers_are_refused_even_with_the_right_hash(model, tmp_path, name, value):
    model.save(tmp_path)
    arrays = load((tmp_path / NUMBERS).read_bytes())
    forge(tmp_path, save(arrays | {name: value}))
    with pytest.raises(InputError, match="expected"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize(
    "changes", [{"vocabulary": ["a"] * 6}, {"vocabulary": [1, 2, 3, 4, 5, 6]}, {"labels": ["a"]}]
)
def test_forged_descriptions_are_refused_even_with_the_right_hash(model, tmp_path, changes):
    model.save(tmp_path)
    forge(tmp_path, **changes)
    with pytest.raises(InputError, match="expected"):
        TopicModel.load(tmp_path)


def test_numbers_that_are_no_safetensors_or_incomplete_are_refused(model, tmp_path):
    model.save(tmp_path)
    forge(tmp_path, b"\x80\x04pickle")
    with pytest.raises(InputError, match="safetensors"):
        TopicModel.load(tmp_path)
    header = b'{"alpha":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}'
    forge(tmp_path, len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(InputError, match="safetensors"):
        TopicModel.load(tmp_path)
    forge(tmp_path, save({"alpha": np.ones(4)}))
    with pytest.raises(InputError, match="topic_word"):
        TopicModel.load(tmp_path)
