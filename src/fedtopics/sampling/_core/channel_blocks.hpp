// Blocks of documents whose sums are added in one order, so that the number of threads changes no bit.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "channel_em.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

// The topics as the kernels read them.
struct PaddedTopics {
  int64_t n_words;
  int32_t n_topics, width;
  const float* given;  // (n_words, n_topics)
  Aligned<float> phi, inverse_sizes, alpha;

  PaddedTopics(const float* phi_, int64_t words, int64_t topics, const float* inverse_sizes_, const float* alpha_)
      : n_words(words), n_topics((int32_t)topics), width(padded(n_topics)), given(phi_), phi(phi_, n_words, n_topics),
        inverse_sizes(inverse_sizes_, 1, n_topics), alpha(alpha_, 1, n_topics) {}
};

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
  Totals(const PaddedTopics& topics, bool want_counts)
      : topics_(topics), counts_(want_counts ? topics.n_words * topics.width : 0), background_(topics.width) {}

  void add(int64_t block, ChannelSums& sums) {
    std::unique_lock<std::mutex> lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block; });
    for (size_t i = 0; i < counts_.size(); i++) {
      counts_[i] += sums.counts[i];
      sums.counts[i] = 0.0f;
    }
    for (int64_t k = 0; k < topics_.width; k++) {
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
  void write(float* counts) const {
    const float* phi = topics_.given;
    const int64_t n_topics = topics_.n_topics;
    for (size_t i = 0; i < counts_.size(); i += topics_.width, phi += n_topics, counts += n_topics)
      for (int64_t k = 0; k < n_topics; k++)
        counts[k] = static_cast<float>(std::max(0.0, counts_[i + k] + background_[k] * phi[k]));
  }

 private:
  const PaddedTopics& topics_;
  std::vector<double> counts_, background_;
  double log_likelihood_ = 0.0;
  int64_t next_ = 0;
  std::mutex mutex_;
  std::condition_variable turn_;
};

// What one thread works in.
struct BlockSpace {
  Aligned<float> counts, scratch;
  std::vector<double> background;
  ChannelSums sums;

  BlockSpace(const PaddedTopics& topics, bool want_counts)
      : counts(want_counts ? topics.n_words * topics.width : 0, Fill::zeros, Life::call),
        scratch(CHANNEL_SCRATCH_ROWS * (int64_t)topics.width),
        background(topics.width),
        sums{want_counts ? counts.get() : nullptr, background.data(), 0.0} {}
};

// Fills `counts` (n_words, n_topics) unless null, and gives the log-likelihood, of all documents;
// work(first, last, sums, scratch) adds those of one block to the sums.
template <class Work>
double add_up(const int64_t* offsets, int64_t n_docs, const PaddedTopics& topics, int n_threads, float* counts,
              const Work& work) {
  const std::vector<int64_t> bounds = block_bounds(offsets, n_docs, topics.n_words);
  const int64_t n_blocks = static_cast<int64_t>(bounds.size()) - 1;
  n_threads = static_cast<int>(std::min<int64_t>(n_threads, n_blocks));
  // All memory is taken before the first thread starts: a thread that failed would keep the others waiting.
  Totals totals(topics, counts);
  std::vector<std::unique_ptr<BlockSpace>> spaces;
  for (int i = 0; i < n_threads; i++) spaces.push_back(std::make_unique<BlockSpace>(topics, counts));
  share(n_blocks, n_threads, [&](int thread, int64_t block) {
    BlockSpace& space = *spaces[thread];
    work(bounds[block], bounds[block + 1], space.sums, space.scratch.get());
    totals.add(block, space.sums);
  });
  if (counts) totals.write(counts);
  return totals.log_likelihood();
}

}  // namespace fedtopics
