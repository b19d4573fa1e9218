#include "hosts/advice/taints.h"

#include "brain/cluster/shapes/shape.h"
#include "foundation/base/symbol.h"

namespace loadline::advice {

bool covers(const kube::Toleration& toleration, const kube::Taint& taint) {
  SymbolTable symbols;
  const cluster::CompiledToleration compiled{symbols.intern(toleration.key), toleration.op,
                                             symbols.intern(toleration.value), toleration.effect,
                                             toleration.toleration_seconds};
  return cluster::tolerates(compiled,
                            {symbols.intern(taint.key), symbols.intern(taint.value), taint.effect, taint.time_added});
}

bool keeps_out(const kube::Taint& taint) { return taint.effect != kube::TaintEffect::kPreferNoSchedule; }

}  // namespace loadline::advice
