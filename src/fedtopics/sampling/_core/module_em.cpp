// The Python face of the E steps: on histograms, on reports of tokens, and on units that are cut to a norm.
#include "module.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "channel_blocks.hpp"
#include "kernels.hpp"

namespace fedtopics {

namespace {

using Row = Array<const float>;
using Matrix = Array<const float, 2>;

double expect_histograms(Offsets offsets, Words words, Words values, Matrix phi, Row inverse_sizes, Row alpha, Row coverage,
                         Array<float, 2> theta, Array<double> intensity, double decay, double growth, double burstiness,
                         double absence, double silence, double hidden, int n_steps, bool exclude, int n_threads,
                         std::optional<Array<float, 2>> counts, bool on_disk) {
  const auto kernel = kernels().channel_em;
  const PaddedTopics topics(phi.data(), phi.shape(0), phi.shape(1), inverse_sizes.data(), alpha.data());
  const Aligned<float> covered(coverage.data(), 1, topics.n_topics);
  const ChannelProblem problem{offsets.data(), words.data(), values.data(), topics.phi.get(),
                               topics.inverse_sizes.get(), topics.alpha.get(), covered.get(), theta.data(),
                               intensity.data(), decay, growth, burstiness, absence, silence, hidden, topics.n_topics,
                               topics.width, n_steps, exclude};
  return add_up(offsets.data(), offsets.size() - 1, topics, n_threads, counts ? counts->data() : nullptr,
                [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
                  kernel(problem, first, last, sums, scratch);
                  if (!on_disk) return;
                  let_go(problem.words + problem.offsets[first], problem.words + problem.offsets[last]);
                  let_go(problem.values + problem.offsets[first], problem.values + problem.offsets[last]);
                });
}

double expect_reports(Offsets documents, Offsets reports, Row times, Words words, Row gains, Matrix phi,
                      Row inverse_sizes, Row alpha, Array<float, 2> theta, int n_steps, bool exclude, int n_threads,
                      Array<float, 2> counts) {
  const auto kernel = kernels().report_em;
  const PaddedTopics topics(phi.data(), phi.shape(0), phi.shape(1), inverse_sizes.data(), alpha.data());
  const ReportProblem problem{documents.data(), reports.data(), times.data(), words.data(), gains.data(),
                              topics.phi.get(), topics.inverse_sizes.get(), topics.alpha.get(), theta.data(),
                              topics.n_topics, topics.width, n_steps, exclude};
  return add_up(documents.data(), documents.size() - 1, topics, n_threads, counts.data(),
                [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
                  kernel(problem, first, last, sums, scratch);
                });
}

void sum_of_differences(Words words, Row counts, Offsets offsets, Offsets units, Matrix phi, Matrix expected,
                        Matrix weights, float alpha, int n_steps, double cap, double clip, double resolution,
                        int n_threads, Array<int64_t, 2> out) {
  const ClippedProblem problem{units.data(), offsets.data(), words.data(), counts.data(), phi.data(), expected.data(),
                               weights.data(), 0, alpha, n_steps, cap, clip, resolution};
  run_clipped_sum(problem, (int64_t)units.size() - 1, (int64_t)phi.shape(0), (int32_t)phi.shape(1), n_threads,
                  out.data());
}

}  // namespace

void add_em(nb::module_& m) {
  m.def("expect_histograms", expect_histograms, "offsets"_a, "words"_a, "values"_a, "phi"_a, "inverse_sizes"_a, "alpha"_a,
        "coverage"_a, "theta"_a.noconvert(), "intensity"_a.noconvert(), nb::kw_only(), "decay"_a, "growth"_a,
        "burstiness"_a, "absence"_a, "silence"_a, "hidden"_a, "n_steps"_a, "exclude"_a, "n_threads"_a,
        "counts"_a.noconvert().none(), "on_disk"_a = false, released(),
        "One E step: changes theta and intensity, fills counts unless None, returns the log-likelihood.");
  m.def("expect_reports", expect_reports, "documents"_a, "reports"_a, "times"_a, "words"_a, "gains"_a, "phi"_a,
        "inverse_sizes"_a, "alpha"_a, "theta"_a.noconvert(), nb::kw_only(), "n_steps"_a, "exclude"_a, "n_threads"_a,
        "counts"_a.noconvert(), released(),
        "One E step on reports of tokens: changes theta, fills counts, returns the log-likelihood.");
  m.def("sum_of_differences", sum_of_differences, "words"_a, "counts"_a, "offsets"_a, "units"_a, "phi"_a, "expected"_a,
        "weights"_a, nb::kw_only(), "alpha"_a, "n_steps"_a, "cap"_a, "clip"_a, "resolution"_a, "n_threads"_a,
        "out"_a.noconvert(), released(), "The sum of all units, each cut to the norm, in whole steps.");
}

}  // namespace fedtopics
