// The Python face of private Metropolis-Hastings: checks, alias tables, threads.
#include "module.hpp"

#include <vector>

#include "kernels.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

using Table = Array<const float, 2>;

void private_metropolis(Offsets documents, Offsets units, Offsets rows, Words words, Array<const float> values,
                        Offsets hints, Words hint_words, Array<const double> lengths, double decay, int32_t evidence,
                        Table log_phi, Table phi, Table proposals, double alpha, Topics topics, int32_t n_proposals,
                        uint64_t seed, uint32_t sweep, int n_threads) {
  const int64_t n_docs = (int64_t)documents.size() - 1;
  const int32_t n_topics = (int32_t)phi.shape(0);
  expect(phi.shape(1) == proposals.shape(0) && proposals.shape(1) == phi.shape(0) && log_phi.shape(0) == phi.shape(0) &&
             log_phi.shape(1) == phi.shape(1) && topics.size() + 1 == units.size() && hints.size() == units.size() &&
             words.size() == values.size() && lengths.size() == topics.size(),
         "arrays do not fit together");
  const AliasTables tables(proposals.data(), (int64_t)phi.shape(1), n_topics);
  const PrivateUnits p{documents.data(), units.data(), rows.data(), words.data(), values.data(), hints.data(),
                       hint_words.data(), lengths.data(), decay, (Evidence)evidence};
  const PrivateTopics t{log_phi.data(), phi.data(), proposals.data(), tables.alias(), alpha, (int64_t)phi.shape(1),
                        n_topics};
  const Kernels& chosen = kernels();
  std::vector<std::vector<int32_t>> counts(n_threads, std::vector<int32_t>(n_topics));
  share_rows(n_docs, DOCUMENTS_AT_ONCE, n_threads, [&](int thread, int64_t first, int64_t last) {
    for (int64_t d = first; d < last; d++) {
      if (n_proposals)
        chosen.private_metropolis(p, t, d, topics.data(), n_proposals, seed, sweep, counts[thread].data());
      else
        chosen.private_assign(p, t, d, topics.data(), seed);
    }
  });
}

}  // namespace

void add_private_mh(nb::module_& m) {
  m.def("private_metropolis", private_metropolis, "documents"_a, "units"_a, "rows"_a, "words"_a, "values"_a, "hints"_a,
        "hint_words"_a, "lengths"_a, "decay"_a, "evidence"_a, "log_phi"_a, "phi"_a, "proposals"_a, "alpha"_a,
        "topics"_a.noconvert(), "n_proposals"_a, "seed"_a, "sweep"_a, "n_threads"_a, released(),
        "One pass that changes topics in place; with n_proposals 0 it draws them anew from the hint words.");
}

}  // namespace fedtopics
