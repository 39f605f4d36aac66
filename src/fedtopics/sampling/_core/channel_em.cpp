// The E step on noisy histograms, compiled once per instruction set (FEDTOPICS_ISA names the namespace).
//
// Only this file's own functions may be used here: a function of the standard library instantiated under AVX-512 could
// be linked into the plain build.
#include "channel_em.hpp"
#include "channel_posterior.hpp"
#include "lanes.hpp"

namespace fedtopics {
namespace FEDTOPICS_ISA {
namespace {

constexpr float kFloor = 0.02f;  // least factor that leaving a token out may apply
constexpr float kSmallest = 1e-30f;

// Up to sixteen entries of one document.
struct Batch {
  const float *rows[kLanes];
  std::int64_t first;
  int count;
  Lanes values;
  Lanes likelihood;  // log-likelihood of each entry
  Lanes weights;     // expected tokens per unit of unnormalized responsibility
};

// kVectors: width / 16 where known at compile time, else 0.
template <int kVectors>
struct Expectations {
  const ChannelProblem &problem;
  ChannelSums &sums;
  float *theta, *shares, *gained, *rest, *responsibilities;
  float intensity;
  double alpha_sum;

  Expectations(const ChannelProblem &given, ChannelSums &into, float *scratch) : problem(given), sums(into) {
    float **const buffers[] = {&theta, &shares, &gained, &rest, &responsibilities};
    for (float **buffer : buffers) {
      *buffer = scratch;
      scratch += problem.width;
    }
    alpha_sum = 0.0;
    for (std::int64_t k = 0; k < problem.n_topics; ++k) alpha_sum += problem.alpha[k];
  }

  FEDTOPICS_INLINE std::int64_t width() const { return kVectors ? kVectors * kLanes : problem.width; }

  FEDTOPICS_INLINE const float *row(std::int64_t entry) const {
    return problem.phi + problem.words[entry] * width();
  }

  void document(std::int64_t d) {
    const std::int64_t first = problem.offsets[d], last = problem.offsets[d + 1];
    begin(d, first, last);
    for (int step = 0; step < problem.n_steps; ++step) {
      for (std::int64_t k = 0; k < width(); k += kLanes) {
        store(shares + k, load(theta + k) * load(problem.inverse_sizes + k));
        store(gained + k, spread(0.0f));
      }
      for (std::int64_t entry = first; entry < last; entry += kLanes) gain(weigh(entry, last, false));
      update();
    }
    finish(d, first, last);
  }

  // theta and lambda as the last round left them; the part of phi that no entry of this document covers.
  void begin(std::int64_t d, std::int64_t first, std::int64_t last) {
    intensity = static_cast<float>(problem.intensity[d]);
    for (std::int64_t k = 0; k < width(); ++k)
      theta[k] = k < problem.n_topics ? problem.theta[d * problem.n_topics + k] : 0.0f;
    for (std::int64_t k = 0; k < width(); k += kLanes) store(rest + k, load(problem.coverage + k));
    for (std::int64_t entry = first; entry < last; ++entry) {
      if (entry + 8 < last)
        for (std::int64_t k = 0; k < width(); k += kLanes) __builtin_prefetch(row(entry + 8) + k);
      for (std::int64_t k = 0; k < width(); k += kLanes) store(rest + k, load(rest + k) - load(row(entry) + k));
    }
    for (std::int64_t k = 0; k < width(); k += kLanes) store(rest + k, larger(load(rest + k), spread(0.0f)));
  }

  FEDTOPICS_INLINE Posterior tokens(Lanes values, Lanes mu, bool want_evidence) const {
    if (problem.decay > 0.0) return posterior(values, mu, static_cast<float>(problem.decay), want_evidence);
    return {values, want_evidence ? values * logarithm(larger(mu / intensity, spread(kSmallest))) : values};
  }

  // Responsibilities of up to sixteen entries, each token left out of its own document and its own word.
  FEDTOPICS_INLINE Batch weigh(std::int64_t first, std::int64_t last, bool want_evidence) {
    Batch batch;
    batch.first = first;
    batch.count = static_cast<int>(last - first < kLanes ? last - first : kLanes);
    alignas(64) float values[kLanes] = {};
    Lanes partial[kLanes];
    for (int i = batch.count; i < kLanes; ++i) partial[i] = spread(0.0f);
    for (int i = 0; i < batch.count; ++i) {
      batch.rows[i] = row(first + i);
      values[i] = static_cast<float>(problem.values[first + i]);
      Lanes total = spread(0.0f);
      for (std::int64_t k = 0; k < width(); k += kLanes)
        total = total + load(theta + k) * load(batch.rows[i] + k);
      partial[i] = total;
    }
    batch.values = load(values);
    const Lanes density = larger(sum_each(partial), spread(kSmallest));
    const Posterior whole = tokens(batch.values, intensity * density, want_evidence);
    batch.likelihood = problem.decay > 0.0 ? whole.log_evidence - intensity * density : whole.log_evidence;

    const Lanes strength = spread(problem.exclude ? 1.0f : 0.0f);
    const float doc_mass = intensity + static_cast<float>(alpha_sum);
    const Lanes doc_part = strength * smaller(whole.expected, spread(1.0f)) / (doc_mass * density);
    const Lanes word_part = strength * whole.expected / density;
    for (int i = 0; i < batch.count; ++i) {
      const float doc = doc_part[i], word = word_part[i];
      Lanes total = spread(0.0f);
      for (std::int64_t k = 0; k < width(); k += kLanes) {
        const Lanes phi = load(batch.rows[i] + k);
        const Lanes without_doc = larger(1.0f - doc * phi, spread(kFloor));
        const Lanes without_word = larger(1.0f - word * load(shares + k), spread(kFloor));
        const Lanes r = load(theta + k) * phi * without_doc * without_word;
        store(responsibilities + i * width() + k, r);
        total = total + r;
      }
      partial[i] = total;
    }
    const Lanes scale = larger(sum_each(partial), spread(kSmallest));
    batch.weights = tokens(batch.values, intensity * scale, false).expected / scale;
    return batch;
  }

  FEDTOPICS_INLINE void gain(const Batch &batch) {
    for (std::int64_t k = 0; k < width(); k += kLanes) {
      Lanes total = load(gained + k);
      for (int i = 0; i < batch.count; ++i)
        total = total + batch.weights[i] * load(responsibilities + i * width() + k);
      store(gained + k, total);
    }
  }

  // theta and lambda from the expected counts: survivors', and a mu of every word that did not survive.
  void update() {
    const float background = static_cast<float>(problem.decay) * intensity;
    Lanes total = spread(0.0f), covered = total;
    for (std::int64_t k = 0; k < width(); k += kLanes) {
      const Lanes counts = load(gained + k) + background * load(theta + k) * load(rest + k);
      store(gained + k, counts);
      total = total + counts;
    }
    const double mass = sum(total);
    const float inverse = static_cast<float>(1.0 / (mass + alpha_sum));
    for (std::int64_t k = 0; k < width(); k += kLanes) {
      const Lanes next = inverse * (load(gained + k) + load(problem.alpha + k));
      store(theta + k, next);
      covered = covered + next * load(problem.coverage + k);
    }
    const double reach = sum(covered), length = mass / (reach > 0.05 ? reach : 0.05);
    intensity = static_cast<float>(length > 1.0 ? length : 1.0);
  }

  // The counts and the likelihood under the final theta.
  void finish(std::int64_t d, std::int64_t first, std::int64_t last) {
    for (std::int64_t k = 0; k < width(); k += kLanes)
      store(shares + k, load(theta + k) * load(problem.inverse_sizes + k));
    const float background = static_cast<float>(problem.decay) * intensity;
    for (std::int64_t entry = first; entry < last; entry += kLanes) {
      const Batch batch = weigh(entry, last, true);
      sums.log_likelihood += sum(batch.likelihood);
      if (sums.counts) credit(batch, background);
    }
    Lanes missed = spread(0.0f);
    for (std::int64_t k = 0; k < width(); k += kLanes) missed = missed + load(theta + k) * load(rest + k);
    if (problem.decay > 0.0) sums.log_likelihood -= (1.0 - problem.decay) * intensity * sum(missed);
    for (std::int64_t k = 0; k < problem.n_topics; ++k) {
      sums.background[k] += background * theta[k];
      problem.theta[d * problem.n_topics + k] = theta[k];
    }
    problem.intensity[d] = intensity;
  }

  FEDTOPICS_INLINE void credit(const Batch &batch, float background) {
    for (int i = 0; i < batch.count; ++i) {
      float *const counts = sums.counts + problem.words[batch.first + i] * width();
      const float weight = batch.weights[i];
      for (std::int64_t k = 0; k < width(); k += kLanes) {
        const Lanes mine = weight * load(responsibilities + i * width() + k);
        store(counts + k, load(counts + k) + (mine - background * load(theta + k) * load(batch.rows[i] + k)));
      }
    }
  }
};

template <int kVectors>
void run(const ChannelProblem &problem, std::int64_t first_doc, std::int64_t last_doc, ChannelSums &sums, float *scratch) {
  Expectations<kVectors> expectations(problem, sums, scratch);
  for (std::int64_t d = first_doc; d < last_doc; ++d) expectations.document(d);
}

}  // namespace

void channel_expectations(const ChannelProblem &problem, std::int64_t first_doc, std::int64_t last_doc, ChannelSums &sums,
                          float *scratch) {
  switch (problem.width / kLanes) {
    case 1: return run<1>(problem, first_doc, last_doc, sums, scratch);
    case 2: return run<2>(problem, first_doc, last_doc, sums, scratch);
    case 4: return run<4>(problem, first_doc, last_doc, sums, scratch);
    case 7: return run<7>(problem, first_doc, last_doc, sums, scratch);
    default: return run<0>(problem, first_doc, last_doc, sums, scratch);
  }
}

}  // namespace FEDTOPICS_ISA
}  // namespace fedtopics
