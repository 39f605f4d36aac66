// The native module of fedtopics.sampling, and the Python face of latent Dirichlet allocation.
#include "module.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "alias.hpp"
#include "kernels.hpp"
#include "lda.hpp"

using namespace fedtopics;

namespace {

template <class T, int N = 1>
using Optional = std::optional<Array<const T, N>>;

Documents documents(const Words& words, const Offsets& offsets, int64_t n_words) {
  expect(offsets.size() >= 1, "offsets must hold at least one value");
  expect(offsets.data()[offsets.size() - 1] == (int64_t)words.size(), "offsets must end at the number of words");
  return {words.data(), offsets.data(), (int64_t)offsets.size() - 1, n_words};
}

WordOrder word_order(const Offsets& offsets, const Words& order, const Words& slots, const Words& words,
                     bool on_disk = false) {
  expect(order.size() == words.size() + WordOrder::PADDING, "order must have one value per word, and padding");
  expect(slots.size() == words.size(), "slots must have one value per word");
  return {offsets.data(), order.data(), slots.data(), on_disk};
}

Model model(const Array<const double>& alpha, double beta, const Optional<float, 2>& others, int64_t n_words) {
  expect(!others || (others->shape(0) == (size_t)n_words && others->shape(1) == alpha.size()),
         "others must have shape (n_words, n_topics)");
  return {(int32_t)alpha.size(), alpha.data(), beta, others ? others->data() : nullptr};
}

template <class T>
T* data(Array<T>& topics, const Words& words) {
  expect(topics.size() == words.size(), "topics must have one value per word");
  return topics.data();
}

void start_(Topics topics, Offsets offsets, int32_t n_topics, uint64_t seed) {
  expect(offsets.data()[offsets.size() - 1] == (int64_t)topics.size(), "offsets must end at the number of topics");
  kernels().start(topics.data(), offsets.data(), (int64_t)offsets.size() - 1, n_topics, seed);
}

void word_topic_counts_(Words words, Offsets offsets, GivenTopics topics, Array<int32_t, 2> out) {
  count_word_topics(documents(words, offsets, (int64_t)out.shape(0)), data(topics, words), (int32_t)out.shape(1),
                    out.data());
}

void order_by_word_(Words words, Offsets offsets, Array<int64_t> word_offsets, Array<int32_t> order,
                    Array<int32_t> slots, bool on_disk) {
  expect(order.size() == words.size() + WordOrder::PADDING, "order must have one value per word, and padding");
  expect(slots.size() == words.size(), "slots must have one value per word");
  order_by_word(documents(words, offsets, (int64_t)word_offsets.size() - 1), word_offsets.data(), order.data(),
                slots.data(), on_disk);
}

void optimize_alpha_(Words words, Offsets offsets, GivenTopics topics, Array<double> alpha, int32_t n_iterations,
                     int32_t n_threads) {
  optimize_alpha(documents(words, offsets, 0), data(topics, words), (int32_t)alpha.size(), n_iterations, n_threads,
                 alpha.data());
}

double optimize_beta_(Words words, Offsets offsets, Offsets word_offsets, Words order, Words slots, GivenTopics topics,
                      int32_t n_topics, double beta, int32_t n_iterations, int32_t n_threads) {
  return optimize_beta(documents(words, offsets, (int64_t)word_offsets.size() - 1),
                       word_order(word_offsets, order, slots, words), data(topics, words), n_topics, n_iterations,
                       n_threads, beta);
}

void gibbs_(Words words, Offsets offsets, int64_t n_words, Topics topics, Array<const double> alpha, double beta,
            Optional<float, 2> others, uint64_t seed, uint32_t first_sweep, uint32_t n_sweeps, Optional<float> weights,
            float background, std::optional<Array<float, 2>> losses) {
  expect(!weights || weights->size() == words.size(), "weights must have one value per word");
  expect(!losses || (losses->shape(0) == words.size() && losses->shape(1) == 4), "losses must have shape (n_tokens, 4)");
  run_gibbs(documents(words, offsets, n_words), model(alpha, beta, others, n_words), {seed, first_sweep, n_sweeps},
            {weights ? weights->data() : nullptr, background, losses ? losses->data() : nullptr}, data(topics, words));
}

void assign_(Words words, Offsets offsets, Topics topics, Array<const double, 2> topic_word, Array<const double> alpha,
             uint64_t seed, uint32_t first_sweep, uint32_t n_sweeps, int32_t n_threads) {
  expect(topic_word.shape(0) == alpha.size(), "alpha must have one value per topic");
  run_assign(documents(words, offsets, (int64_t)topic_word.shape(1)), topic_word.data(), alpha.data(),
             (int32_t)alpha.size(), {seed, first_sweep, n_sweeps}, n_threads, data(topics, words));
}

void alias_(Array<const float> weights, Array<float> threshold, Array<uint32_t> other) {
  expect(threshold.size() == weights.size() && other.size() == weights.size(), "a table has one value per weight");
  std::vector<uint32_t> scratch(weights.size());
  build_alias(weights.data(), (int32_t)weights.size(), threshold.data(), other.data(), scratch.data());
}

void assign_metropolis_(Words words, Offsets offsets, Topics topics, Array<const double, 2> topic_word,
                        Array<const double> alpha, uint64_t seed, uint32_t first_sweep, uint32_t n_sweeps,
                        int32_t n_proposals, int32_t n_threads) {
  expect(topic_word.shape(0) == alpha.size(), "alpha must have one value per topic");
  run_assign_metropolis(documents(words, offsets, (int64_t)topic_word.shape(1)), topic_word.data(), alpha.data(),
                        (int32_t)alpha.size(), {seed, first_sweep, n_sweeps}, n_proposals, n_threads, data(topics, words));
}

void warp_(Words words, Offsets offsets, Offsets word_offsets, Words order, Words slots, GivenTopics topics, Topics out,
           Array<const double> alpha, double beta, Optional<float, 2> others, uint64_t seed, uint32_t first_sweep,
           uint32_t n_sweeps, int32_t n_proposals, int32_t n_threads, bool on_disk) {
  const int64_t n_words = (int64_t)word_offsets.size() - 1;
  expect(1 <= n_proposals && n_proposals <= 3, "n_proposals must be 1, 2 or 3");
  run_warp(documents(words, offsets, n_words), word_order(word_offsets, order, slots, words, on_disk),
           model(alpha, beta, others, n_words), {seed, first_sweep, n_sweeps}, n_proposals, n_threads,
           data(topics, words), data(out, words));
}

void metropolis_(Words words, Offsets offsets, Offsets word_offsets, Words order, Words slots, Topics topics,
                 Array<const double> alpha, double beta, Optional<float, 2> others, uint64_t seed,
                 uint32_t first_sweep, uint32_t n_sweeps, int32_t n_proposals) {
  const int64_t n_words = (int64_t)word_offsets.size() - 1;
  run_metropolis(documents(words, offsets, n_words), word_order(word_offsets, order, slots, words),
                 model(alpha, beta, others, n_words), {seed, first_sweep, n_sweeps}, n_proposals, data(topics, words));
}

void fold_in_(Words words, Offsets offsets, Array<const double, 2> topic_word, Array<const double> alpha,
              int32_t n_iterations, int32_t n_threads, Array<float, 2> theta) {
  expect(topic_word.shape(0) == alpha.size(), "alpha must have one value per topic");
  expect(theta.shape(0) + 1 == offsets.size() && theta.shape(1) == alpha.size(),
         "theta must have shape (n_docs, n_topics)");
  run_fold_in(documents(words, offsets, (int64_t)topic_word.shape(1)), topic_word.data(), alpha.data(),
              (int32_t)alpha.size(), n_iterations, n_threads, theta.data());
}

// What a user set wrongly, such as the environment variable FEDTOPICS_ISA, is told as all bad input is.
void to_input_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(nb::module_::import_("fedtopics.errors").attr("InputError").ptr(), error.what());
  }
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "Native kernels of fedtopics.sampling";
  nb::register_exception_translator(to_input_error);
  add_em(m);
  add_private_mh(m);
  m.def("alias", alias_, "weights"_a, "threshold"_a.noconvert(), "other"_a.noconvert(), released(),
        "Fills an alias table of positive weights.");
  m.def("start", start_, "topics"_a.noconvert(), "offsets"_a, "n_topics"_a, "seed"_a, released());
  m.def("word_topic_counts", word_topic_counts_, "words"_a, "offsets"_a, "topics"_a, "out"_a.noconvert(), released());
  m.def("order_by_word", order_by_word_, "words"_a, "offsets"_a, "word_offsets"_a.noconvert(), "order"_a.noconvert(),
        "slots"_a.noconvert(), "on_disk"_a = false, released());
  m.def("optimize_alpha", optimize_alpha_, "words"_a, "offsets"_a, "topics"_a, "alpha"_a.noconvert(), "n_iterations"_a,
        "n_threads"_a, released());
  m.def("optimize_beta", optimize_beta_, "words"_a, "offsets"_a, "word_offsets"_a, "order"_a, "slots"_a, "topics"_a,
        "n_topics"_a, "beta"_a, "n_iterations"_a, "n_threads"_a, released());
  m.def("gibbs", gibbs_, "words"_a, "offsets"_a, "n_words"_a, "topics"_a.noconvert(), "alpha"_a, "beta"_a,
        "others"_a.none(), "seed"_a, "first_sweep"_a, "n_sweeps"_a, "weights"_a.none() = nb::none(), "background"_a = 0,
        "losses"_a.noconvert().none() = nb::none(), released());
  m.def("assign_metropolis", assign_metropolis_, "words"_a, "offsets"_a, "topics"_a.noconvert(), "topic_word"_a,
        "alpha"_a, "seed"_a, "first_sweep"_a, "n_sweeps"_a, "n_proposals"_a, "n_threads"_a, released());
  m.def("assign", assign_, "words"_a, "offsets"_a, "topics"_a.noconvert(), "topic_word"_a, "alpha"_a, "seed"_a,
        "first_sweep"_a, "n_sweeps"_a, "n_threads"_a, released());
  m.def("warp", warp_, "words"_a, "offsets"_a, "word_offsets"_a, "order"_a, "slots"_a, "topics"_a, "out"_a.noconvert(),
        "alpha"_a, "beta"_a, "others"_a.none(), "seed"_a, "first_sweep"_a, "n_sweeps"_a, "n_proposals"_a, "n_threads"_a,
        "on_disk"_a = false, released());
  m.def("metropolis", metropolis_, "words"_a, "offsets"_a, "word_offsets"_a, "order"_a, "slots"_a, "topics"_a.noconvert(),
        "alpha"_a, "beta"_a, "others"_a.none(), "seed"_a, "first_sweep"_a, "n_sweeps"_a, "n_proposals"_a, released());
  m.def("fold_in", fold_in_, "words"_a, "offsets"_a, "topic_word"_a, "alpha"_a, "n_iterations"_a, "n_threads"_a,
        "theta"_a.noconvert(), released());
}
