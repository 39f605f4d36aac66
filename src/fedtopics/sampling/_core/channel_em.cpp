// The E step on noisy histograms, compiled once per instruction set (FEDTOPICS_ISA names the namespace).
//
// Nothing of the standard library is instantiated here: under AVX-512 it could be linked into the plain build.
#include "channel_gaussian.hpp"
#include "kernels.hpp"

namespace fedtopics::FEDTOPICS_ISA {
namespace {

constexpr float FLOOR = 0.02f;  // least factor that leaving a token out may apply
constexpr float SMALLEST = 1e-30f;
constexpr int64_t AHEAD = 8;  // rows fetched before they are needed

// Up to sixteen entries of one document.
struct Batch {
  int64_t first;
  int count;
  const float* rows[LANES];
  Floats values;
  Floats densities;   // sum_k theta_k phi_kw
  Floats likelihood;  // log-likelihood of each entry
  Floats weights;     // expected tokens per unit of unnormalized responsibility
};

// VECTORS: width / 16 where known at compile time, else 0.
template <int VECTORS>
struct Expectations {
  const ChannelProblem& problem;
  ChannelSums& sums;
  float *theta, *shares, *gained, *rest, *responsibilities;
  float intensity = 0.0f;
  double alpha_sum = 0.0;
  const GaussianLaw gaussian;

  Expectations(const ChannelProblem& given, ChannelSums& into, float* scratch)
      : problem(given),
        sums(into),
        theta(scratch),
        shares(theta + given.width),
        gained(shares + given.width),
        rest(gained + given.width),
        responsibilities(rest + given.width),
        gaussian(given.growth) {
    for (int64_t k = 0; k < problem.n_topics; k++) alpha_sum += problem.alpha[k];
  }

  METHOD int64_t width() const { return VECTORS ? VECTORS * LANES : problem.width; }
  METHOD const float* row(int64_t entry) const { return problem.phi + problem.words[entry] * width(); }

  void document(int64_t d) {
    const int64_t first = problem.offsets[d], last = problem.offsets[d + 1];
    begin(d, first, last);
    for (int step = 0; step < problem.n_steps; step++) {
      for (int64_t k = 0; k < width(); k += LANES) store(gained + k, all(0.0f));
      for (int64_t entry = first; entry < last; entry += LANES) {
        const Batch batch = weigh(entry, last, false);
        gain(batch);
      }
      update();
    }
    finish(d, first, last);
  }

  // theta and lambda as the last round left them; the part of phi that no entry of this document covers.
  void begin(int64_t d, int64_t first, int64_t last) {
    intensity = static_cast<float>(problem.intensity[d]);
    for (int64_t k = 0; k < width(); k++)
      theta[k] = k < problem.n_topics ? problem.theta[d * problem.n_topics + k] : 0.0f;
    share();
    for (int64_t k = 0; k < width(); k += LANES) store(rest + k, load(problem.coverage + k));
    for (int64_t entry = first; entry < last; entry++) {
      if (entry + AHEAD < last)
        for (int64_t k = 0; k < width(); k += LANES) prefetch(row(entry + AHEAD) + k);
      for (int64_t k = 0; k < width(); k += LANES)
        store(rest + k, load(rest + k) - load(row(entry) + k));
    }
    for (int64_t k = 0; k < width(); k += LANES) store(rest + k, larger(load(rest + k), all(0.0f)));
  }

  void share() {
    for (int64_t k = 0; k < width(); k += LANES)
      store(shares + k, load(theta + k) * load(problem.inverse_sizes + k));
  }

  METHOD Posterior tokens(Floats values, Floats mu, bool want_evidence) const {
    if (problem.growth > 0.0)
      return gaussian_posterior(values, mu, gaussian, static_cast<float>(problem.burstiness), want_evidence);
    if (problem.decay > 0.0)
      return posterior(values, mu, static_cast<float>(problem.decay), static_cast<float>(problem.burstiness),
                       want_evidence);
    return {values, want_evidence ? values * logarithm(larger(mu / intensity, all(SMALLEST))) : values};
  }

  METHOD Batch read(int64_t first, int64_t last) const {
    Batch batch;
    batch.first = first;
    batch.count = static_cast<int>(last - first < LANES ? last - first : LANES);
    alignas(64) float values[LANES] = {};
    Floats partial[LANES];
    for (int i = batch.count; i < LANES; i++) partial[i] = all(0.0f);
    for (int i = 0; i < batch.count; i++) {
      batch.rows[i] = row(first + i);
      values[i] = static_cast<float>(problem.values[first + i]);
      Floats density = all(0.0f);
      for (int64_t k = 0; k < width(); k += LANES)
        density = density + load(theta + k) * load(batch.rows[i] + k);
      partial[i] = density;
    }
    batch.values = load(values);
    batch.densities = larger(sum_each(partial), all(SMALLEST));
    return batch;
  }

  // Responsibilities of up to sixteen entries, each token left out of its own document and its own word.
  METHOD Batch weigh(int64_t first, int64_t last, bool want_evidence) {
    Batch batch = read(first, last);
    const Floats mu = intensity * batch.densities;
    const Posterior whole = tokens(batch.values, mu, want_evidence);
    batch.likelihood = whole.log_evidence - static_cast<float>(problem.absence) * mu;
    const float doc_mass = intensity + static_cast<float>(alpha_sum);
    Floats doc_parts = all(0.0f), word_parts = all(0.0f);
    if (problem.exclude) {
      doc_parts = smaller(whole.expected, all(1.0f)) / (doc_mass * batch.densities);
      word_parts = whole.expected / batch.densities;
    }
    const Floats scale = divide(batch, doc_parts, word_parts);
    batch.weights = tokens(batch.values, intensity * scale, false).expected / scale;
    return batch;
  }

  // Writes theta_k phi_kw less each token's own part; gives the sum over the topics.
  METHOD Floats divide(const Batch& batch, const Floats& doc_parts, const Floats& word_parts) {
    Floats partial[LANES];
    for (int i = batch.count; i < LANES; i++) partial[i] = all(0.0f);
    for (int i = 0; i < batch.count; i++) {
      const Floats doc = all(lane(doc_parts, i)), word = all(lane(word_parts, i));
      Floats sum = all(0.0f);
      for (int64_t k = 0; k < width(); k += LANES) {
        const Floats phi = load(batch.rows[i] + k);
        const Floats without_doc = larger(1.0f - doc * phi, all(FLOOR));
        const Floats without_word = larger(1.0f - word * load(shares + k), all(FLOOR));
        const Floats responsibility = load(theta + k) * phi * without_doc * without_word;
        store(responsibilities + i * width() + k, responsibility);
        sum = sum + responsibility;
      }
      partial[i] = sum;
    }
    return larger(sum_each(partial), all(SMALLEST));
  }

  METHOD void gain(const Batch& batch) {
    for (int64_t k = 0; k < width(); k += LANES) {
      Floats sum = load(gained + k);
      for (int i = 0; i < batch.count; i++)
        sum = sum + lane(batch.weights, i) * load(responsibilities + i * width() + k);
      store(gained + k, sum);
    }
  }

  // theta and lambda from the expected counts: the survivors', and `hidden` mu of every word that did not survive.
  void update() {
    const float background = static_cast<float>(problem.hidden) * intensity;
    Floats sum = all(0.0f), covered = all(0.0f);
    for (int64_t k = 0; k < width(); k += LANES) {
      const Floats counts = load(gained + k) + background * load(theta + k) * load(rest + k);
      store(gained + k, counts);
      sum = sum + counts;
    }
    const double mass = sum_lanes(sum);
    const float inverse = static_cast<float>(1.0 / (mass + alpha_sum));
    for (int64_t k = 0; k < width(); k += LANES) {
      const Floats next = inverse * (load(gained + k) + load(problem.alpha + k));
      store(theta + k, next);
      covered = covered + next * load(problem.coverage + k);
    }
    share();
    const double reach = sum_lanes(covered), length = mass / (reach > 0.05 ? reach : 0.05);
    intensity = static_cast<float>(length > 1.0 ? length : 1.0);
  }

  // The counts and the likelihood under the final theta.
  void finish(int64_t d, int64_t first, int64_t last) {
    const float background = static_cast<float>(problem.hidden) * intensity;
    for (int64_t entry = first; entry < last; entry += LANES) {
      const Batch batch = weigh(entry, last, true);
      sums.log_likelihood += sum_lanes(batch.likelihood);
      if (sums.counts) credit(batch, background);
    }
    Floats missed = all(0.0f);
    for (int64_t k = 0; k < width(); k += LANES) missed = missed + load(theta + k) * load(rest + k);
    sums.log_likelihood -= problem.silence * intensity * sum_lanes(missed);
    for (int64_t k = 0; k < problem.n_topics; k++) {
      sums.background[k] += background * theta[k];
      problem.theta[d * problem.n_topics + k] = theta[k];
    }
    problem.intensity[d] = intensity;
  }

  METHOD void credit(const Batch& batch, float background) {
    for (int i = 0; i < batch.count; i++) {
      float* const counts = sums.counts + problem.words[batch.first + i] * width();
      const Floats weight = all(lane(batch.weights, i));
      for (int64_t k = 0; k < width(); k += LANES) {
        const Floats mine = weight * load(responsibilities + i * width() + k);
        const Floats counted = background * load(theta + k) * load(batch.rows[i] + k);
        store(counts + k, load(counts + k) + (mine - counted));
      }
    }
  }
};

template <int VECTORS>
void run(const ChannelProblem& problem, int64_t first_doc, int64_t last_doc, ChannelSums& sums, float* scratch) {
  Expectations<VECTORS> expectations(problem, sums, scratch);
  for (int64_t d = first_doc; d < last_doc; d++) expectations.document(d);
}

}  // namespace

void channel_em(const ChannelProblem& problem, int64_t first_doc, int64_t last_doc, ChannelSums& sums, float* scratch) {
  switch (problem.width / LANES) {
    case 1: return run<1>(problem, first_doc, last_doc, sums, scratch);
    case 2: return run<2>(problem, first_doc, last_doc, sums, scratch);
    case 4: return run<4>(problem, first_doc, last_doc, sums, scratch);
    case 7: return run<7>(problem, first_doc, last_doc, sums, scratch);
    default: return run<0>(problem, first_doc, last_doc, sums, scratch);
  }
}

}  // namespace fedtopics::FEDTOPICS_ISA
