// The kernels of one instruction set.
#include "kernels.hpp"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

namespace fedtopics::FEDTOPICS_ISA {

void start(uint16_t*, const int64_t*, int64_t, int32_t, uint64_t);
void gibbs(const Gibbs<int32_t>&);
void weighted_gibbs(const Gibbs<float>&);
void pass(const Pass&);
void metropolis(const Metropolis&);
void assign_metropolis(const AssignMetropolis&);
void fold_in(const FoldIn&);

extern const Kernels table;
const Kernels table = {STRING(FEDTOPICS_ISA), start, gibbs, weighted_gibbs, pass, metropolis, assign_metropolis, fold_in};

}  // namespace fedtopics::FEDTOPICS_ISA
