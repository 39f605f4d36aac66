// Exact Metropolis-Hastings for units (tokens or sentences) that are known through privatized vectors only.
#pragma once
#include <cstdint>

#include "alias.hpp"

namespace fedtopics {

// What the vectors of a unit say of a topic: see sampling/private_mh.py.
enum class Evidence : int32_t { plug_in, one_hot, counts };

struct PrivateUnits {
  const int64_t* documents;   // document d owns the units documents[d]:documents[d+1]
  const int64_t* units;       // unit u owns the rows units[u]:units[u+1]
  const int64_t* rows;        // row r owns the entries rows[r]:rows[r+1]
  const int32_t* words;       // (n_entries,)
  const float* values;        // (n_entries,)
  const int64_t* hints;       // unit u owns the hint words hints[u]:hints[u+1], fixed by its vectors alone
  const int32_t* hint_words;  // proposals follow the topics of one of them
  const double* lengths;      // (n_units,) expected tokens of each unit; read for `counts` alone
  double decay;               // exp(-epsilon) of `counts`
  Evidence evidence;
};

struct PrivateTopics {
  const float* log_phi;      // (n_topics, n_words)
  const float* phi;          // (n_topics, n_words)
  const float* proposals;    // (n_words, n_topics) weights of the word proposal
  Alias alias;               // (n_words, n_topics) draws from them
  double alpha;
  int64_t n_words;
  int32_t n_topics;
};

}  // namespace fedtopics
