"""Texts cut into words on all cores: batches go to worker processes and come back in order.

A worker is this file run as a program. It is told the language and what sentences are, reads lists of texts
from its standard input and answers with `numbering.Part`s; it never sees anything but texts. The first
`ALONE` characters are cut here, so that small inputs wait for no process, and so is all that only this
process can do: the tokenizers of others. Batches under way are bounded, and with them the memory.
"""

import marshal
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Any, TypeVar

import numpy as np

from fedtopics.documents.text.numbering import Part, Splitter, numbered
from fedtopics.documents.text.tokens import PlainTokenizer, SentenceSplitter, Tokenizer, paragraphs

BATCH = 2**20  # characters
ALONE = 8  # batches that are cut here
MOST_DOCUMENTS = 10_000  # of a batch
PARAGRAPHS, NOTHING = "paragraphs", "nothing"
T = TypeVar("T")


def parts(texts: Iterable[str], tokenizer: Tokenizer, splitter: Splitter | None) -> Iterator[Part]:
    """The documents of all texts, batch after batch, whichever core has cut them."""
    batches = batched(texts, len, BATCH, MOST_DOCUMENTS)
    for batch in islice(batches, ALONE):
        yield numbered(batch, tokenizer, splitter)
    command = _command(tokenizer, splitter)
    first = next(batches, None)
    if first is None:
        return
    rest = chain([first], batches)
    if command is None or n_cores() < 2:
        for batch in rest:
            yield numbered(batch, tokenizer, splitter)
        return
    with _Workers(command, n_cores()) as workers:
        for batch, answer in workers.answers(rest):
            # What a worker could not do is done here, where an error is the caller's own.
            yield answer if answer is not None else numbered(batch, tokenizer, splitter)


def n_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batched(
    each: Iterable[T], size_of: Callable[[T], int], n_characters: int, most: int
) -> Iterator[list[T]]:
    """What comes one by one, some at a time: up to `most`, or about `n_characters` together."""
    batch: list[T] = []
    size = 0
    for one in each:
        batch.append(one)
        size += size_of(one)
        if size >= n_characters or len(batch) == most:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _command(tokenizer: Tokenizer, splitter: Splitter | None) -> list[str] | None:
    """What starts a worker with the same rules; None where no other process has them."""
    if not isinstance(tokenizer, PlainTokenizer) or not sys.executable:
        return None
    if splitter is None or splitter is paragraphs:
        sentences = NOTHING if splitter is None else PARAGRAPHS
    elif splitter == SentenceSplitter(tokenizer.language):
        sentences = "sentences"
    else:
        return None
    return [sys.executable, "-P", "-m", __name__, tokenizer.language, sentences]


class _Workers:
    """So many processes, each with a thread here that writes to it and waits for its answer."""

    def __init__(self, command: list[str], number: int) -> None:
        self._command, self._number = command, number
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "_Workers":
        with suppress(OSError):  # fewer do as well, or none
            self._start()
        self._threads = ThreadPoolExecutor(self._number)
        return self

    def _start(self) -> None:
        for _ in range(self._number):
            pipe = subprocess.PIPE
            worker = subprocess.Popen(  # noqa: S603 - this file
                self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
            )
            self._all.append(worker)
            self._idle.put(worker)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for worker in self._all:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    with suppress(OSError):  # what it was still to read, if it has ended
                        pipe.close()
            worker.wait()

    def answers(self, batches: Iterable[list[str]]) -> Iterator[tuple[list[str], Part | None]]:
        """Each batch and what became of it, in their order; None where its worker failed."""
        under_way: deque[tuple[list[str], Future[Part | None]]] = deque()
        for batch in batches:
            under_way.append((batch, self._threads.submit(self._asked, batch)))
            if len(under_way) > 2 * self._number:
                sent, answer = under_way.popleft()
                yield sent, answer.result()
        for sent, answer in under_way:
            yield sent, answer.result()

    def _asked(self, batch: list[str]) -> Part | None:
        if not self._all:
            return None
        worker = self._idle.get()
        try:
            if worker.stdin is None or worker.stdout is None:
                return None
            _send(worker.stdin, batch)
            answer = _received(worker.stdout)
        except (OSError, EOFError, ValueError):
            return None
        finally:
            self._idle.put(worker)
        if answer is None:
            return None
        words, *bounds, vocabulary = answer
        offsets, sentences, documents = (np.frombuffer(content, np.int64) for content in bounds)
        return Part(np.frombuffer(words, np.int32), offsets, sentences, documents, vocabulary)


def _send(pipe: IO[bytes], content: Any) -> None:
    raw = marshal.dumps(content)
    pipe.write(len(raw).to_bytes(8, "little"))
    pipe.write(raw)
    pipe.flush()


def _received(pipe: IO[bytes]) -> Any:
    """What the process at the other end, our parent or our child, has sent."""
    size = pipe.read(8)
    if len(size) < 8:
        raise EOFError
    return marshal.loads(pipe.read(int.from_bytes(size, "little")))  # noqa: S302 - our own process


def work(language: str, sentences: str) -> None:
    """Answer until the input ends."""
    splitter: Splitter | None = None
    if sentences != NOTHING:
        splitter = paragraphs if sentences == PARAGRAPHS else SentenceSplitter(language)
    while True:
        try:
            texts = _received(sys.stdin.buffer)
        except EOFError:
            return
        try:
            part = numbered(texts, PlainTokenizer(language), splitter)
        except Exception:  # the parent meets it again and says what it is
            _send(sys.stdout.buffer, None)
            continue
        bounds = (part.offsets, part.sentence_offsets, part.document_sentences)
        _send(sys.stdout.buffer, (part.words.tobytes(), *map(bytes, bounds), part.vocabulary))


if __name__ == "__main__":
    work(*sys.argv[1:])
