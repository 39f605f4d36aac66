// Units handed out to threads. What they add up to are integers, so the number of threads changes no bit.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

// The memory of one thread: bounded by the longest document and by the most words of a unit.
struct ThreadSpace {
  Aligned<float> entries;
  Aligned<double> rows;
  std::vector<int32_t> words, slots;
  Aligned<int64_t> totals;

  ThreadSpace(int64_t longest, int64_t most_words, int64_t n_words, int64_t width)
      : entries((longest + 2) * width, Fill::nothing, Life::call),
        rows(most_words * width, Fill::nothing, Life::call),
        words(most_words),
        slots(n_words, -1),
        totals(n_words * width, Fill::zeros, Life::call) {}

  ClippedSpace space() { return {entries.get(), rows.get(), words.data(), slots.data(), totals.get()}; }
};

// The longest row, in entries.
int64_t longest(const int64_t* rows, int64_t n_rows, const int64_t* offsets) {
  int64_t most = 0;
  for (int64_t i = 0; i < n_rows; i++) most = std::max(most, offsets[rows[i + 1]] - offsets[rows[i]]);
  return most;
}

int64_t longest(const int64_t* offsets, int64_t n_rows) {
  int64_t most = 0;
  for (int64_t i = 0; i < n_rows; i++) most = std::max(most, offsets[i + 1] - offsets[i]);
  return most;
}

}  // namespace

void run_clipped_sum(ClippedProblem problem, int64_t n_units, int64_t n_words, int32_t n_topics, int n_threads,
                     int64_t* sum) {
  const auto kernel = kernels().clipped_sum;
  const int64_t width = padded(n_topics), n_docs = problem.units[n_units];
  const Aligned<float> phi(problem.phi, n_words, n_topics), expected(problem.expected, n_words, n_topics),
      weights(problem.weights, n_words, n_topics);
  problem.phi = phi.get();
  problem.expected = expected.get();
  problem.weights = weights.get();
  problem.width = width;
  const int64_t most_words = std::min(n_words, longest(problem.units, n_units, problem.offsets));
  std::vector<std::unique_ptr<ThreadSpace>> spaces;
  for (int64_t i = 0; i < n_threads && i * DOCUMENTS_AT_ONCE < n_units; i++)
    spaces.push_back(
        std::make_unique<ThreadSpace>(longest(problem.offsets, n_docs), most_words, n_words, width));
  share_rows(n_units, DOCUMENTS_AT_ONCE, n_threads, [&](int thread, int64_t first, int64_t last) {
    if (!kernel(problem, first, last, spaces[thread]->space()))
      throw std::invalid_argument("expected units of finite numbers inside their norm, got one that is not");
  });
  std::fill(sum, sum + n_words * n_topics, 0);
  for (const auto& thread : spaces)
    for (int64_t w = 0; w < n_words; w++)
      for (int32_t k = 0; k < n_topics; k++) sum[w * n_topics + k] += thread->totals[w * width + k];
}

}  // namespace fedtopics
