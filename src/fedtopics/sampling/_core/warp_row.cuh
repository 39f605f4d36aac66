// A row of warp.cu and what a pass over rows is given: the tokens of a document, or of a word. PROPOSALS is 1, 2 or 3.
#pragma once
#include "random.cuh"

struct Record {
  Topic topic, proposals[3];
};

// A pass over rows, as in kernels.hpp; `topics` is room for what the tokens become, row by row.
struct Pass {
  const Long* offsets;     // of the rows
  const Bits* places;      // (n_tokens,) record of each token; null: the records are in this order
  Record* records;
  Topic* topics;
  const float* prior;
  const float* threshold;  // an alias table that draws from the prior; null: it is uniform
  const Bits* other;
  const float* inverse;    // 1 / (n_k + V beta)
  Bits* totals;            // added to
  const Bits* jumps;       // polynomials of steps: 2^r times t at (r, t)
  unsigned long long seed;
  float prior_mass;
  int n_topics;
  Bits purpose, sweep, first_row;
  int accept;
};

#define PASS_PARAMETERS                                                                                              \
  const Long *offsets, const Bits *places, Record *records, Topic *topics, const float *prior,                       \
      const float *threshold, const Bits *other, const float *inverse, Bits *totals, const Bits *jumps,               \
      unsigned long long seed, float prior_mass, int n_topics, Bits purpose, Bits sweep, Bits first_row, int accept
#define PASS                                                                                                         \
  {offsets, places, records, topics, prior, threshold, other, inverse, totals, jumps, seed, prior_mass, n_topics,    \
   purpose, sweep, first_row, accept}

// Counts of up to 65,535 tokens, two to a number.
struct CompactCounts {
  Bits* pairs;
  __device__ void add(int k) { atomicAdd(pairs + k / 2, 1u << k % 2 * 16); }
  __device__ int operator[](int k) const { return (int)(pairs[k / 2] >> k % 2 * 16 & 0xFFFFu); }
  __device__ void forget(int k) { pairs[k / 2] = 0; }
  __device__ static int size(int n_topics) { return (n_topics + 1) / 2; }
};

struct WideCounts {
  Bits* counts;
  __device__ void add(int k) { atomicAdd(counts + k, 1u); }
  __device__ int operator[](int k) const { return (int)counts[k]; }
};

// The other tokens of a row against its prior: `Odds` of warp.cpp.
struct Odds {
  int shift, tokens;
  Bits whole;

  __device__ Odds(int n_others, float prior_mass) {
    const Bits room = 0x7FFFFFFFu - (Bits)n_others;
    Bits prior = prior_mass < (float)(room / 2) ? (Bits)prior_mass : room / 2;
    const int most = __clz((int)((Bits)n_others + prior + 1)) - 1;
    shift = most < 20 ? most : 20;
    if (prior < room / 2) prior = (Bits)(prior_mass * (float)(1 << shift));
    tokens = (int)((Bits)n_others << shift);
    whole = (Bits)tokens + (prior > 0 ? prior : 1);
  }
  __device__ bool is_prior(int share) const { return tokens <= share; }
};

template <class Counts>
struct Row {
  const Pass& p;
  Long begin;
  int n, n_vectors;
  Odds odds;
  Counts counts;
  Bits* kept;  // tokens that each topic has now, to be added to the totals

  __device__ Row(const Pass& pass, Long first, Long last, Counts in, Bits* totals)
      : p(pass), begin(first), n((int)(last - first)), n_vectors((n + LANES - 1) / LANES), odds(n - 1, pass.prior_mass),
        counts(in), kept(totals) {}

  __device__ Record* record(int i) const { return p.records + (p.places ? (Long)p.places[begin + i] : begin + i); }

  __device__ void count(int first, int step) {
    for (int i = first; i < n; i += step) counts.add(record(i)->topic);
  }

  // (n_k + prior_k) / (N_k + V beta), less the token itself in its own topic.
  __device__ float factor(int k, bool own) const {
    float count = (float)counts[k];
    if (own) count = count - 1.0f;
    return (count + p.prior[k]) * p.inverse[k];
  }

  // Takes or leaves what was proposed to the tokens of vector v; draws the numbers of a pass that takes nothing, too.
  __device__ void accept(int v, Random& random) {
    const int i = v * LANES + lane();
    if (i >= n || !p.accept) {
      random.skip(PROPOSALS);
      if (i < n) p.topics[begin + i] = record(i)->topic;
      return;
    }
    const Record had = *record(i);
    int topic = had.topic;
    const float without = factor(topic, true);
    float current = without;
#pragma unroll
    for (int m = 0; m < PROPOSALS; m++) {
      const int proposal = had.proposals[m];
      const float proposed = proposal == had.topic ? without : factor(proposal, false);
      if (random.uniform() * current < proposed) {
        topic = proposal;
        current = proposed;
      }
    }
    p.topics[begin + i] = (Topic)topic;
    atomicAdd(kept + topic, 1u);
  }

  __device__ int prior_draws() const { return p.threshold ? 2 : 1; }

  __device__ int from_prior(Random& random) const {
    const Bits column = random.below((Bits)p.n_topics);
    if (!p.threshold) return (int)column;
    return (int)(random.uniform() < p.threshold[column] ? column : p.other[column]);
  }

  // The topic of another token of the row, or one from the prior; `drawn` counts the numbers.
  __device__ int propose(int index, Random& random, int& drawn) const {
    const int share = (int)random.below(odds.whole), last = n - 1;
    int at = share >> odds.shift;
    at += index <= at;
    int topic = p.topics[begin + (at < last ? at : last)];
    drawn++;
    if (any_lane(odds.is_prior(share))) {
      const int drawn_topic = from_prior(random);
      if (odds.is_prior(share)) topic = drawn_topic;
      drawn += prior_draws();
    }
    return topic;
  }

  // New proposals for the tokens of vector v.
  __device__ void renew(int v, Random& random, int& drawn) const {
    const int i = v * LANES + lane();
    Record made = {};
#pragma unroll
    for (int m = 0; m < PROPOSALS; m++) made.proposals[m] = (Topic)propose(i, random, drawn);
    if (i >= n) return;
    made.topic = p.topics[begin + i];
    *record(i) = made;
  }
};
