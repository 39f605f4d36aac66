"""Nothing leaks sideways: a secret in documents, file names and exceptions never reaches the coordinator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from network.rehearsal import Direct, Rehearsal, simulated

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.messages import Reply
from fedtopics.privacy.words import Agreement

SECRET = "zyzzogeton"
PARTIES = ("north", "south", "west")
FRUIT, TOOLS = "apple pear plum cherry grape", "hammer nail saw drill screw"


def corpora() -> dict[str, Corpus]:
    """Documents on two topics; one document of north holds the secret."""
    texts = {name: [FRUIT, TOOLS] * 60 for name in PARTIES}
    texts["north"][0] = f"{FRUIT} {SECRET}"
    return {
        name: Corpus.from_texts(own, ids=[f"{SECRET}-{i}" for i in range(120)], min_df=1, max_df=1.0)
        for name, own in texts.items()
    }


def rehearsal(folder: Path) -> Rehearsal:
    method = methods.make("calm", n_topics=2, n_rounds=3, epsilon=8.0)
    agreement = Agreement(8.0, 1e-3, min_parties=2)
    given = corpora()
    return Rehearsal(folder, replace(simulated(method, given), words=None, agreement=agreement), given)


def contents(stage: Rehearsal, heard: list[bytes]) -> Iterator[bytes]:
    """Everything that reached the coordinator: messages as sent and unpacked, its files, its log."""
    for answer in heard:
        yield answer
        reply = Reply.from_bytes(answer)
        if reply.body:
            yield from (array.tobytes() for array in wire.unpack(reply.body, limit=10**8).values())
    for path in stage.folder.glob("run/**/*"):
        yield path.name.encode()
        if path.is_file():
            yield path.read_bytes()
    yield "\n".join(stage.lines).encode()


def assert_unseen(stage: Rehearsal, heard: list[bytes]) -> None:
    pieces = [SECRET.encode(), SECRET.encode("utf-16-le"), SECRET.encode().hex().encode()]
    for content in contents(stage, heard):
        assert not any(piece in content for piece in pieces), content[:200]


def test_a_word_of_one_document_does_not_leave(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path)
    channel = Direct(stage.sides, in_full=True)
    end = stage.trained(channel=channel)
    assert {"apple", "hammer"} <= set(end.words or ())
    assert_unseen(stage, channel.heard)
    assert SECRET in stage.corpora["north"].vocabulary


def test_the_test_can_find_what_leaves(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path)
    stage.lines.append(f"party north failed: {SECRET}")
    with pytest.raises(AssertionError):
        assert_unseen(stage, [])


class SecretError(InputError):
    """An exception whose text holds a document."""


@pytest.mark.parametrize("place", ["reading", "contributing", "keeping"])
def test_the_text_of_an_exception_stays_at_the_party(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SecretError(f"cannot read /home/{SECRET}.csv, line 3: {FRUIT} {SECRET}")

    stage = rehearsal(tmp_path)
    north = stage.sides["north"]
    if place == "reading":
        north.read = fail  # type: ignore[assignment, return-value]
    elif place == "contributing":
        north.terms = replace(north.terms, method=Failing(fail, north.terms.method))
    else:
        monkeypatch.setattr(north.store, "commit", fail)
    channel = Direct(stage.sides, in_full=True)
    stage.trained(channel=channel)
    assert_unseen(stage, channel.heard)
    assert any("party north: no" in line and "it failed while it worked" in line for line in stage.lines)
    assert not any("SecretError" in line for line in stage.lines)


class Failing:
    """A method that fails at the party."""

    def __init__(self, contribute: object, method: object) -> None:
        self.contribute, self.method = contribute, method

    def __getattr__(self, name: str) -> object:
        return getattr(self.method, name)


def test_what_is_not_a_release_says_nothing_of_the_documents(tmp_path: Path) -> None:
    """Hello and the like are answered alike by parties with other documents, and other numbers of them."""
    stage = rehearsal(tmp_path)
    stage.sides["south"].read = lambda: corpora()["south"].select(range(7))
    channel = Direct(stage.sides, in_full=True)
    stage.trained(channel=channel)
    plain: dict[str, set[int]] = {}
    for reply in map(Reply.from_bytes, channel.heard):
        if reply.operation in ("hello", "vocabulary"):
            plain.setdefault(reply.operation, set()).add(len(reply.body))
    assert all(len(sizes) == 1 for sizes in plain.values())
    assert set(plain) == {"hello", "vocabulary"}
