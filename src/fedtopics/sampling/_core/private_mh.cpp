// The kernel cycles through two proposals, as FTM does, with acceptance min{1, pi(z') q(z) / (pi(z) q(z'))}:
//
//   document  the topic of a random *other* unit of the document, or with probability K alpha / (n - 1 + K alpha) any
//             topic; q cancels the document's factor of pi, so L(z') / L(z) remains
//   word      a topic drawn in proportion to the weight of one of the unit's hint words, chosen whatever its topic
//
// The unit's own topic is in neither proposal, so both leave pi(z) ~ (n_dz + alpha) L(z) unchanged.
#include "channel_posterior.hpp"
#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

double plug_in(const PrivateUnits& p, const float* log_phi, int64_t first, int64_t last) {
  double sums[4] = {0, 0, 0, 0};
  int64_t e = first;
  for (; e + 4 <= last; e += 4)
    for (int i = 0; i < 4; i++) sums[i] += (double)p.values[e + i] * log_phi[p.words[e + i]];
  for (; e < last; e++) sums[0] += (double)p.values[e] * log_phi[p.words[e]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double one_hot(const PrivateUnits& p, const float* phi, int64_t first, int64_t last) {
  double sum = 1.0;
  for (int64_t e = first; e < last; e++) sum += (double)p.values[e] * phi[p.words[e]];
  return logarithm(sum);
}

double counts(const PrivateUnits& p, const float* phi, double length, int64_t first, int64_t last) {
  double sum = 0.0;
  for (int64_t e = first; e < last; e++) {
    const double mu = length * phi[p.words[e]];
    if (mu <= 0.0) continue;
    float expected, evidence;
    posterior_alone(p.values[e], mu, p.decay, 0.0, &expected, &evidence);
    sum += evidence - p.decay * mu;  // every word that did not survive is worth exp(-(1 - a) mu)
  }
  return sum;
}

double log_likelihood(const PrivateUnits& p, const PrivateTopics& t, int64_t u, int32_t k) {
  const int64_t first = p.units[u], last = p.units[u + 1], row = (int64_t)k * t.n_words;
  if (p.evidence == Evidence::plug_in) return plug_in(p, t.log_phi + row, p.rows[first], p.rows[last]);
  if (p.evidence == Evidence::counts) return counts(p, t.phi + row, p.lengths[u], p.rows[first], p.rows[last]);
  double sum = 0.0;
  for (int64_t r = first; r < last; r++) sum += one_hot(p, t.phi + row, p.rows[r], p.rows[r + 1]);
  return sum;
}

int32_t from_word(const PrivateTopics& t, int64_t at, Stream& random) {
  return (int32_t)random.draw(t.alias.from(at), (uint32_t)t.n_topics);
}

int32_t from_document(const PrivateTopics& t, const uint16_t* topics, int64_t u, int64_t begin, int64_t end,
                      Stream& random) {
  const int64_t n_others = end - begin - 1;
  const double prior = t.alpha * t.n_topics;
  if (random.uniform() * (prior + (double)n_others) < prior) return (int32_t)random.below((uint32_t)t.n_topics);
  const int64_t j = begin + random.below((uint32_t)n_others);
  return topics[j < u ? j : j + 1];
}

// Draws topics of the units of one document in place.
struct Chain {
  const PrivateUnits& p;
  const PrivateTopics& t;
  const int32_t* others;  // topics of the other units of the document
  Stream& random;
  int64_t u;
  int32_t topic;
  double likelihood;

  void consider(int32_t proposal, double log_odds) {
    if (proposal == topic) return;
    const double proposed = log_likelihood(p, t, u, proposal);
    if (logarithm((double)random.uniform() + 0x1p-25) < proposed - likelihood + log_odds) {
      topic = proposal;
      likelihood = proposed;
    }
  }

  double document_factor(int32_t k) const { return (double)others[k] + t.alpha; }

  void follow_word() {
    const int64_t n_hints = p.hints[u + 1] - p.hints[u];
    if (!n_hints) return;
    const int64_t at = p.hint_words[p.hints[u] + random.below((uint32_t)n_hints)] * (int64_t)t.n_topics;
    const int32_t proposal = from_word(t, at, random);
    const double back = t.proposals[at + topic], there = t.proposals[at + proposal];
    if (back > 0.0)
      consider(proposal, logarithm(document_factor(proposal) * back) - logarithm(document_factor(topic) * there));
  }
};

}  // namespace

void private_metropolis(const PrivateUnits& p, const PrivateTopics& t, int64_t d, uint16_t* topics,
                        int32_t n_proposals, uint64_t seed, uint32_t sweep, int32_t* counts) {
  const int64_t begin = p.documents[d], end = p.documents[d + 1];
  Stream random(seed, Purpose::metropolis, sweep, (uint32_t)d);
  for (int64_t u = begin; u < end; u++) counts[topics[u]]++;
  for (int64_t u = begin; u < end; u++) {
    counts[topics[u]]--;
    Chain chain{p, t, counts, random, u, topics[u], log_likelihood(p, t, u, topics[u])};
    for (int32_t i = 0; i < n_proposals; i++) {
      chain.consider(from_document(t, topics, u, begin, end, random), 0.0);
      chain.follow_word();
    }
    topics[u] = (uint16_t)chain.topic;
    counts[topics[u]]++;
  }
  for (int64_t u = begin; u < end; u++) counts[topics[u]] = 0;
}

void private_assign(const PrivateUnits& p, const PrivateTopics& t, int64_t d, uint16_t* topics, uint64_t seed) {
  Stream random(seed, Purpose::start, 0, (uint32_t)d);
  for (int64_t u = p.documents[d]; u < p.documents[d + 1]; u++) {
    const int64_t n_hints = p.hints[u + 1] - p.hints[u];
    const int64_t hint = n_hints ? p.hints[u] + random.below((uint32_t)n_hints) : 0;
    topics[u] = (uint16_t)(n_hints ? from_word(t, p.hint_words[hint] * (int64_t)t.n_topics, random)
                                   : (int32_t)random.below((uint32_t)t.n_topics));
  }
}

}  // namespace fedtopics::FEDTOPICS_ISA
