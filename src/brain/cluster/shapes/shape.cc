#include "brain/cluster/shapes/shape.h"

namespace loadline::cluster {

bool tolerates(const CompiledToleration& toleration, const CompiledTaint& taint) {
  if (toleration.effect != kube::TaintEffect::kNone && toleration.effect != taint.effect) return false;
  const bool any_key = toleration.key.index() == 0;
  if (!any_key && toleration.key != taint.key) return false;
  switch (toleration.op) {
    case kube::TolerationOperator::kEqual:
      return toleration.value == taint.value;
    case kube::TolerationOperator::kExists:
      return true;
    case kube::TolerationOperator::kGt:
    case kube::TolerationOperator::kLt:
      break;
  }
  return false;
}

bool tolerated(const std::vector<CompiledToleration>& tolerations, const CompiledTaint& taint) {
  for (const CompiledToleration& toleration : tolerations) {
    if (tolerates(toleration, taint)) return true;
  }
  return false;
}

bool conflict(const HostPort& a, const HostPort& b, Symbol wildcard) {
  if (a.port <= 0 || a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == wildcard || b.ip == wildcard;
}

}  // namespace loadline::cluster
