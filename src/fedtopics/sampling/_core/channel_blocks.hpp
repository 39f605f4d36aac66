// Blocks of documents whose sums are added in one order, so that the number of threads changes no bit.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "channel_em.hpp"
#include "threads.hpp"

namespace fedtopics {

struct Free {
  void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
};
using Rows = std::unique_ptr<float[], Free>;

inline Rows zeros(int64_t size) {
  Rows rows(static_cast<float*>(::operator new[](size * sizeof(float), std::align_val_t(64))));
  std::fill_n(rows.get(), size, 0.0f);
  return rows;
}

inline Rows padded(const float* from, int64_t n_rows, int64_t n_columns, int64_t width) {
  Rows rows = zeros(n_rows * width);
  for (int64_t i = 0; i < n_rows; i++) std::copy_n(from + i * n_columns, n_columns, rows.get() + i * width);
  return rows;
}

// First document of each block. Blocks depend on the data alone, so that the result does not depend on the threads;
// they hold several entries per word, so that adding up a block's counts costs little beside the E step.
inline std::vector<int64_t> block_bounds(const int64_t* offsets, int64_t n_docs, int64_t n_words) {
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

// Adds all documents to the totals; work(first, last, sums, scratch) adds those of one block to the sums.
template <class Work>
void run_blocks(const std::vector<int64_t>& bounds, int64_t n_words, int64_t width, int n_threads, bool want_counts,
                Totals& totals, const Work& work) {
  const int64_t n_blocks = static_cast<int64_t>(bounds.size()) - 1;
  n_threads = static_cast<int>(std::min<int64_t>(n_threads, n_blocks));
  // All memory is taken before the first thread starts: a thread that failed would keep the others waiting.
  std::vector<std::unique_ptr<Workspace>> spaces;
  for (int i = 0; i < n_threads; i++) spaces.push_back(std::make_unique<Workspace>(n_words, width, want_counts));
  share(n_blocks, n_threads, [&](int thread, int64_t block) {
    Workspace& space = *spaces[thread];
    work(bounds[block], bounds[block + 1], space.sums, space.scratch.get());
    totals.add(block, space.sums);
  });
}

}  // namespace fedtopics
