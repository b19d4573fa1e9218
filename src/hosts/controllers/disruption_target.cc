#include "hosts/controllers/disruption_target.h"

#include <utility>

#include "objects/kube/condition.h"

namespace loadline::controllers {

using document::Array;
using document::Object;
using document::Value;

namespace {
constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
}

bool has_disruption_target(const kube::Pod& pod) {
  return kube::has_true_condition(pod.status.conditions, kDisruptionTarget);
}

Action mark_disrupted(const Observed<kube::Pod>& pod, const DisruptionReason& why, Instant now, bool fails) {
  const Value generation(pod.metadata().generation);
  Object status;
  if (fails) {
    status.push_back({"phase", Value("Failed"), {}});
    status.push_back({"observedGeneration", generation, {}});
  }
  if (!why.reason.empty()) {
    const Value condition(Object{{"type", Value(kDisruptionTarget), {}},
                                 {"status", Value("True"), {}},
                                 {"observedGeneration", generation, {}},
                                 {"lastTransitionTime", Value(format_rfc3339(now)), {}},
                                 {"reason", Value(why.reason), {}},
                                 {"message", Value(why.message), {}}});
    status.push_back({"conditions", Value(Array{condition}), {}});
  }
  const Value metadata(Object{{"uid", Value(pod.metadata().uid), {}}});
  return patch(kind_name<kube::Pod>(), pod.key(), kube::PatchType::kStrategic,
               Value(Object{{"metadata", metadata, {}}, {"status", Value(std::move(status)), {}}}), "status");
}

}  // namespace loadline::controllers
