"""A GPU as the samplers use it: memory, copies and launches. The only file that knows CuPy."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

DEVICES = ("cpu", "cuda", "auto")
OLDEST = (7, 5)  # compute capability: CUDA 13, which the extra brings, compiles for no older card
LIMIT = "FEDTOPICS_GPU_MEMORY"  # bytes of the card's memory that may be taken
LEFT_FREE = 0.9  # of what is free: the rest is for fragments and for others

Buffer: TypeAlias = Any  # an array on the card
NULL = np.uint64(0)


class NoGpuError(InputError):
    """There is no GPU that can be used; the text says why."""


@dataclass(frozen=True)
class Card:
    """What a launch depends on.

    name                  as the maker calls it
    n_processors          multiprocessors
    threads               of one multiprocessor
    shared_block, shared  bytes of shared memory that one block may take, and that a multiprocessor has
    memory                bytes that may be taken
    """

    name: str
    n_processors: int
    threads: int
    shared_block: int
    shared: int
    memory: int


class Device(Protocol):
    """Arrays live on the device until nobody holds them; work is done in the order of the calls."""

    card: Card

    def put(self, array: NDArray[Any]) -> Buffer:
        """A copy on the device."""

    def put_into(self, buffer: Buffer, array: NDArray[Any]) -> None:
        """Fills a buffer of the same size."""

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Buffer:
        """Room, with nothing in particular in it."""

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Buffer:
        """Room of zeros."""

    def copy(self, buffer: Buffer) -> Buffer:
        """Another one with the same numbers."""

    def get(self, buffer: Buffer, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """A copy in the computer's memory, in `out` if given."""

    def host_empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Room in the computer's memory that the card reads and writes fast."""

    def launch(
        self,
        source: str,
        kernel: str,
        blocks: int | tuple[int, int],
        threads: int,
        arguments: Sequence[Any],
        *,
        shared: int = 0,
        **constants: int,
    ) -> None:
        """Runs a kernel of a source file, which is compiled with these `constants`."""


def chosen(device: str, *, worth_it: bool = True) -> Device | None:
    """The GPU for "cuda", and for "auto" where there is one and it is `worth_it`; None for the processor."""
    if device not in DEVICES:
        raise InputError(f"device must be one of {', '.join(DEVICES)}, got {quoted(device)}")
    if device == "cpu" or (device == "auto" and not worth_it):
        return None
    try:
        return _cuda()
    except NoGpuError:
        if device == "auto":
            return None
        raise


@cache
def source(name: str) -> str:
    """The text of a kernel file, what it includes in its place: compiled code is kept by this text."""
    folder, included = files("fedtopics.sampling") / "_core", set[str]()

    def text_of(file: str) -> str:
        def included_once(match: re.Match[str]) -> str:
            if match[1] in included:
                return ""
            included.add(match[1])
            return text_of(match[1])

        text = (folder / file).read_text().replace("#pragma once\n", "")
        return re.sub(r'^#include "(.*)"$', included_once, text, flags=re.MULTILINE)

    return text_of(name)


@cache
def _cuda() -> Device:
    try:
        import cupy
    except ImportError as error:
        wrong = (
            "none"
            if error.name == "cupy"
            else f"one that does not load ({_first_line(error.__cause__ or error)})"
        )
        raise NoGpuError(
            f"device='cuda' needs CuPy, got {wrong}: pip install 'fedtopics[gpu]', or use device='cpu'"
        ) from None
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise NoGpuError(
            f"expected an NVIDIA GPU and its driver, got none ({_first_line(error)}); use device='cpu'"
        ) from None
    if not found:
        raise NoGpuError("expected an NVIDIA GPU, got none; use device='cpu'")
    return Cuda(cupy)


class Cuda:
    """The GPU that CuPy calls the current one."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        now = cupy.cuda.Device()
        facts = cupy.cuda.runtime.getDeviceProperties(now.id)
        name, capability = facts["name"].decode(), (facts["major"], facts["minor"])
        if capability < OLDEST:
            raise NoGpuError(
                f"expected a GPU of compute capability {OLDEST[0]}.{OLDEST[1]} or newer, got {name} with "
                f"{capability[0]}.{capability[1]}; use device='cpu'"
            )
        self.card = Card(
            name,
            n_processors=facts["multiProcessorCount"],
            threads=facts["maxThreadsPerMultiProcessor"],
            shared_block=facts["sharedMemPerBlockOptin"],
            shared=facts["sharedMemPerMultiprocessor"],
            memory=self._memory(),
        )
        self._kernels: dict[tuple[Any, ...], Any] = {}

    def _memory(self) -> int:
        free: int = self._cupy.cuda.runtime.memGetInfo()[0]
        given = os.environ.get(LIMIT, "")
        if not given:
            return int(free * LEFT_FREE)
        if not given.isdigit() or int(given) == 0:
            raise InputError(f"{LIMIT} must be a number of bytes, got {quoted(given)}")
        return min(int(given), free)

    def put(self, array: NDArray[Any]) -> Buffer:
        return self._allocated(self._cupy.asarray, array.nbytes, np.ascontiguousarray(array))

    def put_into(self, buffer: Buffer, array: NDArray[Any]) -> None:
        buffer.set(np.ascontiguousarray(array))

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Buffer:
        return self._allocated(self._cupy.empty, _n_bytes(shape, dtype), shape, dtype)

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Buffer:
        return self._allocated(self._cupy.zeros, _n_bytes(shape, dtype), shape, dtype)

    def _allocated(self, make: Any, size: int, *given: Any) -> Buffer:
        try:
            return make(*given)
        except self._cupy.cuda.memory.OutOfMemoryError:
            raise InputError(
                f"expected {size / 1e6:,.0f} MB of free memory on {self.card.name}, got too little; "
                "use device='cpu', fewer topics, or end what else runs there"
            ) from None

    def copy(self, buffer: Buffer) -> Buffer:
        return self._allocated(buffer.copy, buffer.nbytes)

    def get(self, buffer: Buffer, out: NDArray[Any] | None = None) -> NDArray[Any]:
        array: NDArray[Any] = self._cupy.asnumpy(buffer, out=out)
        return array

    def host_empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        from cupyx import empty_pinned

        array: NDArray[Any] = empty_pinned(shape, dtype)
        return array

    def launch(
        self,
        source: str,
        kernel: str,
        blocks: int | tuple[int, int],
        threads: int,
        arguments: Sequence[Any],
        *,
        shared: int = 0,
        **constants: int,
    ) -> None:
        address = (source, kernel, *constants.items())
        if address not in self._kernels:
            self._kernels[address] = self._compiled(source, constants).get_function(kernel)
        found = self._kernels[address]
        if shared > found.max_dynamic_shared_size_bytes:
            found.max_dynamic_shared_size_bytes = shared
        grid = blocks if isinstance(blocks, tuple) else (blocks,)
        found(grid, (threads,), tuple(arguments), shared_mem=shared)

    def _compiled(self, name: str, constants: dict[str, int]) -> Any:
        key = (name, None, *constants.items())
        if key not in self._kernels:
            # One rounding for each operation, as on the processor.
            options = ["-std=c++17", "--fmad=false", *(f"-D{n}={v}" for n, v in constants.items())]
            self._kernels[key] = self._cupy.RawModule(code=source(name), options=tuple(options))
        return self._kernels[key]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _n_bytes(shape: tuple[int, ...], dtype: DTypeLike) -> int:
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
