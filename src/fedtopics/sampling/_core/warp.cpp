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

template <int PROPOSALS>
struct Row {
  const Pass& p;
  uint32_t *first, *second;  // the records, as two columns
  uint32_t* topics;          // what the tokens become
  int64_t n;
  const float* prior;
  float prior_mass;
  float *factor, *cumulative;

  METHOD void count() {
    for (int64_t i = 0; i < n; i++) p.counts[first[i] & 0xFFFF]++;
  }
  METHOD void uncount() {
    for (int64_t i = 0; i < n; i++) p.counts[first[i] & 0xFFFF] = 0;
  }

  // (n_k + prior_k) / (N_k + V beta) for every topic; worth it in rows that are not much shorter than K.
  METHOD void tabulate() {
    for (int32_t k = 0; k < p.stride; k += LANES)
      store(factor + k, (to_floats(as_ints(load(p.counts + k))) + load(prior + k)) * load(p.inverse + k));
  }

  template <bool TABLE>
  METHOD Floats factor_of(Bits topic) {
    if (TABLE) return gather(factor, topic);
    return (to_floats(as_ints(gather(p.counts, topic))) + gather(prior, topic)) * gather(p.inverse, topic);
  }

  template <bool TABLE>
  METHOD void accept(Random& random) {
    for (int64_t i = 0; i < n; i += LANES) {
      const Bits record = load(first + i), more = PROPOSALS > 1 ? load(second + i) : record, own = low(record);
      const Floats own_factor = factor_of<TABLE>(own) - gather(p.inverse, own);
      Bits topic = own;
      Floats current = own_factor;
      _Pragma("GCC unroll 3") for (int m = 0; m < PROPOSALS; m++) {
        const Bits proposal = m == 0 ? record >> 16 : m == 1 ? low(more) : more >> 16;
        const Floats proposed = select(proposal == own, own_factor, factor_of<TABLE>(proposal));
        const Ints yes = random.uniform() * current < proposed;
        topic = select(yes, proposal, topic);
        current = select(yes, proposed, current);
      }
      store(topics + i, topic);
    }
  }

  METHOD void total() {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (int j = 0; j < 4; j++) p.totals[j * p.stride + topics[i + j]]++;
    for (; i < n; i++) p.totals[topics[i]]++;
  }

  // The number of topics whose cumulative prior is at most a uniform share of the whole.
  METHOD Bits search(Floats share) {
    Bits topic = all<uint32_t>(0);
    uint32_t step = 1;
    while (2 * step <= (uint32_t)p.n_topics) step *= 2;
    for (; step > 0; step /= 2) {
      const Bits next = topic + all(step), last = all((uint32_t)p.n_topics - 1);
      const Bits inside = select(next <= last, next, last);
      const Ints beyond = (gather(cumulative, inside - all<uint32_t>(1)) <= share) & (next <= last);
      topic = select(beyond, next, topic);
    }
    return topic;
  }

  METHOD Bits draw_prior(Random& random) {
    if (p.others) return search(random.uniform() * all(prior_mass));
    const Bits column = multiply_high(random.bits(), all((uint32_t)p.n_topics));
    if (!p.alias) return column;
    return select(random.uniform() < gather(p.alias->threshold, column), column, gather(p.alias->other, column));
  }

  // The topic of another token of the row, or with the prior's share of the mass a draw from the prior.
  METHOD Bits propose(Bits index, Random& random) {
    const Bits n_others = all((uint32_t)(n - 1));
    Bits at = multiply_high(random.bits(), n_others);
    at = at - as_bits(index <= at);
    Bits topic = gather(topics, select(at <= n_others, at, n_others));
    const Ints from_prior = random.uniform() * all(prior_mass + (float)(n - 1)) < all(prior_mass);
    if (any(from_prior)) topic = select(from_prior, draw_prior(random), topic);
    return topic;
  }

  METHOD void propose_all(Random& random) {
    Bits index = load(LANE_NUMBERS);
    for (int64_t i = 0; i < n; i += LANES, index = index + all<uint32_t>(LANES)) {
      const Bits proposal = propose(index, random);
      store(first + i, load(topics + i) | proposal << 16);
      if (PROPOSALS == 1) continue;
      Bits more = propose(index, random);
      if (PROPOSALS == 3) more = more | propose(index, random) << 16;
      store(second + i, more);
    }
  }

  METHOD void resample(Random& random) {
    count();
    if (n * 8 >= p.stride) {
      tabulate();
      std::memset(p.counts, 0, sizeof(uint32_t) * p.stride);
      accept<true>(random);
    } else {
      accept<false>(random);
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

// The prior of word `row`: beta plus the counts of others, with running sums to draw from. Returns its mass.
INLINE float add_others(const Pass& p, int64_t row, float* prior, float* cumulative) {
  const float* others = p.others + row * p.n_topics;
  float mass = 0;
  for (int32_t k = 0; k < p.n_topics; k++) {
    prior[k] = p.prior[k] + others[k];
    mass += prior[k];
    cumulative[k] = mass;
  }
  return mass;
}

template <int PROPOSALS>
INLINE void fetch(const Pass& p, int64_t begin, Row<PROPOSALS>& row) {
  constexpr int SIZE = PROPOSALS > 1 ? 2 : 1, AHEAD = 32;
  for (int64_t i = 0; i < row.n; i++) {
    if (p.order) prefetch(p.records + (int64_t)p.order[begin + i + AHEAD] * SIZE);
    const uint32_t* record = p.records + (p.order ? p.order[begin + i] : begin + i) * SIZE;
    row.first[i] = record[0];
    if (SIZE > 1) row.second[i] = record[1];
  }
  for (int64_t i = row.n; i < whole_vectors(row.n); i++) row.first[i] = row.second[i] = 0;
}

template <int PROPOSALS>
INLINE void put_back(const Pass& p, int64_t begin, const Row<PROPOSALS>& row) {
  constexpr int SIZE = PROPOSALS > 1 ? 2 : 1;
  for (int64_t i = 0; i < row.n; i++) {
    uint32_t* record = p.records + (p.order ? p.order[begin + i] : begin + i) * SIZE;
    record[0] = row.first[i];
    if (SIZE > 1) record[1] = row.second[i];
  }
}

template <int PROPOSALS>
void visit_rows(const Pass& p) {
  float *factor = p.scratch, *prior = factor + p.stride, *cumulative = prior + p.stride, mass = 0;
  for (int32_t k = 0; k < p.n_topics; k++) mass += p.prior[k];
  for (int64_t r = p.first; r < p.last; r++) {
    const int64_t begin = p.offsets[r], n = p.offsets[r + 1] - begin;
    if (n == 0) continue;
    if (p.others) mass = add_others(p, r, prior, cumulative);
    Row<PROPOSALS> row{p, p.row, p.row + p.longest, p.row + 2 * p.longest, n, p.others ? prior : p.prior, mass, factor,
                       cumulative};
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
