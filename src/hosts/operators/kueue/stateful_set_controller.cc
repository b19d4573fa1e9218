#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/workloads/pod_set.h"
#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/group_membership.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/job_sync.h"
#include "hosts/operators/kueue/job_workload_object.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/owner_kinds.h"
#include "hosts/operators/kueue/pod_holder_rules.h"
#include "hosts/operators/kueue/stateful_set.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::Reconciliation;
using SetObject = watching::Observed<kube::StatefulSet>;

constexpr std::string_view kTheOnlySet = "main";
constexpr Duration kUntilClassIsThere = Duration::seconds(60);

bool has_quota_on_hold(const kube::KueueWorkload& workload) {
  const auto* reserved = kube::find_condition(workload.status.conditions, "QuotaReserved");
  return reserved != nullptr && reserved->status == "False" && reserved->reason == "OnHold";
}

/// "db-2": 2.
std::int32_t ordinal_of(std::string_view pod) {
  std::int32_t ordinal = 0;
  const std::string_view digits = pod.substr(pod.rfind('-') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return ordinal;
}

/// One look at a StatefulSet that is held in its pods.
class StatefulSetSync {
 public:
  StatefulSetSync(const SetObject& set, const Surroundings& in)
      : set_(set),
        in_(in),
        owner_{watching::kind_name<kube::StatefulSet>(), set.metadata()},
        name_(workload_of_stateful_set(set.metadata().name, set.metadata().uid)) {}

  Reconciliation run() {
    const WorkloadPtr workload = in_.context.caches.of<kube::KueueWorkload>().find(set_.metadata().namespace_, name_);
    see_to_pods(workload == nullptr ? set_.view.replicas : most_pods(workload->view));
    workload == nullptr ? make_workload() : see_to_workload(*workload);
    return std::move(result_);
  }

 private:
  /// As many as there is quota for: no webhook sees `kubectl scale`, so it may have been scaled meanwhile. While it
  /// waits, no more than its Workload has by now, which would not be theirs else.
  [[nodiscard]] std::int32_t most_pods(const kube::KueueWorkload& workload) const {
    if (workload.pod_sets.size() != 1) return set_.view.replicas;
    const std::int32_t count = workload.pod_sets.front().count;
    return kube::has_quota_reservation(workload) ? count : std::min(count, set_.view.replicas);
  }

  /// Pods behind the first `most` stay gated, and are of no group.
  void see_to_pods(std::int32_t most) {
    std::vector<Action> actions;
    for (const auto& [key, pod] : in_.context.caches.of<kube::Pod>().controlled_by(set_.metadata().uid)) {
      if (holder_of(pod->metadata()) != kStatefulSetFramework) continue;
      has_pods_ = has_pods_ || !is_terminated(pod->view);
      std::optional<Action> change;
      if (is_of_old_revision(&set_.view, pod->metadata())) {
        change = ungate(*pod);
      } else if (ordinal_of(pod->metadata().name) - set_.view.ordinals_start < most) {
        change = enrol(*pod, membership(most));
      }
      if (change) actions.push_back(std::move(*change));
    }
    result_.then(std::move(actions));
  }

  [[nodiscard]] GroupMembership membership(std::int32_t total) const {
    return {.group = name_,
            .total = total,
            .role = std::string(kTheOnlySet),
            .queue = label_of_object(set_.metadata(), kube::kQueueName),
            .priority_class = label_of_object(set_.metadata(), kube::kWorkloadPriorityClassLabel),
            .is_admitted_fast = true};
  }

  [[nodiscard]] queue::kueue::JobPodSets pod_sets() const {
    kube::PodSet set;
    set.name = kTheOnlySet;
    set.count = set_.view.replicas;
    set.template_.spec = set_.view.template_.spec;
    return {std::move(set)};
  }
  [[nodiscard]] PodSetDocuments documents(const queue::kueue::JobPodSets& sets) const {
    PodSetDocuments made = pod_set_documents(set_.document, workloads::pod_sets(set_.view), sets);
    made.front().pod_template = document::without_at(std::move(made.front().pod_template), {"metadata"});
    return made;
  }

  void make_workload() {
    if (set_.view.replicas == 0) return;
    const queue::kueue::JobPodSets sets = pod_sets();
    const auto priority = priority_of(owner_, sets, in_.context.caches);
    if (!priority) return result_.wake_after(kUntilClassIsThere);
    Action creation =
        watching::create(watching::kind_name<kube::KueueWorkload>(), set_.metadata().namespace_,
                         group_workload_document(owner_, name_, sets, documents(sets), *priority, in_.configuration));
    creation.said_when_done = told(owner_.kind, set_.document, "CreatedWorkload",
                                   "Created Workload: " + ObjectKey{set_.metadata().namespace_, name_}.to_string());
    result_.then(std::move(creation));
  }

  void see_to_workload(const WorkloadObject& workload) {
    if (workload.is_being_deleted() || kube::is_finished(workload.view)) return;
    if (set_.view.replicas > 0) {
      Value after = with_group_owner(workload.document, owner_);
      after = with_queue(std::move(after), queue::kueue::queue_name_of(set_.metadata()));
      after = with_as_many_pods(std::move(after), workload.view);
      if (after != workload.document) {
        result_.then(watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(), std::move(after)));
        return;
      }
    }
    kube::KueueWorkload after = workload.view;
    const Instant now = in_.context.now;
    if (set_.view.replicas == 0 && !has_pods_ && !has_quota_on_hold(after) && after.active) {
      kube::unreserve_quota(after, "OnHold", "StatefulSet scaled to zero; workload on hold", now);
    } else if (set_.view.replicas > 0 && has_quota_on_hold(after)) {
      kube::unreserve_quota(after, "Pending", "Workload no longer on hold; waiting for quota reservation", now);
    }
    if (auto patch = status_patch(workload, after)) result_.then(std::move(*patch));
  }

  /// It may come back from none with another number of pods.
  [[nodiscard]] Value with_as_many_pods(Value document, const kube::KueueWorkload& workload) const {
    const bool is_fixed = kube::has_quota_reservation(workload);
    if (is_fixed || workload.pod_sets.size() != 1 || workload.pod_sets.front().count == set_.view.replicas) {
      return document;
    }
    return document::with_at(std::move(document), {"spec", "podSets"}, array_of(documents(pod_sets())));
  }

  const SetObject& set_;
  const Surroundings in_;
  const GroupOwner owner_;
  const std::string name_;
  bool has_pods_ = false;
  Reconciliation result_;
};

class StatefulSetController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "statefulset-kueue-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::StatefulSet>(watching::own_key<kube::StatefulSet>);
    to.on<kube::Pod>([](const Change<kube::Pod>& change, Keys& keys) {
      if (holder_of(change.last().metadata()) != kStatefulSetFramework) return;
      watching::controllers_of<kube::Pod>("StatefulSet", "apps")(change, keys);
    });
    to.on<kube::KueueWorkload>([](const Change<kube::KueueWorkload>& change, Keys& keys) {
      for (const kube::OwnerReference& owner : change.last().metadata().owner_references) {
        if (owner.kind == "StatefulSet") keys.insert({change.last().metadata().namespace_, owner.name});
      }
    });
    look_at_all_when_queues_change<kube::StatefulSet>(to);
    read_owner_kinds(to);
  }

  Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    const auto set = context.caches.of<kube::StatefulSet>().find(key);
    if (set == nullptr || set->is_being_deleted()) return {};
    const std::string_view holder = holder_of(set->view.template_.metadata);
    if (!holder.empty() && holder != kStatefulSetFramework) return {};
    const CachedObjects objects(context.caches);
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    const auto is_held = holds_pods(objects, configuration, kStatefulSetFramework, set->document);
    if (!is_held || !*is_held) return {};
    return StatefulSetSync(*set, {context, objects, configuration}).run();
  }

 private:
  ConfigurationInForce configuration_;
};

}  // namespace

std::string workload_of_stateful_set(std::string_view name, std::string_view uid) {
  return queue::kueue::workload_name("StatefulSet", "apps/v1", name, uid);
}

std::unique_ptr<controllers::Controller> make_stateful_set_controller() {
  return std::make_unique<StatefulSetController>();
}

}  // namespace loadline::operators::kueue
