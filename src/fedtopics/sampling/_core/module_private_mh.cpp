// The Python face of private Metropolis-Hastings: checks, alias tables, threads.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "alias.hpp"
#include "private_mh.hpp"
#include "threads.hpp"

namespace nb = nanobind;
using namespace fedtopics;

namespace {

template <class T, int DIMENSIONS = 1>
using Array = nb::ndarray<T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;
using Offsets = Array<const int64_t>;
using Words = Array<const int32_t>;
using Table = Array<const float, 2>;

constexpr int64_t DOCUMENTS_AT_ONCE = 16;

// Alias tables of all words.
struct Tables {
  std::vector<float> threshold;
  std::vector<uint32_t> other;

  explicit Tables(const Table& weights) : threshold(weights.size()), other(weights.size()) {
    const int64_t n_topics = (int64_t)weights.shape(1);
    std::vector<uint32_t> scratch(n_topics);
    for (int64_t at = 0; at < (int64_t)weights.size(); at += n_topics)
      build_alias(weights.data() + at, (int32_t)n_topics, threshold.data() + at, other.data() + at, scratch.data());
  }
};

void check(bool good) {
  if (!good) throw nb::value_error("arrays do not fit together");
}

void run(Offsets documents, Offsets units, Offsets rows, Words words, Array<const float> values, Offsets hints,
         Words hint_words, Array<const double> lengths, double decay, int32_t evidence, Table log_phi, Table phi,
         Table proposals, double alpha, Array<uint16_t> topics, int32_t n_proposals, uint64_t seed, uint32_t sweep,
         int n_threads) {
  const int64_t n_docs = (int64_t)documents.size() - 1, n_topics = (int64_t)phi.shape(0);
  check(phi.shape(1) == proposals.shape(0) && proposals.shape(1) == phi.shape(0) && log_phi.shape(0) == phi.shape(0) &&
        log_phi.shape(1) == phi.shape(1) && topics.size() + 1 == units.size() && hints.size() == units.size() &&
        words.size() == values.size() && lengths.size() == topics.size());
  nb::gil_scoped_release release;
  const Tables tables(proposals);
  const PrivateUnits p{documents.data(), units.data(), rows.data(), words.data(), values.data(), hints.data(),
                       hint_words.data(), lengths.data(), decay, (Evidence)evidence};
  const PrivateTopics t{log_phi.data(), phi.data(), proposals.data(), tables.threshold.data(), tables.other.data(),
                        alpha, (int64_t)phi.shape(1), (int32_t)n_topics};
  std::vector<std::vector<int32_t>> counts(n_threads, std::vector<int32_t>(n_topics));
  share((n_docs + DOCUMENTS_AT_ONCE - 1) / DOCUMENTS_AT_ONCE, n_threads, [&](int thread, int64_t block) {
    const int64_t last = std::min(n_docs, (block + 1) * DOCUMENTS_AT_ONCE);
    for (int64_t d = block * DOCUMENTS_AT_ONCE; d < last; d++) {
      if (n_proposals)
        private_metropolis(p, t, d, topics.data(), n_proposals, seed, sweep, counts[thread].data());
      else
        private_assign(p, t, d, topics.data(), seed);
    }
  });
}

}  // namespace

NB_MODULE(_private_mh, m) {
  m.doc() = "Native kernel of fedtopics.sampling.private_mh";
  using namespace nb::literals;
  m.def("run", run, "documents"_a, "units"_a, "rows"_a, "words"_a, "values"_a, "hints"_a, "hint_words"_a, "lengths"_a,
        "decay"_a, "evidence"_a, "log_phi"_a, "phi"_a, "proposals"_a, "alpha"_a, "topics"_a.noconvert(),
        "n_proposals"_a, "seed"_a, "sweep"_a, "n_threads"_a,
        "One pass that changes topics in place; with n_proposals 0 it draws them anew from the hint words.");
}
