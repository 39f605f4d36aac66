// A unit's cut difference to an expectation, compiled once per instruction set (FEDTOPICS_ISA names the namespace).
//
// Nothing of the standard library is instantiated here, as in channel_em.cpp. Loops over LANES doubles are written out
// for the compiler to turn into registers; each lane has a sum of its own, so that all instruction sets agree.
#include "kernels.hpp"
#include "vector.hpp"

namespace fedtopics::FEDTOPICS_ISA {
namespace {

constexpr float SMALLEST = 1e-28f;       // least sum of topics: no count divided by it overflows
constexpr double MARGIN = 1.0 - 1e-12;   // rounding of a norm must not carry a unit over it

struct Unit {
  const ClippedProblem& problem;
  const ClippedSpace& space;
  const int64_t width;
  float *const known, *const gained, *const shares;  // n + alpha; n + alpha of the next step; c r of each entry
  int64_t n_rows = 0;

  Unit(const ClippedProblem& given, const ClippedSpace& in)
      : problem(given),
        space(in),
        width(given.width),
        known(in.entries),
        gained(known + width),
        shares(gained + width) {}

  // Adds unit u to the totals, unless it is not inside the norm.
  bool add(int64_t u) {
    n_rows = 0;
    for (int64_t d = problem.units[u]; d < problem.units[u + 1]; d++) {
      infer(problem.offsets[d], problem.offsets[d + 1]);
      collect(problem.offsets[d], problem.offsets[d + 1]);
    }
    const double norm = measure();
    const double scale = problem.resolution / (norm > problem.clip ? norm : problem.clip) * MARGIN;
    const bool inside = norm <= 1e300 && to_steps(scale) <= problem.resolution * problem.resolution;
    for (int64_t i = 0; i < n_rows; i++) {
      if (inside) count(i);
      space.slots[space.words[i]] = -1;
    }
    return inside;
  }

  // Responsibilities of a document's entries, each left out of its own evidence (CVB0), times their counts.
  void infer(int64_t first, int64_t last) {
    for (int64_t k = 0; k < width; k += LANES) store(gained + k, all(problem.alpha));
    for (int64_t e = first; e < last; e++) {
      const float* const phi = problem.phi + problem.words[e] * width;
      Floats sum_of = all(0.0f);
      for (int64_t k = 0; k < width; k += LANES) sum_of = sum_of + load(phi + k);
      spread(phi, shares + (e - first) * width, problem.counts[e], sum(sum_of));
    }
    for (int step = 0; step < problem.n_steps; step++) {
      for (int64_t k = 0; k < width; k += LANES) {
        store(known + k, load(gained + k));
        store(gained + k, all(problem.alpha));
      }
      for (int64_t e = first; e < last; e++) update(e, shares + (e - first) * width);
    }
  }

  // r_k ~ phi_k max(n_k + alpha - c r_k, alpha)
  METHOD void update(int64_t e, float* share) {
    const float* const phi = problem.phi + problem.words[e] * width;
    Floats sum_of = all(0.0f);
    for (int64_t k = 0; k < width; k += LANES) {
      const Floats next = load(phi + k) * larger(load(known + k) - load(share + k), all(problem.alpha));
      store(share + k, next);
      sum_of = sum_of + next;
    }
    spread(share, share, problem.counts[e], sum(sum_of));
  }

  // The count spread over the topics as `likely`, of this sum; added to what the document gains.
  METHOD void spread(const float* likely, float* share, float count, float total) {
    const Floats scale = all(count / (total > SMALLEST ? total : SMALLEST));
    for (int64_t k = 0; k < width; k += LANES) {
      const Floats own = scale * load(likely + k);
      store(share + k, own);
      store(gained + k, load(gained + k) + own);
    }
  }

  // Adds min(c, cap) (r - expected) to the rows of the document's words; a word that the unit had before has its row.
  void collect(int64_t first, int64_t last) {
    for (int64_t e = first; e < last; e++) {
      const int32_t word = problem.words[e];
      int32_t& slot = space.slots[word];
      if (slot < 0) {
        slot = static_cast<int32_t>(n_rows);
        space.words[n_rows++] = word;
        for (int64_t k = 0; k < width; k++) space.rows[slot * width + k] = 0.0;
      }
      double* const row = space.rows + slot * width;
      const float* const share = shares + (e - first) * width;
      const float* const expected = problem.expected + word * width;
      const double count = problem.counts[e], most = count < problem.cap ? count : problem.cap, part = most / count;
      for (int64_t k = 0; k < width; k++) row[k] += part * share[k] - most * expected[k];
    }
  }

  // Weighs the rows; their norm.
  double measure() {
    double squares[LANES] = {};
    for (int64_t i = 0; i < n_rows; i++) {
      double* const row = space.rows + i * width;
      const float* const weights = problem.weights + space.words[i] * width;
      double own[LANES] = {};
      for (int64_t k = 0; k < width; k += LANES)
        for (int l = 0; l < LANES; l++) {
          row[k + l] *= weights[k + l];
          own[l] += row[k + l] * row[k + l];
        }
      for (int l = 0; l < LANES; l++) squares[l] += own[l];
    }
    return __builtin_sqrt(sum_of_lanes(squares));
  }

  // Turns the rows to whole steps, towards zero; their squared norm, which is exact as far as it is allowed to go.
  double to_steps(double scale) {
    double squares[LANES] = {};
    for (int64_t i = 0; i < n_rows * width; i += LANES)
      for (int l = 0; l < LANES; l++) {
        double& x = space.rows[i + l];
        x = __builtin_trunc(x * scale);
        squares[l] += x * x;
      }
    return sum_of_lanes(squares);
  }

  METHOD void count(int64_t i) {
    int64_t* const totals = space.totals + space.words[i] * width;
    const double* const row = space.rows + i * width;
    for (int64_t k = 0; k < width; k++) totals[k] += static_cast<int32_t>(row[k]);
  }

  METHOD static double sum_of_lanes(const double* lanes) {
    double total = 0.0;
    for (int l = 0; l < LANES; l++) total += lanes[l];
    return total;
  }
};

}  // namespace

bool clipped_sum(const ClippedProblem& problem, int64_t first_unit, int64_t last_unit, const ClippedSpace& space) {
  Unit unit(problem, space);
  bool inside = true;
  for (int64_t u = first_unit; inside && u < last_unit; u++) inside = unit.add(u);
  return inside;
}

}  // namespace fedtopics::FEDTOPICS_ISA
