#include "hosts/operators/kuberay/ray_cluster_controller.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/operators/kuberay/ray_cluster_pods.h"
#include "hosts/operators/kuberay/ray_cluster_status.h"
#include "hosts/operators/kuberay/ray_pod.h"
#include "hosts/operators/kuberay/ray_redis.h"
#include "hosts/operators/kuberay/ray_rules.h"
#include "hosts/operators/kuberay/ray_services.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/service_account.h"

namespace loadline::operators {
namespace {

using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;

/// One look at a RayCluster.
class RayClusterSync {
 public:
  RayClusterSync(const Observed<kube::RayCluster>& object, const controllers::Context& context)
      : object_(object), cluster_(object.view), context_(context), regarding_(watching::reference_to(object)) {
    for (const auto& [key, pod] : context.caches.of<kube::Pod>().controlled_by(object.metadata().uid)) {
      if (key.name_space == name_space()) pods_.push_back(pod.get());
    }
  }

  watching::Reconciliation run() {
    if (const std::string problem = ray_cluster_name_problem(cluster_.metadata.name); !problem.empty()) {
      warn("InvalidRayClusterMetadata", fmt::format("The RayCluster metadata is invalid {}: {}", title(), problem));
      return std::move(result_);
    }
    if (const std::string problem = ray_cluster_spec_problem(cluster_, object_.document); !problem.empty()) {
      warn("InvalidRayClusterSpec", fmt::format("The RayCluster spec is invalid {}: {}", title(), problem));
      return std::move(result_);
    }
    if (object_.is_being_deleted()) return clean_up_redis(object_, pods_, context_);
    if (lacks_redis_finalizer(object_)) {
      result_.then(redis_finalizer(object_));
      return std::move(result_);
    }
    const bool is_ending = controllers::is_ending(context_.caches, name_space());
    RayPodsPlan pods;
    if (make_access() && make_services()) pods = RayPodsPlan::of(object_, pods_);
    write_status(pods);
    if (!is_ending) {
      for (Action& action : objects_) result_.then(std::move(action));
    }
    result_.then(std::move(pods.deletions));
    if (!is_ending) {
      for (auto& step : watching::slow_start(std::move(pods.creations))) result_.then(std::move(step));
    }
    for (Event& event : pods.events) result_.events.push_back(std::move(event));
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& name_space() const { return cluster_.metadata.namespace_; }
  [[nodiscard]] std::string title() const { return object_.key().to_string(); }
  void warn(std::string_view reason, std::string message) {
    result_.events.push_back({regarding_, Event::Type::kWarning, std::string(reason), std::move(message)});
  }

  /// Makes the object, unless one of its name is there, and says so: "Created role default/llm".
  template <class Kind>
  void make(Value wanted, std::string_view reason, std::string_view word) {
    const std::string name(document::text_at(wanted, {"metadata", "name"}));
    if (context_.caches.of<Kind>().find(name_space(), name) != nullptr) return;
    Action action = watching::create(kind_name<Kind>(), name_space(), std::move(wanted));
    if (!reason.empty()) {
      action.said_when_done = Event{regarding_, Event::Type::kNormal, fmt::format("Created{}", reason),
                                    fmt::format("Created {} {}/{}", word, name_space(), name)};
      action.said_if_failed = Event{regarding_, Event::Type::kWarning, fmt::format("FailedToCreate{}", reason),
                                    fmt::format("Failed creating {} {}/{}, ", word, name_space(), name)};
    }
    objects_.push_back(std::move(action));
  }

  /// What the autoscaler may do. False: the account that the author names is not there.
  bool make_access() {
    if (!cluster_.spec.has_autoscaler) return true;
    const std::string& chosen = cluster_.spec.head.template_.spec->service_account_name;
    const auto there = context_.caches.of<kube::ServiceAccount>().find(name_space(), ray_head_account(cluster_));
    if (there == nullptr && !chosen.empty()) {
      warn("AutoscalerServiceAccountNotFound",
           fmt::format("Failed to reconcile RayCluster {}. If users specify ServiceAccountName for the head Pod, they "
                       "need to create a ServiceAccount themselves. However, ServiceAccount {} is not found. Please "
                       "create one. See the PR description of https://github.com/ray-project/kuberay/pull/1128 for "
                       "more details.",
                       title(), chosen));
      return false;
    }
    if (there == nullptr) make<kube::ServiceAccount>(ray_account(cluster_), "ServiceAccount", "service account");
    make<watching::Role>(ray_role(cluster_), "Role", "role");
    make<watching::RoleBinding>(ray_role_binding(cluster_), "RoleBinding", "role binding");
    return true;
  }

  /// False: what the cluster serves has no port, so that there can be no service for it.
  bool make_services() {
    make<kube::Service>(ray_head_service(cluster_, object_.document), "Service", "service");
    if (needs_headless_service(cluster_)) make<kube::Service>(ray_headless_service(cluster_), "Service", "service");
    if (!needs_serve_service(cluster_)) return true;
    Value service = ray_serve_service(cluster_, object_.document);
    if (service.is_null()) return false;
    make<kube::Service>(std::move(service), {}, {});
    return true;
  }

  /// Of a cluster whose head service is not there yet, KubeRay writes none.
  void write_status(const RayPodsPlan& pods) {
    const auto service = context_.caches.of<kube::Service>().find(name_space(), workloads::head_service_name(cluster_));
    if (service == nullptr) return;
    const RayLook look{pods_, service->document, pods.ends_here, failed_pod()};
    const Value status = ray_cluster_status(object_, look, context_.now);
    const Value* before = object_.document.find("status");
    if (before != nullptr && status == *before) return;
    result_.then(
        update_status(kind_name<kube::RayCluster>(), object_.key(), Value(object_.document).with("status", status)));
  }

  /// Why a pod could not be made the last time; null: none failed.
  [[nodiscard]] const watching::FailedAction* failed_pod() const {
    for (const watching::FailedAction& failed : context_.failures) {
      if (failed.action.verb == Action::Verb::kCreate && failed.action.of.plural == "pods") return &failed;
    }
    return nullptr;
  }

  const Observed<kube::RayCluster>& object_;
  const kube::RayCluster& cluster_;
  const controllers::Context& context_;
  Value regarding_;
  RayPods pods_;
  std::vector<Action> objects_;
  watching::Reconciliation result_;
};

/// Only the status has changed, of a cluster whose pods cannot be made. Why they cannot has the name in it that the
/// last one would have had: to look again because of that would never end. What failed is tried again after a while.
bool tells_of_failure(const watching::Change<kube::RayCluster>& change) {
  if (change.before == nullptr || change.after == nullptr || change.after->is_being_deleted()) return false;
  const kube::ObjectMeta& before = change.before->metadata();
  const kube::ObjectMeta& after = change.after->metadata();
  return before.generation == after.generation && before.labels == after.labels &&
         before.annotations == after.annotations && before.finalizers == after.finalizers &&
         kube::has_true_condition(change.after->view.status.conditions, "ReplicaFailure");
}

class RayClusterController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "raycluster-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::RayCluster>([](const watching::Change<kube::RayCluster>& change, watching::Keys& keys) {
      if (!tells_of_failure(change)) watching::own_key(change, keys);
    });
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>("RayCluster"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("RayCluster"));
    to.on<kube::ServiceAccount>(watching::controllers_of<kube::ServiceAccount>("RayCluster"));
    to.on<kube::Job>(watching::controllers_of<kube::Job>("RayCluster"));
    to.on<watching::Role>(watching::controllers_of<watching::Role>("RayCluster"));
    to.on<watching::RoleBinding>(watching::controllers_of<watching::RoleBinding>("RayCluster"));
    to.reads<kube::Namespace>();
  }

  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    const auto cluster = context.caches.of<kube::RayCluster>().find(key);
    if (cluster == nullptr) return {};
    if (workloads::is_managed_elsewhere(cluster->view.spec.managed_by)) return {};
    return RayClusterSync(*cluster, context).run();
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_ray_cluster_controller() {
  return std::make_unique<RayClusterController>();
}

}  // namespace loadline::operators
