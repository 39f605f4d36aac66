// The kernels of one instruction set.
#include "kernels.hpp"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

namespace fedtopics::FEDTOPICS_ISA {

void gibbs(const Gibbs<int32_t>&);
void weighted_gibbs(const Gibbs<float>&);
void fold_in(const FoldIn&);
void start(uint16_t*, const int64_t*, int64_t, int32_t, uint64_t);

extern const Kernels table;
const Kernels table = {STRING(FEDTOPICS_ISA), gibbs, weighted_gibbs, fold_in, start};

}  // namespace fedtopics::FEDTOPICS_ISA
