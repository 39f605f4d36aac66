"""A GPU played on the processor: the kernels' own sources, compiled by the C++ compiler."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fedtopics.sampling.gpu import device
from fedtopics.sampling.gpu.device import Card

HERE = Path(__file__).parent
FOLDER = Path(gettempdir()) / "fedtopics-played-kernels"
KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)')
FRAME = """
#include "{header}"
{source}
template <class... A, size_t... I>
static void call(void (*kernel)(A...), void** a, std::index_sequence<I...>) {{
  kernel(*static_cast<std::remove_reference_t<A>*>(a[I])...);
}}
template <class... A>
static void launch(void (*kernel)(A...), unsigned wide, unsigned high, unsigned block, size_t shared,
                   void** arguments) {{
  const auto go = [&] {{ call(kernel, arguments, std::index_sequence_for<A...>{{}}); }};
  played::run(wide, high, block, shared, go);
}}
// The first argument that does not fit: `sizes` has 0 for an array, which 8 bytes of zeros stand for, too.
template <class... A>
static int misfit(void (*)(A...), const int* sizes, int n) {{
  const bool pointers[] = {{std::is_pointer_v<A>...}};
  const int wanted[] = {{(int)sizeof(A)...}};
  for (int i = 0; i < n && i < (int)sizeof...(A); i++)
    if (sizes[i] == 0 ? !pointers[i] : sizes[i] != wanted[i]) return i + 1;
  return n == (int)sizeof...(A) ? 0 : 1 + (int)sizeof...(A);
}}
extern "C" int play(const char* name, unsigned wide, unsigned high, unsigned block, size_t shared,
                    void** arguments, const int* sizes, int n) {{
{choices}  return -1;
}}
"""
CHOICE = """  if (!std::strcmp(name, "{0}")) {{
    if (const int wrong = misfit({0}, sizes, n)) return wrong;
    launch({0}, wide, high, block, shared, arguments);
    return 0;
  }}
"""


@cache
def library(source: str, constants: tuple[tuple[str, int], ...]) -> Any:
    text = device.source(source)
    choices = "".join(CHOICE.format(name) for name in KERNEL.findall(text))
    frame = FRAME.format(header=HERE / "played.hpp", source=text, choices=choices)
    options = ["-std=c++17", "-O1", "-ffp-contract=off", *(f"-D{name}={value}" for name, value in constants)]
    options += ["-U_FORTIFY_SOURCE"]  # with it, the default of some compilers, longjmp refuses other stacks
    options += ["-Wno-unknown-pragmas", "-Wno-subobject-linkage", "-shared", "-fPIC"]
    key = sha256(repr((frame, (HERE / "played.hpp").read_text(), options)).encode()).hexdigest()[:16]
    target = FOLDER / f"{source.removesuffix('.cu')}-{key}.so"
    if not target.exists():
        FOLDER.mkdir(exist_ok=True)
        written = target.with_suffix(".cpp")
        written.write_text(frame)
        made = target.with_suffix(f".{id(frame)}.part")
        subprocess.run(["c++", *options, written, "-o", made], check=True)
        made.replace(target)
    return ctypes.CDLL(str(target))


class PlayedGpu:
    """A small card with `memory` bytes, of which it keeps account; implements `device.Device`."""

    def __init__(self, memory: int = 1 << 30, *, shared: int = 101_376, n_processors: int = 2) -> None:
        self.card = Card("a played GPU", n_processors, 2048, shared, shared + 1024, memory)
        self.launches: list[tuple[str, int, int, int]] = []

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.array(array, order="C")

    def put_into(self, buffer: NDArray[Any], array: NDArray[Any]) -> None:
        assert buffer.shape == array.shape
        assert buffer.dtype == array.dtype
        buffer[...] = array

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        room = np.empty(shape, dtype)
        room.reshape(-1).view(np.uint8)[:] = 0xA5
        return room

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        return np.zeros(shape, dtype)

    def copy(self, buffer: NDArray[Any]) -> NDArray[Any]:
        return buffer.copy()

    def get(self, buffer: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        if out is None:
            return buffer.copy()
        assert out.shape == buffer.shape
        assert out.dtype == buffer.dtype
        out[...] = buffer
        return out

    def host_empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        return self.empty(shape, dtype)

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
        wide, high = blocks if isinstance(blocks, tuple) else (blocks, 1)
        assert 1 <= wide < 2**31
        assert 1 <= high < 2**16
        assert threads % 32 == 0 or threads == 16
        assert threads <= 1024
        assert shared <= self.card.shared_block
        self.launches.append((kernel, wide * high, threads, shared))
        cells, sizes = [], []
        for given in arguments:
            if isinstance(given, np.ndarray):
                assert given.flags.c_contiguous
                cells.append(ctypes.c_void_p(given.ctypes.data))
                sizes.append(0)
            else:
                assert isinstance(given, np.generic), f"{kernel} was given {given!r}"
                cells.append(ctypes.create_string_buffer(given.tobytes(), max(8, given.nbytes)))
                sizes.append(given.nbytes)
        addresses = (ctypes.c_void_p * len(cells))(*(ctypes.addressof(cell) for cell in cells))
        played = library(source, tuple(sorted(constants.items())))
        answer = played.play(
            *(kernel.encode(), wide, high, threads, ctypes.c_size_t(shared), addresses),
            *((ctypes.c_int * len(sizes))(*sizes), len(cells)),
        )
        assert answer == 0, f"argument {answer} of {kernel} does not fit"
