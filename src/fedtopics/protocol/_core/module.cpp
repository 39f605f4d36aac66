// The coder of counts as seen from Python: planes of 32-bit integers to bytes and back.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "counts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fedtopics;

using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Found = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Codes number after number; a reference of no numbers stands for zeros.
template <class At>
void code(std::size_t size, const Numbers& known, const Numbers& last, At at) {
  auto plane = std::make_unique<Plane>();
  const bool alone = known.size() == 0, still = last.size() == 0;
  for (std::size_t place = 0; place < size; ++place)
    at(place, *plane, alone ? 0 : known.data()[place], still ? 0 : last.data()[place], alone);
}

void check(std::size_t size, const Numbers& known, const Numbers& last) {
  for (const auto* given : {&known, &last})
    if (given->size() != 0 && given->size() != size) throw nb::value_error("references must be as long as the plane");
}

NB_MODULE(_coder, m) {
  m.def("encode", [](Numbers values, Numbers known, Numbers last) {
    check(values.size(), known, last);
    Writer writer;
    {
      nb::gil_scoped_release released;
      code(values.size(), known, last, [&](std::size_t place, Plane& plane, auto... given) {
        plane.code(writer, values.data()[place], given...);
      });
      writer.finish();
    }
    const auto& bytes = writer.bytes();
    return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  m.def("decode", [](nb::bytes content, Found values, Numbers known, Numbers last) {
    check(values.size(), known, last);
    Reader reader(reinterpret_cast<const std::uint8_t*>(content.c_str()), content.size());
    nb::gil_scoped_release released;
    code(values.size(), known, last, [&](std::size_t place, Plane& plane, auto... given) {
      if (!reader.beyond()) values.data()[place] = plane.code(reader, 0, given...);
    });
    return reader.ended();
  });
}
