// warp.cpp on a GPU: delayed-count Metropolis-Hastings with the same random numbers, so with the same topics, bit for bit.
//
// A record is four numbers of 16 bits, a topic and up to three proposals. Records lie word by word, and documents find
// theirs through `places`: documents that are worked on together have their common words side by side. A row of few
// tokens belongs to one half-warp, which has its counts in 16 bits each; a long one to a whole block.
#include "warp_row.cuh"

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
