// What the Python faces of the native kernels share. Values are checked in Python; here shapes and types.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace nb = nanobind;
using namespace nb::literals;

namespace fedtopics {

template <class T, int N = 1>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using Words = Array<const int32_t>;
using Offsets = Array<const int64_t>;
using Topics = Array<uint16_t>;
using GivenTopics = Array<const uint16_t>;
using released = nb::call_guard<nb::gil_scoped_release>;

inline void expect(bool holds, const char* what) {
  if (!holds) throw nb::value_error(what);
}

void add_em(nb::module_&);
void add_private_mh(nb::module_&);

}  // namespace fedtopics
