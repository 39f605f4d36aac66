// Exact Metropolis-Hastings in constant time per token (the cycle of LightLDA: Yuan et al., WWW 2015).
//
// Proposals come from the document (n_dk + alpha_k) and from the word (n_wk + base_wk) in turn. Both are drawn from the
// present counts without the token itself: the topic of a random *other* token of the document or word, or a draw from
// the alias table of the fixed part. So the proposal's probability cancels one factor of the posterior exactly; tables of
// stale counts, which LightLDA uses, would leave a bias.
#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

struct Sampler {
  const Metropolis& m;

  METHOD void update_inverse(int32_t k) { m.inverse[k] = 1.0f / (float)((double)m.totals[k] + m.prior_totals[k]); }

  METHOD void move(int32_t w, int32_t k, int32_t by) {
    m.counts[k] += by;
    m.word_topic[(int64_t)w * m.n_topics + k] += by;
    m.totals[k] += by;
    update_inverse(k);
  }

  METHOD float word_factor(int32_t w, int32_t k) {
    const int64_t cell = (int64_t)w * m.n_topics + k;
    return ((float)m.word_topic[cell] + (m.base ? m.base[cell] : m.beta)) * m.inverse[k];
  }
  METHOD float document_factor(int32_t k) { return ((float)m.counts[k] + m.alpha[k]) * m.inverse[k]; }

  METHOD int32_t from_document(int64_t i, int64_t begin, int64_t end, Stream& random) {
    const int64_t n_others = end - begin - 1;
    if (random.uniform() * (m.alpha_mass + (float)n_others) < m.alpha_mass)
      return (int32_t)(m.alpha_alias ? random.draw(*m.alpha_alias, (uint32_t)m.n_topics)
                                     : random.below((uint32_t)m.n_topics));
    const int64_t j = begin + random.below((uint32_t)n_others);
    return m.topics[j < i ? j : j + 1];
  }

  METHOD int32_t from_word(int64_t i, int32_t w, Stream& random) {
    const int64_t begin = m.word_offsets[w], n_others = m.word_offsets[w + 1] - begin - 1;
    const float mass = m.base ? m.base_mass[w] : m.beta * (float)m.n_topics;
    if (random.uniform() * (mass + (float)n_others) < mass) {
      if (!m.base) return (int32_t)random.below((uint32_t)m.n_topics);
      return (int32_t)random.draw(m.base_alias.from((int64_t)w * m.n_topics), (uint32_t)m.n_topics);
    }
    // The last token of the word stands in for the token itself.
    const int32_t j = m.order[begin + random.below((uint32_t)n_others)];
    return m.topics[j != i ? j : m.order[begin + n_others]];
  }

  METHOD int32_t resample(int64_t i, int32_t w, int64_t begin, int64_t end, Stream& random) {
    int32_t topic = m.topics[i];
    for (int32_t step = 0; step < m.n_proposals; step++) {
      int32_t proposal = from_document(i, begin, end, random);
      if (random.uniform() * word_factor(w, topic) < word_factor(w, proposal)) topic = proposal;
      proposal = from_word(i, w, random);
      if (random.uniform() * document_factor(topic) < document_factor(proposal)) topic = proposal;
    }
    return topic;
  }

  METHOD void visit(int64_t d) {
    const int64_t begin = m.offsets[d], end = m.offsets[d + 1];
    Stream random(m.seed, Purpose::metropolis, m.sweep, (uint32_t)d);
    for (int64_t i = begin; i < end; i++) m.counts[m.topics[i]]++;
    for (int64_t i = begin; i < end; i++) {
      const int32_t w = m.words[i];
      move(w, m.topics[i], -1);
      m.topics[i] = (uint16_t)resample(i, w, begin, end, random);
      move(w, m.topics[i], 1);
    }
    for (int64_t i = begin; i < end; i++) m.counts[m.topics[i]] = 0;
  }
};

}  // namespace

void metropolis(const Metropolis& m) {
  Sampler sampler{m};
  for (int32_t k = 0; k < m.n_topics; k++) sampler.update_inverse(k);
  for (int64_t d = m.first; d < m.last; d++) sampler.visit(d);
}

}  // namespace fedtopics::FEDTOPICS_ISA
