"""Where the tokens of a corpus lie while a GPU samples them: on the card, or as much as fits at a time.

Records lie word by word within a block of documents. One block holds the whole corpus where the card has room
for it. Else they wait in the computer's memory: a pass over the documents brings one block after the other, a
pass over the words brings a range of words from all blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import _native, word_order
from fedtopics.sampling.gpu import launches
from fedtopics.sampling.gpu.device import NULL, Buffer, Device

THREADS = 256
TEAMS = THREADS // launches.LANES


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents or words on the card, the first of them number `first`: begin at `offsets`, lie in `records`.

    `places` says where each token's record is; NULL: they are in this order. `short` and `long` are the
    numbers of the rows of either kind.
    """

    first: int
    offsets: Buffer
    short: Buffer
    long: Buffer
    places: Buffer | np.uint64
    records: Buffer


class Block:
    """Documents `first` to `last` of a corpus: `starts` says where the records of each word begin."""

    def __init__(self, corpus: Corpus, first: int, last: int) -> None:
        self.first, self.begin, self.end = first, int(corpus.offsets[first]), int(corpus.offsets[last])
        self.offsets = corpus.offsets[first : last + 1] - self.begin
        if self.n_tokens == corpus.n_tokens:
            by_word = word_order.of(corpus)
            self.starts, self.slots, order = by_word.offsets, by_word.slots, by_word.order
        else:
            self.starts = np.zeros(corpus.n_words + 1, np.int64)
            order = np.zeros(self.n_tokens + word_order.PADDING, np.int32)
            self.slots = np.zeros(self.n_tokens, np.int32)
            words = np.ascontiguousarray(corpus.words[self.begin : self.end])
            _native.order_by_word(words, self.offsets, self.starts, order, self.slots)
        self.order = order[: self.n_tokens]

    @property
    def n_tokens(self) -> int:
        return self.end - self.begin


class Records:
    """The records of a whole `corpus`, and passes over them."""

    def __init__(self, device: Device, corpus: Corpus, n_topics: int) -> None:
        self._device, self.n_words = device, corpus.n_words
        room = launches.tokens_at_once(device.card.memory, corpus.n_docs, corpus.n_words, n_topics)
        bounds = [(0, corpus.n_docs)]
        if corpus.n_tokens > room:
            bounds = launches.parts(corpus.lengths, room, "document")
        self.blocks = [Block(corpus, *bound) for bound in bounds]
        self.room = corpus.n_tokens if self.is_resident else room
        self._records = device.empty((self.room, 4), np.uint16)
        self._places = device.empty((self.room,), np.uint32)
        self.topics = device.empty((self.room,), np.uint16)  # what the tokens of a row become
        self._known: dict[int, tuple[Buffer, Buffer, Buffer]] = {}
        if self.is_resident:
            self._find_places(self.blocks[0])
            return
        self._kept = [device.host_empty((block.n_tokens, 4), np.uint16) for block in self.blocks]
        self._kept_places = []
        for block in self.blocks:
            self._find_places(block)
            self._kept_places.append(device.get(self._places[: block.n_tokens]))
        lengths = np.sum([np.diff(block.starts) for block in self.blocks], axis=0)
        self._ranges = launches.parts(lengths, room, "word")

    @property
    def is_resident(self) -> bool:
        return len(self.blocks) == 1

    def by_document(self, *, fresh: bool = False) -> Iterator[tuple[Block, Rows]]:
        """Each block and its rows; what is done to their records stays. `fresh`: they hold nothing yet."""
        for number, block in enumerate(self.blocks):
            records, places = self._records[: block.n_tokens], self._places[: block.n_tokens]
            if not self.is_resident:
                self._device.put_into(places, self._kept_places[number])
                if not fresh:
                    self._device.put_into(records, self._kept[number])
            yield block, Rows(block.first, *self._rows(number, block.offsets), places, records)
            if not self.is_resident:
                self._device.get(records, self._kept[number])

    def by_word(self) -> Iterator[Rows]:
        """The words, some or all of them at a time; what is done to their records stays."""
        if self.is_resident:
            yield Rows(0, *self._rows(-1, self.blocks[0].starts), NULL, self._records)
            return
        for first, last in self._ranges:
            # Words of each block lie side by side there: their records come as one piece, block after block.
            starts = np.stack([block.starts[first : last + 1] for block in self.blocks])
            ends = np.cumsum(starts[:, -1] - starts[:, 0])
            begins = np.concatenate(([0], ends[:-1]))
            offsets = np.concatenate(([0], np.cumsum(np.diff(starts, axis=1).sum(axis=0))))
            pieces = [
                (self._records[begin:end], kept[own[0] : own[-1]])
                for begin, end, kept, own in zip(begins, ends, self._kept, starts, strict=True)
            ]
            for room, kept in pieces:
                self._device.put_into(room, kept)
            rows, n_words, n = self._new_rows(offsets), last - first, int(offsets[-1])
            here = self._device.put((starts - starts[:, :1] + begins[:, None]).astype(np.uint32))
            given = (here, rows[0], self._places, np.int32(len(self.blocks)), np.int32(n_words))
            self._device.launch("rows.cu", "find_pieces", -(-n_words // TEAMS), THREADS, given)
            yield Rows(first, *rows, self._places[:n], self._records[:n])
            for room, kept in pieces:
                self._device.get(room, kept)

    def _rows(self, number: int, offsets: NDArray[np.int64]) -> tuple[Buffer, Buffer, Buffer]:
        """Those of a block, or of all words (-1), kept on the card where they stay there."""
        if not self.is_resident:
            return self._new_rows(offsets)
        if number not in self._known:
            self._known[number] = self._new_rows(offsets)
        return self._known[number]

    def _new_rows(self, offsets: NDArray[np.int64]) -> tuple[Buffer, Buffer, Buffer]:
        rows = launches.ByLength.of(np.diff(offsets))
        return self._device.put(offsets), self._device.put(rows.short), self._device.put(rows.long)

    def _find_places(self, block: Block) -> None:
        """The records' own room holds the order meanwhile."""
        order = self._records[: block.n_tokens].reshape(-1).view(np.int32)[: block.n_tokens]
        self._device.put_into(order, block.order)
        arguments = (order, self._places, np.int64(block.n_tokens))
        self._device.launch("rows.cu", "find_places", -(-block.n_tokens // THREADS), THREADS, arguments)
