#include "hosts/operators/volcano/owner_groups.h"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/owner_groups.h"
#include "brain/workloads/pod_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/typed_creation.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/scalars.h"
#include "objects/kube/view.h"
#include "objects/kube/volcano/pod_group_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Value;
using kube::VolcanoPodGroup;

template <class Kind>
bool wants_pods(const Kind& object) {
  if constexpr (requires { object.replicas; }) return object.replicas > 0;
  return true;
}

template <class Kind>
class OwnerGroupController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view reporter() const override { return "vc-controller-manager"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<Kind>(watching::own_key<Kind>);
    const watching::KindName& kind = watching::kind_name<Kind>();
    to.on<VolcanoPodGroup>(watching::controllers_of<VolcanoPodGroup>(std::string(kind.kind), std::string(kind.group)));
  }

  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    watching::Reconciliation result;
    const auto owner = context.caches.of<Kind>().find(key);
    if (owner == nullptr || owner->is_being_deleted()) return result;
    const auto known =
        context.caches.of<VolcanoPodGroup>().find(key.name_space, workloads::owner_group_name(owner->metadata().uid));
    const std::optional<VolcanoPodGroup> wanted = group_of(owner->view);
    if (wanted && known == nullptr) {
      result.then(controllers::creation_of(*wanted, kube::kVolcanoPodGroupSchema));
    } else if (wanted && known->view.min_member != wanted->min_member) {
      result.then(watching::update(
          watching::kind_name<VolcanoPodGroup>(), known->key(),
          document::with_at(known->document, {"spec", "minMember"}, Value(std::int64_t{wanted->min_member}))));
    } else if (!wanted && known != nullptr && !wants_pods(owner->view)) {
      result.then(watching::remove(watching::kind_name<VolcanoPodGroup>(), known->key(), known->metadata().uid));
    }
    return result;
  }

 private:
  /// What is no more asked for stays as one that asks for nothing, since pods name it.
  static std::optional<VolcanoPodGroup> group_of(const Kind& owner) {
    const kube::PodSpec* spec = workloads::template_in(owner).spec.get();
    const bool is_asked = spec != nullptr && spec->scheduler_name == workloads::kVolcanoScheduler &&
                          !cluster::spellings::group_of(workloads::template_in(owner).metadata, *spec);
    if (!is_asked || !wants_pods(owner)) return std::nullopt;
    const std::optional<std::int32_t> minimum = workloads::group_minimum(owner.metadata);
    if (!minimum) return std::nullopt;
    const watching::KindName& kind = watching::kind_name<Kind>();
    const kube::OwnerReference reference{kind.api_version(), std::string(kind.kind), owner.metadata.name,
                                         owner.metadata.uid, true};
    return workloads::owner_group(reference, owner.metadata, spec->priority_class_name, *minimum);
  }

  const std::string name_ = kube::lower_case(watching::kind_name<Kind>().kind) + "-volcano-group-controller";
};

/// "replicasets.apps"; empty: the kind is not asked.
std::string_view resource_of(std::string_view kind) {
  if (kind == "ReplicaSet") return "replicasets.apps";
  if (kind == "StatefulSet") return "statefulsets.apps";
  if (kind == "DaemonSet") return "daemonsets.apps";
  return kind == "Job" ? "jobs.batch" : std::string_view();
}

class PodWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "pods"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mpodgroup.volcano.loadline.dev"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vpodgroup.volcano.loadline.dev"; }

  Verdict<Value> complete(const apiserver::WebhookRequest& request, Value pod) override {
    const bool is_new = request.operation == apiserver::AdmissionRequest::Operation::kCreate;
    if (!is_new || document::text_at(pod, {"spec", "schedulerName"}) != workloads::kVolcanoScheduler) return pod;
    const kube::Pod seen = kube::view<kube::Pod>(pod, kube::kPodSchema).object;
    const kube::OwnerReference* owner = seen.metadata.controller();
    if (owner == nullptr || seen.spec == nullptr || cluster::spellings::group_of(seen)) return pod;
    const std::string_view resource = resource_of(owner->kind);
    if (resource.empty()) return pod;
    const std::optional<Value> found = request.stored.find(resource, request.name_space, owner->name);
    if (!found) return pod;
    kube::ObjectMeta metadata;
    for (const std::string_view key : {workloads::kGroupMinMember, workloads::kElasticMinReplicas}) {
      const std::string_view written = document::text_at(*found, {"metadata", "annotations", key});
      if (!written.empty()) metadata.annotations.emplace(std::string(key), std::string(written));
    }
    if (!workloads::group_minimum(metadata)) return pod;
    return document::with_at(std::move(pod), {"metadata", "annotations", kube::kGroupNameAnnotation},
                             Value(workloads::owner_group_name(owner->uid)));
  }
};

}  // namespace

Controllers make_owner_group_controllers() {
  Controllers made;
  made.push_back(std::make_unique<OwnerGroupController<kube::ReplicaSet>>());
  made.push_back(std::make_unique<OwnerGroupController<kube::StatefulSet>>());
  made.push_back(std::make_unique<OwnerGroupController<kube::DaemonSet>>());
  made.push_back(std::make_unique<OwnerGroupController<kube::Job>>());
  return made;
}

std::shared_ptr<apiserver::Webhook> make_owner_group_webhook() { return std::make_shared<PodWebhook>(); }

}  // namespace loadline::operators
