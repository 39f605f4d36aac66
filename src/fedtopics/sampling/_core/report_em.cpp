// The E step on reports of tokens, compiled once per instruction set (FEDTOPICS_ISA names the namespace).
//
// Given theta, a report stands for topic k and one of its own words with weight theta_k gain_w phi_kw, and for topic k
// and any word with weight theta_k. Nothing of the standard library is instantiated here, as in channel_em.cpp.
#include "channel_posterior.hpp"
#include "kernels.hpp"

namespace fedtopics::FEDTOPICS_ISA {
namespace {

constexpr float FLOOR = 0.02f;  // least factor that leaving a token out may apply

struct Reports {
  const ReportProblem& problem;
  ChannelSums& sums;
  float *theta, *shares, *gained, *evidence, *open;
  float doc_mass = 0.0f;
  double alpha_sum = 0.0;

  Reports(const ReportProblem& given, ChannelSums& into, float* scratch)
      : problem(given),
        sums(into),
        theta(scratch),
        shares(theta + given.width),
        gained(shares + given.width),
        evidence(gained + given.width),
        open(evidence + given.width) {
    for (int64_t k = 0; k < problem.n_topics; k++) alpha_sum += problem.alpha[k];
  }

  METHOD const float* row(int64_t entry) const { return problem.phi + problem.words[entry] * problem.width; }
  // How little of phi_kw is left for topics when one token of this report is taken out of it, per unit of theta / S.
  METHOD Floats left(int64_t entry, float inverse, int64_t k) const {
    return problem.exclude ? larger(1.0f - (1.0f + problem.gains[entry]) * inverse * load(shares + k), all(FLOOR))
                           : all(1.0f);
  }

  void document(int64_t d) {
    const int64_t first = problem.documents[d], last = problem.documents[d + 1];
    double total = alpha_sum;
    for (int64_t r = first; r < last; r++) total += problem.times[r];
    doc_mass = static_cast<float>(total);
    for (int64_t k = 0; k < problem.width; k++)
      theta[k] = k < problem.n_topics ? problem.theta[d * problem.n_topics + k] : 0.0f;
    share();
    for (int step = 0; step < problem.n_steps; step++) {
      for (int64_t k = 0; k < problem.width; k += LANES) store(gained + k, load(problem.alpha + k));
      for (int64_t r = first; r < last; r++) weigh(r, nullptr, 1.0f);
      const float inverse = static_cast<float>(1.0 / total);
      for (int64_t k = 0; k < problem.width; k += LANES) store(theta + k, inverse * load(gained + k));
      share();
    }
    for (int64_t r = first; r < last; r++) weigh(r, sums.counts, 0.0f);
    for (int64_t k = 0; k < problem.n_topics; k++) problem.theta[d * problem.n_topics + k] = theta[k];
  }

  void share() {
    for (int64_t k = 0; k < problem.width; k += LANES)
      store(shares + k, load(theta + k) * load(problem.inverse_sizes + k));
  }

  // Responsibilities of one report, added to `gained` (`mixing` 1) or to the sums (`mixing` 0).
  void weigh(int64_t r, float* counts, float mixing) {
    const double likelihood = read(r);
    const float inverse = static_cast<float>(1.0 / likelihood);
    const float scale = static_cast<float>(problem.times[r] / exclude(r, inverse));
    if (mixing > 0.0f) {
      for (int64_t k = 0; k < problem.width; k += LANES)
        store(gained + k, load(gained + k) + scale * load(evidence + k) * load(open + k));
      return;
    }
    sums.log_likelihood += problem.times[r] * logarithm(likelihood);
    for (int64_t k = 0; k < problem.n_topics; k++) sums.background[k] += scale * open[k];
    if (!counts) return;
    for (int64_t entry = problem.reports[r]; entry < problem.reports[r + 1]; entry++) {
      float* const into = counts + problem.words[entry] * problem.width;
      for (int64_t k = 0; k < problem.width; k += LANES) {
        const Floats own = (scale * problem.gains[entry]) * load(open + k) * load(row(entry) + k);
        store(into + k, load(into + k) + own * left(entry, inverse, k));
      }
    }
  }

  // g_k of a report; gives sum_k theta_k g_k.
  double read(int64_t r) {
    Floats sum = all(0.0f);
    for (int64_t k = 0; k < problem.width; k += LANES) {
      Floats g = all(1.0f);
      for (int64_t entry = problem.reports[r]; entry < problem.reports[r + 1]; entry++)
        g = g + problem.gains[entry] * load(row(entry) + k);
      store(evidence + k, g);
      sum = sum + load(theta + k) * g;
    }
    return sum_lanes(sum);
  }

  // theta_k (`open`) and g_k (`evidence`) without the token's own part; gives their product's sum.
  double exclude(int64_t r, float inverse) {
    Floats sum = all(0.0f);
    for (int64_t k = 0; k < problem.width; k += LANES) {
      Floats g = load(evidence + k), share = load(theta + k);
      if (problem.exclude) {
        share = share * larger(1.0f - (inverse / doc_mass) * g, all(FLOOR));
        g = all(1.0f);
        for (int64_t entry = problem.reports[r]; entry < problem.reports[r + 1]; entry++)
          g = g + problem.gains[entry] * load(row(entry) + k) * left(entry, inverse, k);
      }
      store(evidence + k, g);
      store(open + k, share);
      sum = sum + share * g;
    }
    return sum_lanes(sum);
  }
};

}  // namespace

void report_em(const ReportProblem& problem, int64_t first_doc, int64_t last_doc, ChannelSums& sums, float* scratch) {
  Reports reports(problem, sums, scratch);
  for (int64_t d = first_doc; d < last_doc; d++) reports.document(d);
}

}  // namespace fedtopics::FEDTOPICS_ISA
