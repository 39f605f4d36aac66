// Sums of what units (documents, or all documents of a person) differ from an expectation, each unit cut to a norm.
#pragma once
#include <cstdint>

namespace fedtopics {

// Rows of topics are padded with zeros to `width`, a multiple of 16, and aligned to 64 bytes.
struct ClippedProblem {
  const int64_t* units;     // unit u owns the documents units[u]:units[u+1]
  const int64_t* offsets;   // document d owns the entries offsets[d]:offsets[d+1]
  const int32_t* words;     // (n_entries,)
  const float* counts;      // (n_entries,) at least 1
  const float* phi;         // (n_words, width) how likely the word is under each topic
  const float* expected;    // (n_words, width) responsibilities that are known anyway
  const float* weights;     // (n_words, width) of the coordinates in the norm
  int64_t width;
  float alpha;
  int n_steps;              // updates of the responsibilities
  double cap;               // most that an entry counts in the sum
  double clip;              // norm above which a unit is cut
  double resolution;        // norm of a cut unit in steps, at most 2^26: its square is exact in double precision
};

// What one thread works in.
struct ClippedSpace {
  float* entries;   // (longest document + 2, width)
  double* rows;     // (most words of a unit, width) a unit's vector, a row for each of its words
  int32_t* words;   // (most words of a unit,) the word of each row
  int32_t* slots;   // (n_words,) the row of each word, -1 for none; left so
  int64_t* totals;  // (n_words, width) sum over the units, added to
};

// The sum over all units: (n_words, n_topics). Throws std::invalid_argument where a unit is not inside the norm.
// phi, expected and weights are those of the caller, not padded.
void run_clipped_sum(ClippedProblem problem, int64_t n_units, int64_t n_words, int32_t n_topics, int n_threads,
                     int64_t* sum);

}  // namespace fedtopics
