// warp.cpp on a GPU: delayed-count Metropolis-Hastings with the same random numbers, so with the same topics, bit for bit.
//
// A record is four numbers of 16 bits, a topic and up to three proposals. Records lie word by word, and documents find
// theirs through `places`: documents that are worked on together have their common words side by side. A row of few
// tokens belongs to one half-warp, which has its counts in 16 bits each; a long one to a whole block.
//
// PROPOSALS is 1, 2 or 3.
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

__device__ inline void clear(Bits* numbers, int n, int first, int step) {
  for (int i = first; i < n; i += step) numbers[i] = 0;
}

__device__ inline void add_to_totals(Bits* totals, const Bits* kept, int n_topics) {
  for (int k = threadIdx.x; k < n_topics; k += blockDim.x)
    if (kept[k]) atomicAdd(totals + k, kept[k]);
}

// Each half-warp has rows of its own. Shared: n_topics numbers, and CompactCounts for each half-warp.
extern "C" __global__ void short_rows(const int* rows, int n_rows, PASS_PARAMETERS) {
  const Pass p = PASS;
  SHARED(shared);
  const int size = CompactCounts::size(n_topics);
  const CompactCounts counts{shared + n_topics + team() * size};
  clear(shared, n_topics + n_teams() * size, threadIdx.x, blockDim.x);
  __syncthreads();
  for (int j = blockIdx.x * n_teams() + team(); j < n_rows; j += gridDim.x * n_teams()) {
    Row<CompactCounts> row(p, offsets[rows[j]], offsets[rows[j] + 1], counts, shared);
    Random random(seed, purpose, sweep, first_row + rows[j]);
    if (accept) row.count(lane(), LANES);
    meet();
    for (int v = 0; v < row.n_vectors; v++) row.accept(v, random);
    meet();
    // Zeros again, the cheaper way.
    if (accept && row.n * 8 < n_topics)
      for (int i = lane(); i < row.n; i += LANES) row.counts.forget(row.record(i)->topic);
    else if (accept)
      clear(counts.pairs, size, lane(), LANES);
    int drawn = 0;
    meet();
    for (int v = 0; v < row.n_vectors; v++) row.renew(v, random, drawn);
  }
  __syncthreads();
  add_to_totals(totals, shared, n_topics);
}

// Which of the row's random numbers each half-warp draws proposals from.
struct Shares {
  // Entering with 0, 1 or 2 numbers still to be passed over: proposals begun, and numbers to be passed over after it.
  int begun[MOST_TEAMS][3], left[MOST_TEAMS][3];
  int first[MOST_TEAMS], pass_over[MOST_TEAMS];
  Bits state[4][LANES];  // of the random numbers, once all tokens have been accepted

  __device__ void chain(int n) {
    int proposal = 0, over = 0;
    for (int t = 0; t < n; t++) {
      first[t] = proposal;
      pass_over[t] = over;
      proposal += begun[t][over];
      over = left[t][over];
    }
  }
};

// Smallest power of two, of at least `least` bits, that as often as there are half-warps makes n.
__device__ inline int bits_of_range(double n, int least) {
  int bits = least;
  while ((double)n_teams() * (double)(1u << bits) < n) bits++;
  return bits;
}

// Each block has a row; its half-warps jump to their parts of the row's random numbers. Shared: twice n_topics numbers.
extern "C" __global__ void long_rows(const int* rows, int n_rows, PASS_PARAMETERS) {
  const Pass p = PASS;
  SHARED(shared);
  __shared__ Shares shares;
  clear(shared, 2 * n_topics, threadIdx.x, blockDim.x);
  __syncthreads();
  const int number = rows[blockIdx.x], me = team(), last = n_teams() - 1;
  Row<WideCounts> row(p, offsets[number], offsets[number + 1], WideCounts{shared + n_topics}, shared);
  if (accept) row.count(threadIdx.x, blockDim.x);
  __syncthreads();

  // Vectors are those whose first number is in this half-warp's range.
  int bits = bits_of_range((double)row.n_vectors * PROPOSALS, LEAST_BITS);
  Random random(seed, purpose, sweep, first_row + number);
  random.jump(jumps + (bits * MOST_TEAMS + me) * 4);
  const Long range = 1ll << bits, first = (me * range + PROPOSALS - 1) / PROPOSALS;
  const Long end = ((me + 1) * range + PROPOSALS - 1) / PROPOSALS;
  random.skip((int)(first * PROPOSALS - me * range));
  for (Long v = first; v < end && v < row.n_vectors; v++) row.accept((int)v, random);
  if (first < row.n_vectors && row.n_vectors <= end)
    for (int i = 0; i < 4; i++) shares.state[i][lane()] = random.state(i);
  __syncthreads();

  // Proposals take one number, or more where a lane draws from the prior: that is in the numbers, not in the topics.
  const double chance = 1.0 - pow((double)row.odds.tokens / row.odds.whole, (double)LANES);
  const double expected = row.n_vectors * PROPOSALS * (1.0 + row.prior_draws() * chance);
  bits = bits_of_range(expected, LEAST_BITS);
  for (int i = 0; i < 4; i++) random.state(i) = shares.state[i][lane()];
  random.jump(jumps + (bits * MOST_TEAMS + me) * 4);
  const Random start = random;
  int begun[3] = {0, 0, 0}, left[3] = {0, 1, 2};
  for (int i = 0; i < 1 << bits; i++) {
    const bool prior = any_lane(row.odds.is_prior((int)random.below(row.odds.whole)));
#pragma unroll
    for (int over = 0; over < 3; over++) {
      const bool begins = left[over] == 0;
      begun[over] += begins;
      left[over] = begins ? (prior ? row.prior_draws() : 0) : left[over] - 1;
    }
  }
  for (int over = 0; over < 3 && lane() == 0; over++) {
    shares.begun[me][over] = begun[over];
    shares.left[me][over] = left[over];
  }
  __syncthreads();
  if (threadIdx.x == 0) shares.chain(n_teams());
  __syncthreads();

  // Again, with the vectors that begin in this half-warp's range; the end of the vector before belongs to who began it.
  random = start;
  int drawn = shares.pass_over[me], proposal = shares.first[me];
  random.skip(drawn);
  for (; proposal % PROPOSALS != 0; proposal++) {
    const bool prior = any_lane(row.odds.is_prior((int)random.below(row.odds.whole)));
    const int more = prior ? row.prior_draws() : 0;
    random.skip(more);
    drawn += 1 + more;
  }
  for (int v = proposal / PROPOSALS; v < row.n_vectors && (me == last || drawn < 1 << bits); v++)
    row.renew(v, random, drawn);
  add_to_totals(totals, shared, n_topics);
}

// 1 / (n_k + prior of the topic), and totals of zero for the next pass.
extern "C" __global__ void invert(Bits* totals, float* inverse, double prior_total, int n_topics) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n_topics) return;
  inverse[k] = (float)(1.0 / ((double)totals[k] + prior_total));
  totals[k] = 0;
}

// The topic of each token, from the corpus's order into its record.
extern "C" __global__ void read_topics(const Topic* topics, const int* slots, const Bits* places, Record* records,
                                       Long first, Long n, Bits* totals) {
  const Long r = (Long)blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  Record made = {};
  made.topic = topics[slots[r]];
  records[places[first + r]] = made;
  atomicAdd(totals + made.topic, 1u);
}

// And back.
extern "C" __global__ void write_topics(Topic* topics, const int* slots, const Bits* places, const Record* records,
                                        Long first, Long n) {
  const Long r = (Long)blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) topics[slots[r]] = records[places[first + r]].topic;
}

// Tokens of each word in each topic; a half-warp for each word.
extern "C" __global__ void count_words(const Long* offsets, const Bits* places, const Record* records, int* counts,
                                       int n_words, int n_topics) {
  const int w = blockIdx.x * n_teams() + team();
  if (w >= n_words) return;
  for (Long q = offsets[w] + lane(); q < offsets[w + 1]; q += LANES)
    atomicAdd(counts + (Long)w * n_topics + records[places ? (Long)places[q] : q].topic, 1);
}
