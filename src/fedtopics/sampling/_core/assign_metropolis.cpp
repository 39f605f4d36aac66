// Metropolis-Hastings under fixed topics in constant time per token (the cycle of LightLDA: Yuan et al., WWW 2015).
//
// The document proposal copies the topic of a random *other* token of the document, or draws from the prior: it cancels
// n_dk + alpha_k, and phi decides. The word proposal draws from the word's alias table: it cancels phi, and n_dk + alpha_k
// decides. Neither contains the token itself, so both leave the posterior as it is.
#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

struct Sampler {
  const AssignMetropolis& m;

  METHOD int32_t draw(const Alias& alias, Stream& random) { return (int32_t)random.draw(alias, (uint32_t)m.n_topics); }

  METHOD int32_t from_document(int64_t i, int64_t begin, int64_t end, Stream& random) {
    const int64_t n_others = end - begin - 1;
    if (random.uniform() * (m.alpha_mass + (float)n_others) < m.alpha_mass) return draw(m.alpha_alias, random);
    const int64_t j = begin + random.below((uint32_t)n_others);
    return m.topics[j < i ? j : j + 1];
  }

  METHOD int32_t resample(int64_t i, int64_t begin, int64_t end, Stream& random) {
    const int64_t row = (int64_t)m.words[i] * m.n_topics;
    const auto document_factor = [&](int32_t k) { return (float)m.counts[k] + m.alpha[k]; };
    int32_t topic = m.topics[i];
    for (int32_t step = 0; step < m.n_proposals; step++) {
      int32_t proposal = from_document(i, begin, end, random);
      if (random.uniform() * m.phi[row + topic] < m.phi[row + proposal]) topic = proposal;
      proposal = draw(m.word_alias.from(row), random);
      if (random.uniform() * document_factor(topic) < document_factor(proposal)) topic = proposal;
    }
    return topic;
  }

  METHOD void visit(int64_t d) {
    const int64_t begin = m.offsets[d], end = m.offsets[d + 1];
    Stream random(m.seed, Purpose::metropolis, m.sweep, (uint32_t)d);
    for (int64_t i = begin; i < end; i++) m.counts[m.topics[i]]++;
    for (int64_t i = begin; i < end; i++) {
      m.counts[m.topics[i]]--;
      m.topics[i] = (uint16_t)resample(i, begin, end, random);
      m.counts[m.topics[i]]++;
    }
    for (int64_t i = begin; i < end; i++) m.counts[m.topics[i]] = 0;
  }
};

}  // namespace

void assign_metropolis(const AssignMetropolis& m) {
  Sampler sampler{m};
  for (int64_t d = m.first; d < m.last; d++) sampler.visit(d);
}

}  // namespace fedtopics::FEDTOPICS_ISA
