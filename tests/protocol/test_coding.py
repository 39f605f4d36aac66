"""Arrays as blocks: what was coded comes back, whatever is known; other bytes are refused."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fedtopics.protocol import _coder
from fedtopics.protocol.coding import (
    CHANGED,
    COUNTED,
    KNOWN,
    NONE,
    NOTHING,
    CodingError,
    Known,
    decoded,
    encoded,
    n_bytes,
)

INT = np.dtype(np.int32)
numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3) | st.integers(0, 300)
planes = st.integers(0, 60).flatmap(
    lambda n: st.tuples(*(arrays(np.int32, n, elements=numbers) for _ in range(3)))
)


class Reference:
    """The coder of `_core`, read by its description: adaptive bits between two 32-bit limits."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place, self.low, self.high = content, 4, 0, 2**32 - 1
        self.code = int.from_bytes(content[:4], "big")
        self.models: dict[object, tuple[int, int]] = {}

    def bit(self, model: object) -> int:
        one, seen = self.models.get(model, (2**15, 0))
        width = self.high - self.low
        share = min(max(one, 32), 65504)
        middle = self.low + (width >> 16) * share + ((width & 0xFFFF) * share >> 16)
        value = int(self.code <= middle)
        self.low, self.high = (self.low, middle) if value else (middle + 1, self.high)
        rate = min(seen + 2, 6) if seen < 5 else 6
        one = one + (65535 - one >> rate) if value else one - (one >> rate)
        self.models[model] = one, min(seen + 1, 6)
        while self.low >> 24 == self.high >> 24:
            following = self.content[self.place] if self.place < len(self.content) else 0
            self.low, self.high = self.low << 8 & 2**32 - 1, (self.high << 8 | 255) & 2**32 - 1
            self.code, self.place = (self.code << 8 | following) & 2**32 - 1, self.place + 1
        return value

    def plane(self, size: int, known: list[int] | None, last: list[int] | None) -> list[int]:
        found, before, beside = [], 0, 0
        for place in range(size):
            old, step = 0 if known is None else known[place], 0 if last is None else last[place]
            shown = before if known is None else old % 2**32
            kind = min(shown.bit_length(), 11), min(abs(step).bit_length(), 4) * (-1 if step < 0 else 1)
            amount, value = 0, old
            if self.bit(("changed", *kind, min(beside, 3))):
                down = self.bit(("down", old > 0, kind[1]))
                amount = self.amount(kind)
                value = (old + (-amount if down else amount) + 2**31) % 2**32 - 2**31
            before = (before + value) % 2**32 // 2
            beside = (beside + 1) // 2 + 2 * (amount != 0)
            found.append(value)
        return found

    def amount(self, kind: tuple[int, int]) -> int:
        length = 1
        while length < 32 and self.bit(("longer", *kind, length)):
            length += 1
        value = 1
        for left in range(length - 2, -1, -1):
            deep = left > 3 and left < length - 2
            mantissa = ("mantissa", length, left, 0 if left == length - 2 else value & 1)
            value = value << 1 | self.bit("even" if deep else mantissa)
        return value


@given(planes)
def test_a_plane_comes_back_and_is_read_as_the_reference_reads_it(
    given_planes: tuple[np.ndarray, ...],
) -> None:
    values, known, last = given_planes
    for old, step in ((NONE, NONE), (known, NONE), (known, last)):
        content = _coder.encode(values, old, step)
        found = np.empty_like(values)
        assert _coder.decode(content, found, old, step)
        assert found.tolist() == values.tolist()
        reference = Reference(content)
        told = [array.tolist() if array.size else None for array in (old, step)]
        if values.size:
            assert reference.plane(values.size, *told) == values.tolist()
            assert reference.place == len(content)


@given(planes, st.sampled_from(["<i4", "<i8", "<u4", "<i2", "<f4"]))
def test_what_is_encoded_by_what_is_known_is_decoded_by_it(planes: tuple[np.ndarray, ...], kind: str) -> None:
    first, second, third = (np.tile(plane, 9).astype(kind) for plane in planes)
    known = Known({"n": first}).after({"n": second})
    for array in (first, second, third):
        coding, block = encoded("n", array, known)
        found = decoded("n", coding, array.dtype, array.size, block, known)
        assert found.tobytes() == array.tobytes()
        assert found.dtype == array.dtype


def test_small_changes_take_little_and_none_nothing() -> None:
    rng = np.random.default_rng(0)
    first = rng.poisson(3.0, (500, 40)).astype(np.int32)
    second = first + (rng.random(first.shape) < 0.02)
    known = Known({"n": first})
    whole, change = encoded("n", first), encoded("n", second.astype(np.int32), known)
    assert (whole[0], change[0]) == (COUNTED, CHANGED)
    assert len(whole[1]) < 1.05 * first.size * 2.80 / 8  # bits of a Poisson number of mean 3, and 5 %
    assert len(change[1]) < 1.25 * first.size * 0.1414 / 8  # of one in 50, learned as it goes
    assert encoded("other", first, known) == (KNOWN, b"n")
    assert n_bytes({"other": first}, known) == 1


def test_what_is_known_has_a_name_of_its_own() -> None:
    one, other = Known({"n": np.arange(3)}), Known({"n": np.arange(1, 4)})
    assert len({NOTHING.digest, one.digest, other.digest, one.after(other.arrays).digest}) == 4
    assert one.digest == Known({"n": np.arange(3)}).digest
    assert one.after({"n": np.arange(4)}).digest == Known({"n": np.arange(4)}).digest


@settings(max_examples=300)
@given(st.binary(max_size=80), st.integers(0, 3000), st.sampled_from([COUNTED, CHANGED, KNOWN]))
def test_random_bytes_are_refused_or_are_numbers(content: bytes, size: int, coding: str) -> None:
    known = Known({"n": np.zeros(500, np.int32)})
    try:
        found = decoded("n", coding, INT, size, content, known)
    except CodingError:
        return
    assert found.shape == (size,)
    assert coding == COUNTED or size == 500


def test_bytes_that_are_cut_off_or_too_many_are_refused() -> None:
    values = np.random.default_rng(1).poisson(5.0, 400).astype(np.int32)
    block = _coder.encode(values, NONE, NONE)
    for bent in (block[:-1], block[: len(block) // 2], b"", block + b"\0"):
        with pytest.raises(CodingError, match="as many bytes as array"):
            decoded("n", COUNTED, INT, 400, bent)


def test_a_reference_that_is_not_there_is_refused() -> None:
    known = Known({"n": np.arange(400, dtype=np.int32), "x": np.ones(400)})
    block = _coder.encode(np.arange(400, dtype=np.int32), known.arrays["n"], NONE)
    for name, size, kind in (("m", 400, INT), ("n", 399, INT), ("x", 400, INT), ("n", 400, np.dtype("<f4"))):
        with pytest.raises(CodingError, match="expected integers that are known already"):
            decoded(name, CHANGED, kind, size, block, known)
    for content, kind in ((b"m", INT), (b"\xff\xfe", INT), (b"n", np.dtype("<i8"))):
        with pytest.raises(CodingError, match="of the last message"):
            decoded("n", KNOWN, kind, 400, content, known)


def test_a_few_bytes_that_announce_much_are_refused_quickly() -> None:
    began = perf_counter()
    with pytest.raises(CodingError):
        decoded("n", COUNTED, INT, 10**7, b"\0" * 40)
    assert perf_counter() - began < 5


def test_references_of_other_sizes_never_reach_the_coder() -> None:
    plane = np.zeros(4, np.int32)
    with pytest.raises(ValueError, match="as long as the plane"):
        _coder.encode(plane, plane[:3].copy(), NONE)
    with pytest.raises(ValueError, match="as long as the plane"):
        _coder.decode(b"", plane, plane.copy(), plane[:3].copy())
