// The Python face of the native kernels. Ranges are checked in Python; here only shapes and types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "kernels.hpp"
#include "lda.hpp"

namespace nb = nanobind;
using namespace fedtopics;

template <class T, int N = 1>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using Words = Array<const int32_t>;
using Offsets = Array<const int64_t>;
using Topics = Array<uint16_t>;

static void expect(bool holds, const char* what) {
  if (!holds) throw nb::value_error(what);
}

static Documents documents(const Words& words, const Offsets& offsets, int64_t n_words) {
  expect(offsets.size() >= 1, "offsets must hold at least one value");
  expect(offsets.data()[offsets.size() - 1] == (int64_t)words.size(), "offsets must end at the number of words");
  return {words.data(), offsets.data(), (int64_t)offsets.size() - 1, n_words};
}

static void start_(Topics topics, Offsets offsets, int32_t n_topics, uint64_t seed) {
  kernels().start(topics.data(), offsets.data(), (int64_t)offsets.size() - 1, n_topics, seed);
}

static void word_topic_counts_(Words words, Array<const uint16_t> topics, Array<int32_t, 2> out) {
  expect(words.size() == topics.size(), "topics must have one value per word");
  count_word_topics(words.data(), topics.data(), (int64_t)words.size(), (int32_t)out.shape(1), out.data());
}

static void gibbs_(Words words, Offsets offsets, int64_t n_words, Topics topics, Array<const double> alpha, double beta,
                   std::optional<Array<const float, 2>> others, std::optional<Array<const float>> weights,
                   uint64_t seed, uint32_t first_sweep, uint32_t n_sweeps) {
  expect(words.size() == topics.size(), "topics must have one value per word");
  expect(!weights || weights->size() == words.size(), "weights must have one value per word");
  expect(!others || (others->shape(0) == (size_t)n_words && others->shape(1) == alpha.size()),
         "others must have shape (n_words, n_topics)");
  run_gibbs({documents(words, offsets, n_words), topics.data(), (int32_t)alpha.size(), alpha.data(), beta,
             others ? others->data() : nullptr, weights ? weights->data() : nullptr, seed, first_sweep, n_sweeps});
}

static void fold_in_(Words words, Offsets offsets, Array<const double, 2> topic_word, Array<const double> alpha,
                     int32_t n_iterations, int32_t n_threads, Array<float, 2> theta) {
  expect(topic_word.shape(0) == alpha.size(), "alpha must have one value per topic");
  expect(theta.shape(0) + 1 == offsets.size() && theta.shape(1) == alpha.size(), "theta must have shape (n_docs, n_topics)");
  run_fold_in({documents(words, offsets, (int64_t)topic_word.shape(1)), topic_word.data(), alpha.data(),
               (int32_t)alpha.size(), n_iterations, n_threads, theta.data()});
}

NB_MODULE(_native, m) {
  m.doc() = "Native kernels of fedtopics.sampling";
  using namespace nb::literals;
  using released = nb::call_guard<nb::gil_scoped_release>;
  m.def("instruction_set", [] { return kernels().name; }, "The name of the instruction set in use.");
  m.def("start", start_, "topics"_a.noconvert(), "offsets"_a, "n_topics"_a, "seed"_a, released());
  m.def("word_topic_counts", word_topic_counts_, "words"_a, "topics"_a, "out"_a.noconvert(), released());
  m.def("gibbs", gibbs_, "words"_a, "offsets"_a, "n_words"_a, "topics"_a.noconvert(), "alpha"_a, "beta"_a,
        "others"_a.none(), "weights"_a.none(), "seed"_a, "first_sweep"_a, "n_sweeps"_a, released());
  m.def("fold_in", fold_in_, "words"_a, "offsets"_a, "topic_word"_a, "alpha"_a, "n_iterations"_a, "n_threads"_a,
        "theta"_a.noconvert(), released());
}
