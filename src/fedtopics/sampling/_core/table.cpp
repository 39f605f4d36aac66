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
void channel_em(const ChannelProblem&, int64_t, int64_t, ChannelSums&, float*);
void report_em(const ReportProblem&, int64_t, int64_t, ChannelSums&, float*);
bool clipped_sum(const ClippedProblem&, int64_t, int64_t, const ClippedSpace&);
void private_metropolis(const PrivateUnits&, const PrivateTopics&, int64_t, uint16_t*, int32_t, uint64_t, uint32_t, int32_t*);
void private_assign(const PrivateUnits&, const PrivateTopics&, int64_t, uint16_t*, uint64_t);

extern const Kernels table;
const Kernels table = {STRING(FEDTOPICS_ISA), start, gibbs, weighted_gibbs, pass, metropolis, assign_metropolis, fold_in,
                       channel_em, report_em, clipped_sum, private_metropolis, private_assign};

}  // namespace fedtopics::FEDTOPICS_ISA
