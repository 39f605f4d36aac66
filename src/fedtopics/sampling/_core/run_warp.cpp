#include <algorithm>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "lda.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

// Tokens per block: enough work for a thread, few enough blocks apart at the end of a pass.
constexpr int64_t BLOCK = 1 << 14;
constexpr int64_t BLOCKS_LET_GO = 64;  // of arrays on the disk, at once

struct Workspace {
  Aligned<uint32_t> totals, counts, row;
  Aligned<float> scratch;
  Workspace(int32_t stride, int64_t longest)
      : totals(4 * (int64_t)stride), counts(stride), row(3 * longest), scratch(7 * std::max<int64_t>(stride, 128)) {}
};

struct Prior {
  Aligned<float> weights;
  AliasTables table;
  Alias alias = table.alias();
  bool uniform;

  Prior(int32_t n_topics, const std::vector<float>& values)
      : weights(values.data(), 1, n_topics), table(values.data(), 1, n_topics),
        uniform(std::all_of(values.begin(), values.end(), [&](float v) { return v == values[0]; })) {}
};

struct Warp {
  const Documents& c;
  const WordOrder& by_word;
  const Model& model;
  uint64_t seed;
  int32_t n_proposals, record_size, stride;
  int n_threads;
  int64_t longest;
  Prior alpha, beta;
  std::vector<double> prior_totals;
  std::vector<int64_t> totals;
  Aligned<float> inverse;
  Aligned<uint32_t> records;
  std::vector<std::unique_ptr<Workspace>> spaces;

  Warp(const Documents& documents, const WordOrder& order, const Model& m, uint64_t seed_, int32_t proposals,
       int threads)
      : c(documents), by_word(order), model(m), seed(seed_), n_proposals(proposals), record_size(proposals > 1 ? 2 : 1),
        stride(padded(m.n_topics)), n_threads(threads), longest(longest_row()),
        alpha(m.n_topics, std::vector<float>(m.alpha, m.alpha + m.n_topics)),
        beta(m.n_topics, std::vector<float>(m.n_topics, (float)m.beta)),
        prior_totals(m.n_topics, (double)c.n_words * m.beta), totals(m.n_topics), inverse(stride),
        records(c.n_tokens() * record_size, Fill::nothing) {
    for (int64_t i = 0; m.others && i < c.n_words * m.n_topics; i++) prior_totals[i % m.n_topics] += m.others[i];
    for (int t = 0; t < n_threads; t++) spaces.push_back(std::make_unique<Workspace>(stride, longest));
  }

  int64_t longest_row() const {
    const Documents words{nullptr, by_word.offsets, c.n_words, 0};
    return (std::max(c.longest(), words.longest()) + 15) / 16 * 16;
  }

  // Calls work(thread, first record, last record) for blocks of records.
  template <class Work>
  void share_records(const Work& work) {
    share_rows(c.n_tokens(), BLOCK, n_threads, work);
  }

  // Lets go of what the blocks up to this one have read of an array on the disk. Other threads may still be there: they
  // find the same numbers again.
  void passed(const int32_t* array, int64_t first) const {
    const int64_t block = first / BLOCK;
    if (!by_word.on_disk || block % BLOCKS_LET_GO != BLOCKS_LET_GO - 1) return;
    // Other threads may be some blocks behind: what they bring back is let go of next time.
    const int64_t begin = std::max<int64_t>(0, block + 1 - 2 * BLOCKS_LET_GO);
    let_go(array + begin * BLOCK, array + block * BLOCK);
  }

  void read(const uint16_t* topics) {
    share_records([&](int thread, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; r++) {
        const uint16_t topic = topics[by_word.slots[r]];
        records[r * record_size] = topic;
        spaces[thread]->totals[r % 4 * stride + topic]++;
      }
      passed(by_word.slots, first);
    });
    collect_totals();
  }

  void write(uint16_t* topics) {
    spaces.clear();
    share_records([&](int, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; r++) topics[by_word.slots[r]] = (uint16_t)(records[r * record_size] & 0xFFFF);
      passed(by_word.slots, first);
    });
  }

  void pass(bool words, bool accept, uint32_t sweep) {
    for (int32_t k = 0; k < model.n_topics; k++) inverse[k] = (float)(1.0 / ((double)totals[k] + prior_totals[k]));
    const int64_t* offsets = words ? by_word.offsets : c.offsets;
    const int64_t n_rows = words ? c.n_words : c.n_docs;
    const auto row_at = [=](int64_t token) { return std::lower_bound(offsets, offsets + n_rows, token) - offsets; };
    const Prior& prior = words ? beta : alpha;
    share((c.n_tokens() + BLOCK - 1) / BLOCK, n_threads, [&](int thread, int64_t block) {
      Workspace& space = *spaces[thread];
      kernels().pass({offsets, n_rows, words ? by_word.order : nullptr, records.get(), prior.weights.get(),
                      prior.uniform ? nullptr : &prior.alias, words ? model.others : nullptr, inverse.get(),
                      space.totals.get(), accept, row_at(block * BLOCK), row_at((block + 1) * BLOCK), model.n_topics,
                      stride, n_proposals, seed, sweep, longest, space.counts.get(), space.scratch.get(),
                      space.row.get()});
      if (words) passed(by_word.order, block * BLOCK);
    });
    if (accept) collect_totals();
  }

  void collect_totals() {
    std::fill(totals.begin(), totals.end(), 0);
    for (auto& space : spaces)
      for (int64_t i = 0; i < 4 * (int64_t)stride; i++) {
        if (i % stride < model.n_topics) totals[i % stride] += space->totals[i];
        space->totals[i] = 0;
      }
  }
};

}  // namespace

void run_warp(const Documents& c, const WordOrder& order, const Model& model, const Sweeps& sweeps, int32_t n_proposals,
              int n_threads, const uint16_t* topics, uint16_t* out) {
  if (c.n_tokens() == 0 || sweeps.count == 0) {
    std::copy(topics, topics + c.n_tokens(), out);
    return;
  }
  Warp warp(c, order, model, sweeps.seed, n_proposals, n_threads);
  warp.read(topics);
  // The proposals that the documents' pass of the sweep before would have left.
  warp.pass(false, false, sweeps.first - 1);
  for (uint32_t t = 0; t < sweeps.count; t++) {
    warp.pass(true, true, sweeps.first + t);
    warp.pass(false, true, sweeps.first + t);
  }
  warp.write(out);
}

}  // namespace fedtopics
