// The Python face of the channel E steps, of histograms and of reports: padding, kernels, blocks of documents.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "channel_blocks.hpp"
#include "report_em.hpp"

namespace nb = nanobind;
using namespace fedtopics;

namespace {

template <class T, int DIMENSIONS>
using Array = nb::ndarray<T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

struct Kernels {
  ChannelKernel histograms;
  ReportKernel reports;
};

// The kernels of an instruction set, null where this machine lacks it.
Kernels kernels_for(const std::string& instruction_set) {
#if defined(__x86_64__)
  if (instruction_set == "avx512" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return {avx512::channel_expectations, avx512::report_expectations};
  if (instruction_set == "avx2" && __builtin_cpu_supports("avx2"))
    return {avx2::channel_expectations, avx2::report_expectations};
#endif
  if (instruction_set == "plain") return {plain::channel_expectations, plain::report_expectations};
  return {nullptr, nullptr};
}

// The kernels asked for; "best": those of the environment variable FEDTOPICS_ISA, or the best that this machine has.
Kernels chosen_kernels(const std::string& instruction_set) {
  if (instruction_set != "best") {
    const Kernels kernels = kernels_for(instruction_set);
    if (!kernels.histograms) throw nb::value_error("this machine lacks the instruction set");
    return kernels;
  }
  const char* wanted = std::getenv("FEDTOPICS_ISA");
  for (const char* name : {wanted ? wanted : "", "avx512", "avx2"})
    if (const Kernels kernels = kernels_for(name); kernels.histograms) return kernels;
  return kernels_for("plain");
}

double expect(Array<const int64_t, 1> offsets, Array<const int32_t, 1> words, Array<const int32_t, 1> values,
              Array<const float, 2> phi, Array<const float, 1> inverse_sizes, Array<const float, 1> alpha,
              Array<const float, 1> coverage, Array<float, 2> theta, Array<double, 1> intensity, double decay,
              double growth, double burstiness, double absence, double silence, double hidden, int n_steps, bool exclude,
              int n_threads, std::optional<Array<float, 2>> counts, const std::string& instruction_set) {
  const int64_t n_words = phi.shape(0), n_topics = phi.shape(1), n_docs = offsets.shape(0) - 1;
  const int64_t width = (n_topics + 15) / 16 * 16;
  const Kernels kernels = chosen_kernels(instruction_set);
  nb::gil_scoped_release release;
  const Rows phi_rows = padded(phi.data(), n_words, n_topics, width);
  const Rows inverse_row = padded(inverse_sizes.data(), 1, n_topics, width);
  const Rows alpha_row = padded(alpha.data(), 1, n_topics, width);
  const Rows coverage_row = padded(coverage.data(), 1, n_topics, width);
  const ChannelProblem problem{offsets.data(), words.data(), values.data(), phi_rows.get(), inverse_row.get(),
                               alpha_row.get(), coverage_row.get(), theta.data(), intensity.data(), decay,
                               growth, burstiness, absence, silence, hidden, n_topics, width, n_steps, exclude};
  Totals totals(n_words, width, counts.has_value());
  run_blocks(block_bounds(offsets.data(), n_docs, n_words), n_words, width, n_threads, counts.has_value(), totals,
             [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
               kernels.histograms(problem, first, last, sums, scratch);
             });
  if (counts) totals.write(phi.data(), n_topics, counts->data());
  return totals.log_likelihood();
}

double expect_reports(Array<const int64_t, 1> documents, Array<const int64_t, 1> reports, Array<const float, 1> times,
                      Array<const int32_t, 1> words, Array<const float, 1> gains, Array<const float, 2> phi,
                      Array<const float, 1> inverse_sizes, Array<const float, 1> alpha, Array<float, 2> theta,
                      int n_steps, bool exclude, int n_threads, Array<float, 2> counts,
                      const std::string& instruction_set) {
  const int64_t n_words = phi.shape(0), n_topics = phi.shape(1), n_docs = documents.shape(0) - 1;
  const int64_t width = (n_topics + 15) / 16 * 16;
  const Kernels kernels = chosen_kernels(instruction_set);
  nb::gil_scoped_release release;
  const Rows phi_rows = padded(phi.data(), n_words, n_topics, width);
  const Rows inverse_row = padded(inverse_sizes.data(), 1, n_topics, width);
  const Rows alpha_row = padded(alpha.data(), 1, n_topics, width);
  const ReportProblem problem{documents.data(), reports.data(), times.data(), words.data(), gains.data(),
                              phi_rows.get(), inverse_row.get(), alpha_row.get(), theta.data(), n_topics, width,
                              n_steps, exclude};
  Totals totals(n_words, width, true);
  run_blocks(block_bounds(documents.data(), n_docs, n_words), n_words, width, n_threads, true, totals,
             [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
               kernels.reports(problem, first, last, sums, scratch);
             });
  totals.write(phi.data(), n_topics, counts.data());
  return totals.log_likelihood();
}

}  // namespace

NB_MODULE(_channel_em, m) {
  m.doc() = "Native kernels of fedtopics.sampling.channel_em and report_em";
  m.def("expect", &expect, nb::arg("offsets"), nb::arg("words"), nb::arg("values"), nb::arg("phi"),
        nb::arg("inverse_sizes"), nb::arg("alpha"), nb::arg("coverage"), nb::arg("theta").noconvert(),
        nb::arg("intensity").noconvert(), nb::kw_only(), nb::arg("decay"), nb::arg("growth"), nb::arg("burstiness"),
        nb::arg("absence"), nb::arg("silence"), nb::arg("hidden"), nb::arg("n_steps"), nb::arg("exclude"),
        nb::arg("n_threads"), nb::arg("counts").none(), nb::arg("instruction_set"),
        "One E step: changes theta and intensity, fills counts unless None, returns the log-likelihood.");
  m.def("expect_reports", &expect_reports, nb::arg("documents"), nb::arg("reports"), nb::arg("times"),
        nb::arg("words"), nb::arg("gains"), nb::arg("phi"), nb::arg("inverse_sizes"), nb::arg("alpha"),
        nb::arg("theta").noconvert(), nb::kw_only(), nb::arg("n_steps"), nb::arg("exclude"), nb::arg("n_threads"),
        nb::arg("counts").noconvert(), nb::arg("instruction_set"),
        "One E step on reports of tokens: changes theta, fills counts, returns the log-likelihood.");
  m.def("instruction_sets", [] {
    nb::list names;
    for (const char* name : {"plain", "avx2", "avx512"})
      if (kernels_for(name).histograms) names.append(name);
    return names;
  }, "Names of the instruction sets that this machine has.");
}
