#include "hosts/operators/gang_workloads/webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/gang_workloads.h"
#include "foundation/document/at.h"
#include "hosts/operators/gang_workloads/rooms.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/view.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using apiserver::Lookup;
using apiserver::WebhookRequest;
using document::Value;
using Operation = apiserver::AdmissionRequest::Operation;

/// "jobsets.jobset.x-k8s.io".
template <class Kind>
std::string resource_of() {
  const watching::KindName& name = watching::kind_name<Kind>();
  return fmt::format("{}.{}", name.plural, name.group);
}

template <class Kind>
Kind read(const Value& document) {
  return kube::view<Kind>(document, *kube::kind_of<Kind>().schema).object;
}

bool is_marked(const Value& object, std::string_view mark = workloads::kStartsWhole) {
  return document::text_at(object, {"metadata", "annotations", mark}) == "true";
}

Value marked(Value object, std::string_view mark = workloads::kStartsWhole) {
  if (is_marked(object, mark)) return object;
  return document::with_at(std::move(object), {"metadata", "annotations", mark}, Value("true"));
}

/// Whether it would have pods that are created later; of many groups the first tells.
template <class Kind>
bool has_later_parts(const Kind& workload) {
  const auto parts = [&] {
    if constexpr (std::is_same_v<Kind, kube::LeaderWorkerSet>) {
      return workloads::whole_parts(workload, 1);
    } else {
      return workloads::whole_parts(workload);
    }
  }();
  return std::ranges::any_of(parts, [](const workloads::WholePart& part) { return !part.later.empty(); });
}

class WorkloadWebhook final : public apiserver::Webhook {
 public:
  explicit WorkloadWebhook(std::function<CreatedUnder(const Lookup&)> policy) : policy_(std::move(policy)) {
    workloads::for_each_whole_kind([&]<class Kind>() { resources_.insert(resource_of<Kind>()); });
  }

  [[nodiscard]] bool concerns(std::string_view resource) const override { return resources_.contains(resource); }
  [[nodiscard]] std::string_view mutating_name() const override { return "mgangworkload.loadline.dev"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vgangworkload.loadline.dev"; }

  Verdict<Value> complete(const WebhookRequest& request, Value object) override {
    if (request.operation == Operation::kCreate) return created(request, std::move(object));
    for (const std::string_view mark : {workloads::kStartsWhole, workloads::kHoldsRoom}) {
      if (is_marked(*request.old, mark)) object = marked(std::move(object), mark);
    }
    return object;
  }

 private:
  Value created(const WebhookRequest& request, Value object) const {
    const CreatedUnder policy = policy_(request.stored);
    if (!policy.all_start_whole && !asks(request, object)) return object;
    object = marked(std::move(object));
    if (!policy.later_parts_have_room || !would_hold_room(request, object)) return object;
    return marked(std::move(object), workloads::kHoldsRoom);
  }

  static bool would_hold_room(const WebhookRequest& request, const Value& object) {
    bool would = false;
    workloads::for_each_whole_kind([&]<class Kind>() {
      if (request.resource != resource_of<Kind>()) return;
      const Kind workload = workloads::holding_room(read<Kind>(object));
      would = has_later_parts(workload) && is_of_bounded_size(workload);
    });
    return would;
  }

  static bool asks(const WebhookRequest& request, const Value& object) {
    bool asks = false;
    workloads::for_each_whole_kind([&]<class Kind>() {
      if (request.resource == resource_of<Kind>()) asks = workloads::asks_to_start_whole(read<Kind>(object));
    });
    return asks;
  }

  std::set<std::string, std::less<>> resources_;
  std::function<CreatedUnder(const Lookup&)> policy_;
};

/// Where a pod's workload is found: its resource, and the label of the pod that has its name.
struct Origin {
  std::string_view label;
  std::string_view resource;
  std::string_view operator_name = {};  ///< of Kubeflow's, which share a label
};

constexpr Origin kOrigins[] = {
    {kube::kJobSetName, "jobsets.jobset.x-k8s.io"},
    {kube::kLwsName, "leaderworkersets.leaderworkerset.x-k8s.io"},
    {kube::kRayCluster, "rayclusters.ray.io"},
    {kube::kTrainingJobName, "pytorchjobs.kubeflow.org", "pytorchjob-controller"},
    {kube::kTrainingJobName, "tfjobs.kubeflow.org", "tfjob-controller"},
    {kube::kTrainingJobName, "xgboostjobs.kubeflow.org", "xgboostjob-controller"},
    {kube::kTrainingJobName, "paddlejobs.kubeflow.org", "paddlejob-controller"},
    {kube::kTrainingJobName, "jaxjobs.kubeflow.org", "jaxjob-controller"},
    {kube::kTrainingJobName, "mpijobs.kubeflow.org", "mpijob-controller"},
    {kube::kTrainingJobName, "mpijobs.kubeflow.org", "mpi-operator"},
};

class PodWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "pods"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mgangpod.loadline.dev"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vgangpod.loadline.dev"; }

  Verdict<Value> complete(const WebhookRequest& request, Value pod) override {
    if (request.operation != Operation::kCreate) return pod;
    for (const Origin& origin : kOrigins) {
      const std::string_view workload = label_of(pod, origin.label);
      if (workload.empty()) continue;
      if (!origin.operator_name.empty() && label_of(pod, kube::kTrainingOperatorName) != origin.operator_name) continue;
      const std::optional<Value> found = request.stored.find(origin.resource, request.name_space, workload);
      return found ? with_group(std::move(pod), origin.resource, *found) : pod;
    }
    return pod;
  }

 private:
  static std::string_view label_of(const Value& pod, std::string_view name) {
    return document::text_at(pod, {"metadata", "labels", name});
  }

  static Value with_group(Value pod, std::string_view resource, const Value& workload) {
    if (!is_marked(workload)) return pod;
    std::optional<workloads::WholePart> part;
    const kube::Pod seen = read<kube::Pod>(pod);
    if (seen.spec == nullptr || cluster::spellings::group_of(seen)) return pod;
    workloads::for_each_whole_kind([&]<class Kind>() {
      if (resource != resource_of<Kind>()) return;
      part = workloads::whole_part_of(read<Kind>(workload), seen.metadata);
    });
    if (!part) return pod;
    return document::with_at(std::move(pod), {"spec", "schedulingGroup", "podGroupName"}, Value(part->group));
  }
};

}  // namespace

apiserver::Webhooks make_gang_workload_webhooks(std::function<CreatedUnder(const Lookup&)> policy) {
  return {std::make_shared<WorkloadWebhook>(std::move(policy)), std::make_shared<PodWebhook>()};
}

}  // namespace loadline::operators
