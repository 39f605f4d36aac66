// The most likely Dirichlet priors given the topics of the tokens, by Minka's fixed point.
//
// psi(n + a) - psi(a) = sum of 1 / (a + i) over i < n, so all that counts is how many rows have more than i tokens, for
// every i (Wallach, "Structured topic models for language", PhD thesis, Cambridge 2008, chapter 2). Those are whole
// numbers, which threads can add up in any order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lda.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

constexpr double SMALLEST = 1e-5;  // a prior at zero would forbid a topic for ever
constexpr int64_t BLOCK = 1 << 14;

// Element i: rows with more than i tokens; while they are counted, rows with i + 1 tokens.
using Excess = std::vector<uint32_t>;

void note(Excess& rows, int64_t count) {
  if ((int64_t)rows.size() < count) rows.resize(count);
  rows[count - 1]++;
}

void sum_up(Excess& rows) {
  for (size_t i = rows.size(); i-- > 1;) rows[i - 1] += rows[i];
}

void add(Excess& to, const Excess& more) {
  if (to.size() < more.size()) to.resize(more.size());
  for (size_t i = 0; i < more.size(); i++) to[i] += more[i];
}

// The sum of psi(n + a) - psi(a) over all rows.
double gain(const Excess& rows, double a) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); i++) sum += rows[i] / (a + (double)i);
  return sum;
}

// The tokens of each topic in rows of tokens; `token(i)` is the i-th one, row by row.
template <class Token>
std::vector<Excess> tally(const int64_t* offsets, int64_t n_rows, const Token& token, const uint16_t* topics,
                          int32_t n_topics, int n_threads) {
  const int64_t n_tokens = offsets[n_rows], n_blocks = (n_tokens + BLOCK - 1) / BLOCK;
  const auto row_at = [=](int64_t i) { return std::lower_bound(offsets, offsets + n_rows, i) - offsets; };
  std::vector<std::vector<Excess>> found(n_threads, std::vector<Excess>(n_topics));
  std::vector<std::vector<uint32_t>> counts(n_threads, std::vector<uint32_t>(n_topics));
  share(n_blocks, n_threads, [&](int thread, int64_t block) {
    uint32_t* count = counts[thread].data();
    for (int64_t r = row_at(block * BLOCK), last = row_at((block + 1) * BLOCK); r < last; r++) {
      for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) count[topics[token(i)]]++;
      for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) {
        const uint16_t k = topics[token(i)];
        if (count[k] > 0) note(found[thread][k], count[k]);
        count[k] = 0;
      }
    }
  });
  for (int t = 1; t < n_threads; t++)
    for (int32_t k = 0; k < n_topics; k++) add(found[0][k], found[t][k]);
  for (Excess& rows : found[0]) sum_up(rows);
  return std::move(found[0]);
}

// The asymptotic series, from 10 upward exact to the last digits.
double digamma(double x) {
  double below = 0;
  for (; x < 10; x++) below -= 1 / x;
  const double y = 1 / (x * x);
  const double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
  return below + std::log(x) - 0.5 / x - series;
}

}  // namespace

void optimize_alpha(const Documents& c, const uint16_t* topics, int32_t n_topics, int32_t n_iterations, int n_threads,
                    double* alpha) {
  if (c.n_tokens() == 0) return;
  const auto itself = [](int64_t i) { return i; };
  const std::vector<Excess> rows = tally(c.offsets, c.n_docs, itself, topics, n_topics, n_threads);
  Excess lengths;
  for (int64_t d = 0; d < c.n_docs; d++)
    if (c.offsets[d + 1] > c.offsets[d]) note(lengths, c.offsets[d + 1] - c.offsets[d]);
  sum_up(lengths);
  for (int32_t t = 0; t < n_iterations; t++) {
    double total = 0;
    for (int32_t k = 0; k < n_topics; k++) total += alpha[k];
    const double whole = gain(lengths, total);
    share(n_topics, n_threads, [&](int, int64_t k) {
      alpha[k] = std::max(alpha[k] * gain(rows[k], alpha[k]) / whole, SMALLEST);
    });
  }
}

double optimize_beta(const Documents& c, const WordOrder& order, const uint16_t* topics, int32_t n_topics,
                     int32_t n_iterations, int n_threads, double beta) {
  if (c.n_tokens() == 0) return beta;
  const auto token = [&](int64_t i) { return order.slots[order.order[i]]; };
  Excess rows;
  for (const Excess& of_topic : tally(order.offsets, c.n_words, token, topics, n_topics, n_threads)) add(rows, of_topic);
  std::vector<int64_t> totals(n_topics);
  for (int64_t i = 0; i < c.n_tokens(); i++) totals[topics[i]]++;
  const double n_words = (double)c.n_words;
  for (int32_t t = 0; t < n_iterations; t++) {
    double whole = 0;
    for (int64_t n : totals) whole += digamma((double)n + n_words * beta) - digamma(n_words * beta);
    beta = std::max(beta * gain(rows, beta) / (n_words * whole), SMALLEST);
  }
  return beta;
}

}  // namespace fedtopics
