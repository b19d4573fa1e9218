#include "hosts/controllers/replica_set.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/existing_pods.h"
#include "brain/workloads/replica_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/deletion_order.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_actions.h"
#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::controllers {
namespace {

using document::Value;

/// Where ReplicaSets and ReplicationControllers differ.
template <class Kind>
struct Dialect;

template <>
struct Dialect<kube::ReplicaSet> {
  static constexpr std::string_view kName = "replicaset-controller";
  static constexpr bool kCountsTerminating = true;
  static constexpr const kube::Schema& kStatusSchema = kube::kReplicaSetStatusSchema;
  static std::optional<kube::LabelSelector> selector(const kube::ReplicaSet& set) { return set.selector; }
  static bool selects(const kube::ReplicaSet& set, const kube::StringMap& labels) {
    return set.selector && !set.selector->empty() && matches(*set.selector, labels);
  }
};

template <>
struct Dialect<kube::ReplicationController> {
  static constexpr std::string_view kName = "replication-controller";
  static constexpr bool kCountsTerminating = false;
  static constexpr const kube::Schema& kStatusSchema = kube::kReplicationControllerStatusSchema;
  static std::optional<kube::LabelSelector> selector(const kube::ReplicationController& controller) {
    if (controller.selector.empty()) return std::nullopt;
    return kube::LabelSelector{controller.selector, {}};
  }
  static bool selects(const kube::ReplicationController& controller, const kube::StringMap& labels) {
    const auto own = selector(controller);
    return own && matches(*own, labels);
  }
};

bool has_all(const kube::StringMap& labels, const kube::StringMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

/// One look at one object.
template <class Kind>
class Replicas {
 public:
  Replicas(const Observed<Kind>& object, const Context& context)
      : object_(object), set_(object.view), context_(context), status_(object.view.status) {}

  Reconciliation run() {
    const auto selector = Dialect<Kind>::selector(set_);
    if (!selector) return {};
    selector_ = &*selector;
    status_.replicas = status_.fully_labeled_replicas = status_.ready_replicas = status_.available_replicas = 0;
    status_.terminating_replicas.reset();
    if (Dialect<Kind>::kCountsTerminating) status_.terminating_replicas = 0;
    if (!count_by_labels()) count_each();
    report_failure();
    if (status_changed()) first_.insert(first_.begin(), update());
    result_.then(std::move(first_));
    if (!object_.is_being_deleted()) create_or_delete();
    return std::move(result_);
  }

 private:
  /// Counts pods by their labels, which costs next to nothing; false if each pod has to be looked at: one is to be
  /// released or adopted, or times matter.
  bool count_by_labels() {
    if (set_.min_ready_seconds > 0) return false;
    const auto& tallies = context_.caches.pod_tallies(set_.metadata.uid);
    const bool is_plain = std::all_of(tallies.begin(), tallies.end(), [&](const auto& tally) {
      return tally.second.active == 0 || matches(*selector_, tally.first);
    });
    const auto& orphans = context_.caches.of<kube::Pod>().orphans(set_.metadata.namespace_);
    if (!is_plain || std::any_of(orphans.begin(), orphans.end(), [&](const auto& orphan) {
          return matches(*selector_, orphan.second->metadata().labels);
        })) {
      return false;
    }
    for (const auto& [labels, tally] : tallies) {
      if (!matches(*selector_, labels)) continue;
      status_.replicas += tally.active;
      status_.ready_replicas += tally.ready;
      status_.available_replicas += tally.ready;
      if (has_all(labels, set_.template_.metadata.labels)) status_.fully_labeled_replicas += tally.active;
      if (status_.terminating_replicas) *status_.terminating_replicas += tally.terminating;
    }
    return true;
  }

  void count_each() {
    auto claims = claim_active();
    first_ = std::move(claims.actions);
    status_.replicas = static_cast<std::int32_t>(claims.owned.size());
    for (const auto* pod : claims.owned) count_pod(pod->view);
    if (!status_.terminating_replicas) return;
    for (const auto& [labels, tally] : context_.caches.pod_tallies(set_.metadata.uid)) {
      if (matches(*selector_, labels)) *status_.terminating_replicas += tally.terminating;
    }
  }

  [[nodiscard]] Claims<kube::Pod> claim_active() const {
    return claim(context_.caches.of<kube::Pod>(), kind_name<Kind>(), set_.metadata, *selector_,
                 [](const Observed<kube::Pod>& pod) { return workloads::is_active(pod.view); });
  }

  void count_pod(const kube::Pod& pod) {
    if (has_all(pod.metadata.labels, set_.template_.metadata.labels)) ++status_.fully_labeled_replicas;
    if (!is_ready(pod)) return;
    ++status_.ready_replicas;
    if (is_available(pod, set_.min_ready_seconds, context_.now)) {
      ++status_.available_replicas;
    } else if (const auto left = available_after(pod, set_.min_ready_seconds, context_.now)) {
      result_.wake_after(*left);
    }
  }

  /// Above zero: so many pods are missing; below: too many.
  [[nodiscard]] std::int64_t missing() const { return std::int64_t{set_.replicas} - status_.replicas; }

  /// The failure of what would have to be done again, or null.
  [[nodiscard]] const FailedAction* failure() const {
    const auto verb = missing() > 0 ? Action::Verb::kCreate : Action::Verb::kDelete;
    if (missing() == 0) return nullptr;
    const auto found =
        std::find_if(context_.failures.begin(), context_.failures.end(), [verb](const FailedAction& failed) {
          return failed.action.verb == verb && failed.action.of.plural == kind_name<kube::Pod>().plural;
        });
    return found == context_.failures.end() ? nullptr : &*found;
  }

  void report_failure() {
    const FailedAction* const failed = failure();
    if (failed == nullptr) {
      remove_condition(status_.conditions, kReplicaFailure);
    } else if (kube::find_condition(status_.conditions, kReplicaFailure) == nullptr) {
      const bool create = failed->action.verb == Action::Verb::kCreate;
      set_condition(status_.conditions, {std::string(kReplicaFailure), "True", create ? "FailedCreate" : "FailedDelete",
                                         (create ? "" : "unable to delete pods: ") + failed->status.message,
                                         std::nullopt, whole_seconds(context_.now)});
    }
  }

  [[nodiscard]] bool status_changed() const {
    return !(status_ == set_.status) || set_.status.observed_generation != set_.metadata.generation;
  }

  Action update() {
    status_.observed_generation = set_.metadata.generation;
    return update_status(kind_name<Kind>(), object_.key(),
                         object_.document.with("status", kube::encode_object(Dialect<Kind>::kStatusSchema, &status_)));
  }

  void create_or_delete() {
    if (missing() > 0 && !is_ending(context_.caches, set_.metadata.namespace_)) {
      create_pods(std::min(static_cast<std::size_t>(missing()), kBurst));
    } else if (missing() < 0) {
      delete_pods(std::min(static_cast<std::size_t>(-missing()), kBurst));
    }
  }

  void create_pods(std::size_t count) {
    if (document::find_at(object_.document, {"spec", "template"}) == nullptr) return;
    const Action action = PodMaker(object_, workloads::shared_draft(set_)).pod();
    for (auto& step : slow_start(std::vector<Action>(count, action))) result_.then(std::move(step));
  }

  void delete_pods(std::size_t count) {
    const Value regarding = reference_to(object_);
    std::vector<Action> actions;
    for (const auto* pod : first_to_delete(claim_active().owned, count, relatives(), context_.now)) {
      actions.push_back(remove_pod(regarding, *pod));
    }
    result_.then(std::move(actions));
  }

  /// Where the active pods are of all that have the same controller as this one, as the revisions of a Deployment have.
  [[nodiscard]] workloads::PodsOnNodes relatives() const {
    workloads::PodsOnNodes pods_on;
    const kube::OwnerReference* const controller = set_.metadata.controller();
    if (controller == nullptr) return pods_on;
    for (const auto& [key, sibling] : context_.caches.of<Kind>().controlled_by(controller->uid)) {
      for (const auto& [name, pod] : context_.caches.of<kube::Pod>().controlled_by(sibling->metadata().uid)) {
        if (workloads::is_active(pod->view)) ++pods_on[pod->view.spec->node_name];
      }
    }
    return pods_on;
  }

  const Observed<Kind>& object_;
  const Kind& set_;
  const Context& context_;
  kube::ReplicaSetStatus status_;
  const kube::LabelSelector* selector_ = nullptr;
  std::vector<Action> first_;  // the first step
  Reconciliation result_;
};

template <class Kind>
class ReplicasController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return Dialect<Kind>::kName; }

  void subscribe(Subscriptions& to) override {
    to.on<Kind>(own_key<Kind>);
    to.on<kube::Pod>(controllers_of<kube::Pod>(std::string(kind_name<Kind>().kind)));
    to.on<kube::Pod>(adopters_of<kube::Pod, Kind>(to.caches(), Dialect<Kind>::selects));
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<Kind> object = context.caches.of<Kind>().find(key);
    return object == nullptr ? Reconciliation{} : Replicas<Kind>(*object, context).run();
  }
};

}  // namespace

std::unique_ptr<Controller> make_replica_set_controller() {
  return std::make_unique<ReplicasController<kube::ReplicaSet>>();
}

std::unique_ptr<Controller> make_replication_controller() {
  return std::make_unique<ReplicasController<kube::ReplicationController>>();
}

}  // namespace loadline::controllers
