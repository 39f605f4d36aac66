// Which instruction set runs.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels.hpp"

namespace fedtopics {

namespace plain {
extern const Kernels table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

// The best first.
const Kernels* const KNOWN[] = {
#if defined(__x86_64__)
    &avx512::table, &avx2::table,
#endif
    &plain::table};

bool runs_here(const std::string& name) {
#if defined(__x86_64__)
  if (name == "avx512")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  if (name == "avx2") return __builtin_cpu_supports("avx2");
#endif
  return name == "plain";
}

const Kernels& choose() {
  const char* variable = std::getenv("FEDTOPICS_ISA");
  const std::string wanted = variable ? variable : "";
  std::string here;
  for (const Kernels* table : KNOWN) {
    if (!runs_here(table->name)) continue;
    if (wanted.empty() || wanted == table->name) return *table;
    here += std::string(here.empty() ? "" : ", ") + table->name;
  }
  throw std::invalid_argument("FEDTOPICS_ISA must be plain, avx2 or avx512, of which this machine has " + here + "; got " +
                              wanted);
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace fedtopics
