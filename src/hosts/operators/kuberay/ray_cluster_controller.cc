#include "hosts/operators/kuberay/ray_cluster_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/kuberay/ray_cluster_status.h"
#include "objects/kube/core/service.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Action;
using controllers::Event;
using controllers::kind_name;
using controllers::Observed;
using document::Array;
using document::Object;
using document::Value;
using kube::RayWorkerGroup;

/// Workers of a group that one look makes; the next look, once they are seen, makes more.
constexpr std::int64_t kMostAtOnce = 500;

std::string label_of(const kube::Pod& pod, std::string_view name) {
  const auto found = pod.metadata.labels.find(name);
  return found == pod.metadata.labels.end() ? std::string() : found->second;
}

bool is_over(const kube::Pod& pod) {
  return pod.status.phase == kube::PodPhase::kFailed || pod.status.phase == kube::PodPhase::kSucceeded;
}

/// One look at a RayCluster.
class RayClusterSync {
 public:
  RayClusterSync(const Observed<kube::RayCluster>& object, const controllers::Context& context)
      : object_(object), cluster_(object.view), context_(context), regarding_(controllers::reference_to(object)) {
    for (const auto& [key, pod] : context.caches.of<kube::Pod>().controlled_by(object.metadata().uid)) {
      if (key.name_space == object.metadata().namespace_) pods_.push_back(pod.get());
    }
  }

  controllers::Reconciliation run() {
    if (const std::string problem = workloads::problem_of(cluster_.spec); !problem.empty()) {
      result_.events.push_back(
          {regarding_, Event::Type::kWarning, "InvalidRayClusterSpec",
           fmt::format("The RayCluster spec is invalid {}: {}", object_.key().to_string(), problem)});
      return std::move(result_);
    }
    make_services();
    look_at_pods();
    write_status();
    result_.then(std::move(deletions_));
    result_.then(std::move(services_));
    if (!is_ending(context_.caches, cluster_.metadata.namespace_)) {
      for (auto& step : controllers::slow_start(std::move(creations_))) result_.then(std::move(step));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool has_condition(std::string_view type) const {
    return std::ranges::any_of(cluster_.status.conditions,
                               [&](const auto& one) { return one.type == type && one.status == "True"; });
  }
  [[nodiscard]] std::string prefix(std::string_view text) const {
    return fmt::format("{} {}/", text, cluster_.metadata.namespace_);
  }
  [[nodiscard]] Value owner() const {
    return controllers::controller_reference(kind_name<kube::RayCluster>(), cluster_.metadata);
  }

  void make_services() {
    const std::string name = workloads::head_service_name(cluster_);
    if (context_.caches.of<kube::Service>().find(cluster_.metadata.namespace_, name) != nullptr) return;
    if (is_ending(context_.caches, cluster_.metadata.namespace_)) return;
    Action action = create(kind_name<kube::Service>(), cluster_.metadata.namespace_, head_service(name));
    action.said_when_done = Event{regarding_, Event::Type::kNormal, "CreatedService", prefix("Created service") + name};
    action.said_if_failed = Event{regarding_, Event::Type::kWarning, "FailedToCreateService",
                                  prefix("Failed creating service") + name + ", "};
    services_.push_back(std::move(action));
  }

  /// The service by which workers find the head; its ports are Ray's own where the head names none.
  [[nodiscard]] Value head_service(const std::string& name) const {
    Object selector;
    for (const auto& [label, value] : workloads::services_of(cluster_).front().selector) {
      selector.push_back({label, Value(value), {}});
    }
    const auto port = [](std::string_view port_name, std::int64_t number) {
      return Value(
          Object{{"appProtocol", Value("tcp"), {}}, {"name", Value(port_name), {}}, {"port", Value(number), {}}});
    };
    Object spec{{"ports",
                 Value(Array{port("client", 10001), port("dashboard", 8265), port("gcs-server", 6379),
                             port("metrics", 8080), port("serve", 8000)}),
                 {}},
                {"selector", Value(selector), {}}};
    const std::string& type = cluster_.spec.head.service_type;
    if (!type.empty()) spec.push_back({"type", Value(type), {}});
    if (type.empty() || type == "ClusterIP") {
      spec.push_back({"clusterIP", Value("None"), {}});
      spec.push_back({"publishNotReadyAddresses", Value(true), {}});
    }
    Object metadata{
        {"name", Value(name), {}}, {"labels", Value(selector), {}}, {"ownerReferences", Value(Array{owner()}), {}}};
    return Value(Object{{"apiVersion", Value("v1"), {}},
                        {"kind", Value("Service"), {}},
                        {"metadata", Value(std::move(metadata)), {}},
                        {"spec", Value(std::move(spec)), {}}});
  }

  void look_at_pods() {
    if (has_condition("RayClusterSuspending")) {
      for (const auto* pod : pods_) remove_pod(*pod, "DeletedPod", "Deleted Pod");
      return;
    }
    if (cluster_.spec.suspend || has_condition("RayClusterSuspended")) return;
    if (!look_at_head()) return;
    for (std::size_t i = 0; i < cluster_.spec.worker_groups.size(); ++i) look_at_group(i);
  }

  /// False: the workers wait until the head that is over is gone.
  bool look_at_head() {
    const RayPods heads = pods_where(kube::kRayNodeType, workloads::kRayHead);
    if (heads.empty()) {
      create_pod(document::value_at(object_.document, {"spec", "headGroupSpec", "template"}),
                 workloads::head_draft(cluster_), {}, "head");
    }
    bool is_well = true;
    for (const auto* head : heads) {
      if (!is_over(head->view)) continue;
      remove_pod(*head, "DeletedHeadPod", "Deleted head Pod");
      is_well = false;
    }
    return is_well;
  }

  void look_at_group(std::size_t place) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    RayPods workers = pods_where(kube::kRayGroup, group.name);
    const auto& given_up = group.workers_to_delete;
    std::erase_if(workers, [&](const auto* pod) {
      const bool named = std::ranges::find(given_up, pod->metadata().name) != given_up.end();
      if (!group.suspend && !named && !is_over(pod->view)) return false;
      remove_pod(*pod, "DeletedWorkerPod", named ? "Deleted pod" : "Deleted worker Pod");
      return true;
    });
    const std::int64_t missing = workloads::wanted_workers(group) - static_cast<std::int64_t>(workers.size());
    if (missing > 0) create_workers(place, workers, std::min(missing, kMostAtOnce));
    // Ray's autoscaler names the workers that it gives up; nobody else may choose.
    if (missing >= 0 || cluster_.spec.has_autoscaler) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(-missing); ++i) {
      remove_pod(*workers[i], "DeletedWorkerPod", "Deleted Pod");
    }
  }

  /// Workers take the first places that are free, hosts of a replica one after another.
  void create_workers(std::size_t place, const RayPods& workers, std::int64_t missing) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    std::set<std::pair<std::string, std::string>> taken;
    for (const auto* pod : workers) {
      taken.emplace(label_of(pod->view, kube::kRayReplicaIndex), label_of(pod->view, kube::kRayHostIndex));
    }
    const Value pod_template = document::value_at(object_.document, {"spec", "workerGroupSpecs"}).array()[place];
    const workloads::PodDraft draft = workloads::worker_draft(cluster_, group);
    for (std::int64_t replica = 0; missing > 0; ++replica) {
      for (std::int64_t host = 0; host < group.hosts_per_replica && missing > 0; ++host) {
        const std::string host_label = group.hosts_per_replica > 1 ? std::to_string(host) : std::string();
        if (taken.contains({std::to_string(replica), host_label})) continue;
        const workloads::RayHost at{replica, replica_name(group, replica, workers), host};
        create_pod(document::value_at(pod_template, {"template"}), draft, workloads::host_draft(group, at), "worker");
        --missing;
      }
    }
  }

  /// The name that the other hosts of the replica have.
  [[nodiscard]] static std::string replica_name(const RayWorkerGroup& group, std::int64_t replica,
                                                const RayPods& workers) {
    for (const auto* pod : workers) {
      if (label_of(pod->view, kube::kRayReplicaIndex) == std::to_string(replica)) {
        return label_of(pod->view, kube::kRayReplicaName);
      }
    }
    return fmt::format("{}-{}", group.name, replica);
  }

  [[nodiscard]] RayPods pods_where(std::string_view label, std::string_view value) const {
    RayPods found;
    for (const auto* pod : pods_) {
      if (label_of(pod->view, label) == value) found.push_back(pod);
    }
    return found;
  }

  void create_pod(const Value& pod_template, const workloads::PodDraft& shared, const workloads::PodDraft& own,
                  std::string_view type) {
    Value pod = controllers::pod_from_template(pod_template, shared, owner());
    Action action =
        create(kind_name<kube::Pod>(), cluster_.metadata.namespace_, controllers::with_draft(std::move(pod), own));
    const std::string reason = type == "head" ? "HeadPod" : "WorkerPod";
    action.said_when_done =
        Event{regarding_, Event::Type::kNormal, "Created" + reason, prefix(fmt::format("Created {} Pod", type))};
    action.names_the_object = true;
    action.said_if_failed =
        Event{regarding_, Event::Type::kWarning, "FailedToCreate" + reason,
              fmt::format("Failed to create {} Pod for the cluster {}, ", type, object_.key().to_string())};
    creations_.push_back(std::move(action));
  }

  void remove_pod(const Observed<kube::Pod>& pod, std::string_view reason, std::string_view text) {
    if (pod.is_being_deleted()) return;
    Action action = remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
    action.said_when_done =
        Event{regarding_, Event::Type::kNormal, std::string(reason), prefix(text) + pod.metadata().name};
    deletions_.push_back(std::move(action));
  }

  void write_status() {
    const Value status = ray_cluster_status(object_, pods_, context_.now);
    const Value* before = object_.document.find("status");
    if (before != nullptr && status == *before) return;
    result_.then(
        update_status(kind_name<kube::RayCluster>(), object_.key(), Value(object_.document).with("status", status)));
  }

  const Observed<kube::RayCluster>& object_;
  const kube::RayCluster& cluster_;
  const controllers::Context& context_;
  Value regarding_;
  RayPods pods_;
  std::vector<Action> services_;
  std::vector<Action> creations_;
  std::vector<Action> deletions_;
  controllers::Reconciliation result_;
};

class RayClusterController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "raycluster-controller"; }

  void subscribe(controllers::Subscriptions& to) override {
    to.on<kube::RayCluster>(controllers::own_key<kube::RayCluster>);
    to.on<kube::Pod>(controllers::controllers_of<kube::Pod>("RayCluster"));
    to.on<kube::Service>(controllers::controllers_of<kube::Service>("RayCluster"));
    to.reads<kube::Namespace>();
  }

  controllers::Reconciliation reconcile(const controllers::ObjectKey& key,
                                        const controllers::Context& context) override {
    const auto cluster = context.caches.of<kube::RayCluster>().find(key);
    if (cluster == nullptr || cluster->is_being_deleted()) return {};
    if (workloads::is_managed_elsewhere(cluster->view.spec.managed_by)) return {};
    return RayClusterSync(*cluster, context).run();
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_ray_cluster_controller() {
  return std::make_unique<RayClusterController>();
}

}  // namespace loadline::operators
