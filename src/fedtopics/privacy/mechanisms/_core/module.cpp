// The noise kernels as seen from Python; every function takes the stream that it draws from.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "rows.hpp"
#include "table.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fedtopics;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Digits = nb::ndarray<const std::uint16_t, nb::shape<-1, kDigits>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner);
}

template <class Draw>
auto repeat(std::size_t size, Draw draw) {
  std::vector<decltype(draw())> values(size);
  for (auto& value : values) value = draw();
  return to_numpy(std::move(values));
}

nb::tuple to_numpy(Rows rows) {
  return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.words)),
                        to_numpy(std::move(rows.values)));
}

// Gives entries to a Python function, as two arrays; null where there is none.
std::function<void(Rows&)> sink(const nb::object& keep) {
  if (keep.is_none()) return nullptr;
  return [keep](Rows& rows) { keep(to_numpy(rows.words), to_numpy(rows.values)); };
}

NB_MODULE(_noise, m) {
  nb::class_<Stream>(m, "Stream").def(nb::init<nb::object>(), "refill"_a);

  m.def("below", [](Stream& stream, std::uint64_t n, std::size_t size) {
    return repeat(size, [&] { return static_cast<std::int64_t>(stream.below(n)); });
  });
  m.def("coins", [](Stream& stream, std::uint64_t threshold, std::size_t size) {
    return repeat(size, [&] { return static_cast<std::uint8_t>(stream.word() < threshold); });
  });
  m.def("exp_minus", [](Stream& stream, std::uint64_t numerator, std::uint64_t denominator, std::size_t size) {
    return repeat(size, [&] { return static_cast<std::uint8_t>(exp_minus(stream, numerator, denominator)); });
  });
  m.def("geometric", [](Stream& stream, std::uint64_t s, std::uint64_t t, std::size_t size) {
    return repeat(size, [&] { return geometric(stream, s, t); });
  });
  m.def("laplace", [](Stream& stream, std::uint64_t s, std::uint64_t t, std::size_t size) {
    return repeat(size, [&] { return laplace(stream, s, t); });
  });
  m.def("gaussian", [](Stream& stream, std::uint64_t n, std::uint64_t d, std::uint64_t t, std::size_t size) {
    const GaussianLaw law{n, d, t};
    return repeat(size, [&] { return law.draw(stream); });
  });
  m.def("two_sided", [](Stream& stream, Digits cumulative, std::size_t size) {
    const Table table(cumulative.data(), cumulative.shape(0));
    return repeat(size, [&] { return with_sign(stream, [&](Stream& z) { return table.draw(z); }); });
  });
  m.def("survivors", [](Stream& stream, Digits digits, std::int64_t n_positions) {
    std::vector<std::int64_t> positions;
    Survivors survivors(stream, digits.data(), static_cast<int>(digits.shape(0)));
    for (; survivors.position() < n_positions; survivors.advance()) positions.push_back(survivors.position());
    return to_numpy(std::move(positions));
  });
  m.def("laplace_rows", [](Stream& stream, Array<std::int32_t> words, Array<std::int64_t> offsets,
                           std::int64_t n_words, std::int64_t step, std::int64_t threshold, Digits digits,
                           std::uint64_t s, std::uint64_t t, nb::object keep) {
    auto tail = [=](Stream& z) { return threshold + geometric(z, s, t); };
    return to_numpy(noisy_rows(stream, words.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1,
                               n_words, step, threshold, digits.data(), static_cast<int>(digits.shape(0)),
                               LaplaceLaw{s, t}, tail, sink(keep)));
  }, "stream"_a, "words"_a, "offsets"_a, "n_words"_a, "step"_a, "threshold"_a, "digits"_a, "s"_a, "t"_a,
     "keep"_a = nb::none());
  m.def("gaussian_rows", [](Stream& stream, Array<std::int32_t> words, Array<std::int64_t> offsets,
                            std::int64_t n_words, std::int64_t step, std::int64_t threshold, Digits digits,
                            std::uint64_t n, std::uint64_t d, std::uint64_t t, Digits cumulative, nb::object keep) {
    const Table excess(cumulative.data(), cumulative.shape(0));
    auto tail = [&](Stream& z) { return threshold + excess.draw(z); };
    return to_numpy(noisy_rows(stream, words.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1,
                               n_words, step, threshold, digits.data(), static_cast<int>(digits.shape(0)),
                               GaussianLaw{n, d, t}, tail, sink(keep)));
  }, "stream"_a, "words"_a, "offsets"_a, "n_words"_a, "step"_a, "threshold"_a, "digits"_a, "n"_a, "d"_a, "t"_a,
     "cumulative"_a, "keep"_a = nb::none());
}
