// Delayed-count Metropolis-Hastings (WarpLDA: Chen, Li, Zhu and Chen, VLDB 2016), sixteen tokens of a row at once.
//
// A pass over the rows (the words, then the documents) takes or leaves what the pass before proposed, then proposes for
// the next one. Every token's proposals are drawn from n_k + prior_k of its row *without the token itself*, so that this
// factor cancels in the acceptance ratio and only the factor of the other side decides. All counts are those from before
// the pass, so rows are independent of each other.
#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

INLINE Bits low(Bits record) { return record & all<uint32_t>(0xFFFF); }

INLINE int64_t whole_vectors(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

// The other tokens of a row against its prior, in units of 2^-shift of a token: as fine as 31 bits allow.
struct Odds {
  int shift;
  int32_t tokens;
  uint32_t whole;

  Odds(int64_t n_others, float prior_mass) {
    const uint32_t room = 0x7FFFFFFFu - (uint32_t)n_others;
    uint32_t prior = prior_mass < (float)(room / 2) ? (uint32_t)prior_mass : room / 2;
    const int most = __builtin_clz((uint32_t)n_others + prior + 1) - 1;
    shift = most < 20 ? most : 20;
    if (prior < room / 2) prior = (uint32_t)(prior_mass * (float)(1 << shift));
    tokens = (int32_t)((uint32_t)n_others << shift);
    whole = (uint32_t)tokens + (prior > 0 ? prior : 1);
  }
};

template <int PROPOSALS>
struct Row {
  static constexpr int NONE = -1;
  static constexpr int SIZE = PROPOSALS > 1 ? 2 : 1;  // of a record, in 32-bit words
  const Pass& p;
  uint32_t *first, *second;  // the records, as two columns
  uint32_t* topics;          // what the tokens become
  const int32_t* next;       // order of the row after this one, or null
  int64_t n;
  const float* prior;
  float prior_mass;
  const Alias* alias;       // draws from the prior; null: it is uniform
  const float* cumulative;  // running sums of the prior, to search instead; or null
  float *factor, *own_factor;
  Odds odds;

  METHOD void uncount() {
    for (int64_t i = 0; i < n; i++) p.counts[first[i] & 0xFFFF] = 0;
  }

  // (n_k + prior_k) / (N_k + V beta) for every topic; worth it in rows that are not much shorter than K.
  METHOD void tabulate() {
    for (int32_t k = 0; k < p.stride; k += LANES) {
      const Floats count = to_floats(as_ints(load(p.counts + k)));
      store(factor + k, (count + load(prior + k)) * load(p.inverse + k));
      store(own_factor + k, (count - all(1.0f) + load(prior + k)) * load(p.inverse + k));
    }
  }

  template <int TABLE>
  METHOD Floats factor_of(Bits topic) {
    if (TABLE != NONE) return look_up<TABLE>(factor, topic);
    return (to_floats(as_ints(gather(p.counts, topic))) + gather(prior, topic)) * gather(p.inverse, topic);
  }

  // The same without the token itself.
  template <int TABLE>
  METHOD Floats own_factor_of(Bits topic) {
    if (TABLE != NONE) return look_up<TABLE>(own_factor, topic);
    const Floats count = to_floats(as_ints(gather(p.counts, topic))) - all(1.0f);
    return (count + gather(prior, topic)) * gather(p.inverse, topic);
  }

  template <int TABLE>
  METHOD void accept(Random& random) {
    for (int64_t i = 0; i < n; i += LANES) {
      // The records of the next row arrive while this one is worked on.
      for (int l = 0; next && l < LANES; l++) prefetch(p.records + (int64_t)next[i + l] * SIZE);
      const Bits record = load(first + i), more = PROPOSALS > 1 ? load(second + i) : record, own = low(record);
      const Floats without = own_factor_of<TABLE>(own);
      Bits topic = own;
      Floats current = without;
      _Pragma("GCC unroll 3") for (int m = 0; m < PROPOSALS; m++) {
        const Bits proposal = m == 0 ? record >> 16 : m == 1 ? low(more) : more >> 16;
        const Floats proposed = select(proposal == own, without, factor_of<TABLE>(proposal));
        const Ints yes = random.uniform() * current < proposed;
        topic = select(yes, proposal, topic);
        current = select(yes, proposed, current);
      }
      store(topics + i, topic);
    }
  }

  // Four sums side by side: equal topics in a row would wait for each other.
  METHOD void total() {
    uint32_t* const totals = p.totals;
    const int64_t stride = p.stride;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (int j = 0; j < 4; j++) totals[j * stride + topics[i + j]]++;
    for (; i < n; i++) totals[topics[i]]++;
  }

  // The number of topics whose cumulative prior is at most a uniform share of the whole.
  METHOD Bits search(Floats share) {
    Bits topic = all<uint32_t>(0);
    const uint32_t last_topic = (uint32_t)p.n_topics - 1;
    uint32_t step = last_topic > 0;
    while (2 * step > 0 && 2 * step <= last_topic) step *= 2;
    for (; step > 0; step /= 2) {
      const Bits next = topic + all(step), last = all(last_topic);
      const Bits inside = select(next <= last, next, last);
      const Ints beyond = (gather(cumulative, inside - all<uint32_t>(1)) <= share) & (next <= last);
      topic = select(beyond, next, topic);
    }
    return topic;
  }

  METHOD Bits draw_prior(Random& random) {
    if (cumulative) return search(random.uniform() * all(prior_mass));
    return alias ? random.draw(*alias, (uint32_t)p.n_topics) : random.below((uint32_t)p.n_topics);
  }

  // The topic of another token of the row, or with the prior's share of the mass a draw from the prior.
  METHOD Bits propose(Ints index, Random& random) {
    const Ints last = all((int32_t)(n - 1)), share = as_ints(multiply_high(random.bits(), all(odds.whole)));
    Ints at = share >> odds.shift;
    at = at - (index <= at);
    Bits topic = gather(topics, as_bits(select(at < last, at, last)));
    const Ints from_prior = all(odds.tokens) <= share;
    if (any(from_prior)) topic = select(from_prior, draw_prior(random), topic);
    return topic;
  }

  METHOD void propose_all(Random& random) {
    Ints index = as_ints(load(LANE_NUMBERS));
    for (int64_t i = 0; i < n; i += LANES, index = index + all<int32_t>(LANES)) {
      const Bits proposal = propose(index, random);
      store(first + i, load(topics + i) | proposal << 16);
      if (PROPOSALS == 1) continue;
      Bits more = propose(index, random);
      if (PROPOSALS == 3) more = more | propose(index, random) << 16;
      store(second + i, more);
    }
  }

  METHOD void resample(Random& random) {
    if (n * 8 >= p.stride) {
      tabulate();
      std::memset(p.counts, 0, sizeof(uint32_t) * p.stride);
      if (p.stride <= 64)
        accept<64>(random);
      else if (p.stride <= 128)
        accept<128>(random);
      else
        accept<0>(random);
    } else {
      accept<NONE>(random);
      uncount();
    }
    total();
  }

  // Leaves the topics alone, and the random numbers where `resample` would.
  METHOD void keep(Random& random) {
    for (int64_t i = 0; i < n; i += LANES) {
      store(topics + i, low(load(first + i)));
      for (int m = 0; m < PROPOSALS; m++) random.bits();
    }
  }
};

// The prior of one row: beta plus the counts of others, and a way to draw from it.
struct RowPrior {
  float *weights, *cumulative, *threshold;
  uint32_t *other, *worklist;
  float mass;
  Alias alias;

  RowPrior(float* scratch, int64_t step)
      : weights(scratch), cumulative(weights + step), threshold(cumulative + step),
        other(reinterpret_cast<uint32_t*>(threshold + step)), worklist(other + step), alias{threshold, other} {}

  // Long rows get an alias table, short ones running sums, which take less time to build.
  METHOD bool set(const Pass& p, int64_t row, int64_t n) {
    const float* others = p.others + row * p.n_topics;
    mass = 0;
    for (int32_t k = 0; k < p.n_topics; k++) {
      weights[k] = p.prior[k] + others[k];
      mass += weights[k];
      cumulative[k] = mass;
    }
    const bool is_long = n * 2 >= p.n_topics;
    if (is_long) build_alias(weights, p.n_topics, threshold, other, worklist);
    return is_long;
  }
};

template <int PROPOSALS>
INLINE void fetch(const Pass& p, int64_t begin, Row<PROPOSALS>& row) {
  constexpr int SIZE = Row<PROPOSALS>::SIZE, AHEAD = 32;
  const uint32_t* const records = p.records;
  const int32_t* const order = p.order ? p.order + begin : nullptr;
  uint32_t* const counts = p.counts;
  const bool accept = p.accept;
  for (int64_t i = 0; i < row.n; i++) {
    if (order) prefetch(records + (int64_t)order[i + AHEAD] * SIZE);
    const uint32_t* record = records + (order ? order[i] : begin + i) * SIZE;
    row.first[i] = record[0];
    if (SIZE > 1 && accept) row.second[i] = record[1];
    if (accept) counts[record[0] & 0xFFFF]++;
  }
  for (int64_t i = row.n; i < whole_vectors(row.n); i++) row.first[i] = row.second[i] = 0;
}

template <int PROPOSALS>
INLINE void put_back(const Pass& p, int64_t begin, const Row<PROPOSALS>& row) {
  constexpr int SIZE = Row<PROPOSALS>::SIZE;
  for (int64_t i = 0; i < row.n; i++) {
    uint32_t* record = p.records + (p.order ? p.order[begin + i] : begin + i) * SIZE;
    record[0] = row.first[i];
    if (SIZE > 1) record[1] = row.second[i];
  }
}

template <int PROPOSALS>
void visit_rows(const Pass& p) {
  const int64_t step = p.stride > 128 ? p.stride : 128;
  float *factor = p.scratch, *own_factor = factor + step, mass = 0;
  RowPrior own(own_factor + step, step);
  for (int32_t k = 0; k < p.n_topics; k++) mass += p.prior[k];
  for (int64_t r = p.first; r < p.last; r++) {
    const int64_t begin = p.offsets[r], n = p.offsets[r + 1] - begin;
    if (n == 0) continue;
    const float *prior = p.prior, *cumulative = nullptr;
    const Alias* alias = p.alias;
    if (p.others) {
      const bool table = own.set(p, r, n);
      prior = own.weights;
      mass = own.mass;
      alias = &own.alias;
      if (!table) cumulative = own.cumulative;
    }
    const int32_t* next = p.order && begin + 2 * n < p.offsets[p.n_rows] ? p.order + begin + n : nullptr;
    Row<PROPOSALS> row{p, p.row, p.row + p.longest, p.row + 2 * p.longest, next, n, prior, mass, alias, cumulative,
                       factor, own_factor, Odds(n - 1, mass)};
    Random random(p.seed, p.order ? Purpose::word : Purpose::document, p.sweep, (uint32_t)r);
    fetch(p, begin, row);
    if (p.accept)
      row.resample(random);
    else
      row.keep(random);
    row.propose_all(random);
    put_back(p, begin, row);
  }
}

}  // namespace

void pass(const Pass& p) {
  if (p.n_proposals == 1)
    visit_rows<1>(p);
  else if (p.n_proposals == 2)
    visit_rows<2>(p);
  else
    visit_rows<3>(p);
}

}  // namespace fedtopics::FEDTOPICS_ISA
