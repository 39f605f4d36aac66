// The Python face of the channel E step: padding, blocks of documents, threads.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "channel_em.hpp"
#include "threads.hpp"

namespace nb = nanobind;
using namespace fedtopics;

namespace {

template <class T, int DIMENSIONS>
using Array = nb::ndarray<T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

struct Free {
  void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
};
using Rows = std::unique_ptr<float[], Free>;

Rows zeros(int64_t size) {
  Rows rows(static_cast<float*>(::operator new[](size * sizeof(float), std::align_val_t(64))));
  std::fill_n(rows.get(), size, 0.0f);
  return rows;
}

Rows padded(const float* from, int64_t n_rows, int64_t n_columns, int64_t width) {
  Rows rows = zeros(n_rows * width);
  for (int64_t i = 0; i < n_rows; i++) std::copy_n(from + i * n_columns, n_columns, rows.get() + i * width);
  return rows;
}

// The kernel of an instruction set, null where this machine lacks it.
ChannelKernel kernel_for(const std::string& instruction_set) {
#if defined(__x86_64__)
  if (instruction_set == "avx512" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return avx512::channel_expectations;
  if (instruction_set == "avx2" && __builtin_cpu_supports("avx2")) return avx2::channel_expectations;
#endif
  return instruction_set == "plain" ? plain::channel_expectations : nullptr;
}

// The best kernel here, or that of the instruction set named by the environment variable FEDTOPICS_ISA.
ChannelKernel best_kernel() {
  const char* wanted = std::getenv("FEDTOPICS_ISA");
  if (wanted && *wanted)
    if (const ChannelKernel kernel = kernel_for(wanted)) return kernel;
  for (const char* name : {"avx512", "avx2"})
    if (const ChannelKernel kernel = kernel_for(name)) return kernel;
  return plain::channel_expectations;
}

// First document of each block. Blocks depend on the data alone, so that the result does not depend on the threads;
// they hold several entries per word, so that adding up a block's counts costs little beside the E step.
std::vector<int64_t> block_bounds(const int64_t* offsets, int64_t n_docs, int64_t n_words) {
  const int64_t entries = std::max<int64_t>(8192, 4 * n_words);
  std::vector<int64_t> bounds{0};
  for (int64_t d = 1; d < n_docs; d++)
    if (offsets[d] - offsets[bounds.back()] >= entries) bounds.push_back(d);
  bounds.push_back(n_docs);
  return bounds;
}

// The sums of all blocks in double precision, added in the order of the blocks whichever thread comes first.
class Totals {
 public:
  Totals(int64_t n_words, int64_t width, bool want_counts)
      : width_(width), counts_(want_counts ? n_words * width : 0), background_(width) {}

  void add(int64_t block, ChannelSums& sums) {
    std::unique_lock<std::mutex> lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block; });
    for (size_t i = 0; i < counts_.size(); i++) {
      counts_[i] += sums.counts[i];
      sums.counts[i] = 0.0f;
    }
    for (int64_t k = 0; k < width_; k++) {
      background_[k] += sums.background[k];
      sums.background[k] = 0.0;
    }
    log_likelihood_ += sums.log_likelihood;
    sums.log_likelihood = 0.0;
    next_++;
    turn_.notify_all();
  }

  double log_likelihood() const { return log_likelihood_; }

  // Expected counts of every word, survivors and others: (n_words, n_topics).
  void write(const float* phi, int64_t n_topics, float* counts) const {
    for (size_t i = 0; i < counts_.size(); i += width_, phi += n_topics, counts += n_topics)
      for (int64_t k = 0; k < n_topics; k++)
        counts[k] = static_cast<float>(std::max(0.0, counts_[i + k] + background_[k] * phi[k]));
  }

 private:
  int64_t width_;
  std::vector<double> counts_, background_;
  double log_likelihood_ = 0.0;
  int64_t next_ = 0;
  std::mutex mutex_;
  std::condition_variable turn_;
};

// What one thread works in.
struct Workspace {
  Rows counts, scratch;
  std::vector<double> background;
  ChannelSums sums;

  Workspace(int64_t n_words, int64_t width, bool want_counts)
      : counts(want_counts ? zeros(n_words * width) : nullptr),
        scratch(zeros(CHANNEL_SCRATCH_ROWS * width)),
        background(width),
        sums{counts.get(), background.data(), 0.0} {}
};

void run_blocks(const ChannelProblem& problem, ChannelKernel kernel, int64_t n_words, int64_t n_docs, int n_threads,
                bool want_counts, Totals& totals) {
  const std::vector<int64_t> bounds = block_bounds(problem.offsets, n_docs, n_words);
  const int64_t n_blocks = static_cast<int64_t>(bounds.size()) - 1;
  n_threads = static_cast<int>(std::min<int64_t>(n_threads, n_blocks));
  // All memory is taken before the first thread starts: a thread that failed would keep the others waiting.
  std::vector<std::unique_ptr<Workspace>> spaces;
  for (int i = 0; i < n_threads; i++)
    spaces.push_back(std::make_unique<Workspace>(n_words, problem.width, want_counts));
  share(n_blocks, n_threads, [&](int thread, int64_t block) {
    Workspace& space = *spaces[thread];
    kernel(problem, bounds[block], bounds[block + 1], space.sums, space.scratch.get());
    totals.add(block, space.sums);
  });
}

double expect(Array<const int64_t, 1> offsets, Array<const int32_t, 1> words, Array<const int32_t, 1> values,
              Array<const float, 2> phi, Array<const float, 1> inverse_sizes, Array<const float, 1> alpha,
              Array<const float, 1> coverage, Array<float, 2> theta, Array<double, 1> intensity, double decay,
              double growth, double burstiness, double absence, double silence, double hidden, int n_steps, bool exclude, int n_threads, std::optional<Array<float, 2>> counts,
              const std::string& instruction_set) {
  const int64_t n_words = phi.shape(0), n_topics = phi.shape(1), n_docs = offsets.shape(0) - 1;
  const int64_t width = (n_topics + 15) / 16 * 16;
  const ChannelKernel kernel = instruction_set == "best" ? best_kernel() : kernel_for(instruction_set);
  if (!kernel) throw nb::value_error("this machine lacks the instruction set");
  nb::gil_scoped_release release;
  const Rows phi_rows = padded(phi.data(), n_words, n_topics, width);
  const Rows inverse_row = padded(inverse_sizes.data(), 1, n_topics, width);
  const Rows alpha_row = padded(alpha.data(), 1, n_topics, width);
  const Rows coverage_row = padded(coverage.data(), 1, n_topics, width);
  const ChannelProblem problem{offsets.data(), words.data(), values.data(), phi_rows.get(), inverse_row.get(),
                               alpha_row.get(), coverage_row.get(), theta.data(), intensity.data(), decay,
                               growth, burstiness, absence, silence, hidden, n_topics, width, n_steps, exclude};
  Totals totals(n_words, width, counts.has_value());
  run_blocks(problem, kernel, n_words, n_docs, n_threads, counts.has_value(), totals);
  if (counts) totals.write(phi.data(), n_topics, counts->data());
  return totals.log_likelihood();
}

}  // namespace

NB_MODULE(_channel_em, m) {
  m.doc() = "Native kernel of fedtopics.sampling.channel_em";
  m.def("expect", &expect, nb::arg("offsets"), nb::arg("words"), nb::arg("values"), nb::arg("phi"),
        nb::arg("inverse_sizes"), nb::arg("alpha"), nb::arg("coverage"), nb::arg("theta").noconvert(),
        nb::arg("intensity").noconvert(), nb::kw_only(), nb::arg("decay"), nb::arg("growth"), nb::arg("burstiness"),
        nb::arg("absence"), nb::arg("silence"), nb::arg("hidden"), nb::arg("n_steps"), nb::arg("exclude"),
        nb::arg("n_threads"), nb::arg("counts").none(), nb::arg("instruction_set"),
        "One E step: changes theta and intensity, fills counts unless None, returns the log-likelihood.");
  m.def("instruction_sets", [] {
    nb::list names;
    for (const char* name : {"plain", "avx2", "avx512"})
      if (kernel_for(name)) names.append(name);
    return names;
  }, "Names of the instruction sets that this machine has.");
}
