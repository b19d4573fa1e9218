#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/workloads/pod_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/group_membership.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/job_sync.h"
#include "hosts/operators/kueue/job_workload_object.h"
#include "hosts/operators/kueue/leader_worker_set.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/owner_kinds.h"
#include "hosts/operators/kueue/pod_holder_rules.h"
#include "hosts/operators/kueue/pod_index.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::Reconciliation;
using GroupsObject = watching::Observed<kube::LeaderWorkerSet>;

constexpr std::string_view kLeaderSet = "leader";
constexpr std::string_view kWorkerSet = "worker";
constexpr std::string_view kOneSet = "main";
constexpr Duration kUntilPriorityIsThere = Duration::seconds(60);

std::string_view set_of_pod(const kube::ObjectMeta& pod) {
  const auto found = pod.labels.find(kube::kLwsName);
  return found == pod.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// Labels and annotations of the operator's are of a pod's place, not of its sort.
Value without_places(Value pod_template) {
  constexpr std::string_view kDomain = "leaderworkerset.sigs.k8s.io";
  for (const std::string_view field : {"labels", "annotations"}) {
    const Value entries = document::value_at(pod_template, {"metadata", field});
    if (!entries.is_object()) continue;
    for (const auto& entry : entries.object()) {
      if (!entry.key.starts_with(kDomain) || entry.key == kube::kLwsName) continue;
      pod_template = document::without_at(std::move(pod_template), {"metadata", field, entry.key});
    }
  }
  return pod_template;
}

/// More groups than it has are there while they are replaced.
std::int64_t groups_of(const kube::LeaderWorkerSet& set) {
  const bool surges = (set.max_surge.integer.value_or(0) > 0 || !set.max_surge.text.empty()) &&
                      set.status.updated_replicas < set.replicas;
  return surges ? std::max(set.replicas, set.status.replicas) : set.replicas;
}

/// One look at a LeaderWorkerSet that is held in its pods.
class GroupsSync {
 public:
  GroupsSync(const GroupsObject& set, std::vector<PodPtr> pods, std::vector<WorkloadPtr> workloads,
             const Surroundings& in)
      : set_(set),
        in_(in),
        owner_{watching::kind_name<kube::LeaderWorkerSet>(), set.metadata()},
        pods_(std::move(pods)),
        workloads_(std::move(workloads)),
        queue_(label_of_object(set.metadata(), kube::kQueueName)) {}

  Reconciliation run() {
    see_to_workloads();
    see_to_pods();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string workload_of(std::string_view group) const {
    return workload_of_lws_group(set_.metadata().name, group, set_.metadata().uid);
  }

  void see_to_workloads() {
    std::map<std::string, WorkloadPtr> outdated;
    for (const WorkloadPtr& each : workloads_) outdated.emplace(each->metadata().name, each);
    const queue::kueue::JobPodSets sets = pod_sets();
    const auto priority = priority_of(owner_, sets, in_.context.caches);
    std::vector<Action> actions;
    for (std::int64_t group = 0; group < groups_of(set_.view); ++group) {
      const std::string name = workload_of(std::to_string(group));
      const auto known = outdated.find(name);
      if (known == outdated.end()) {
        if (actions.size() >= controllers::kBurst) return result_.then(std::move(actions));
        if (priority) actions.push_back(creation(name, group, sets, *priority));
        continue;
      }
      if (auto change = change_of(*known->second, priority)) actions.push_back(std::move(*change));
      outdated.erase(known);
    }
    if (!priority) result_.wake_after(kUntilPriorityIsThere);
    result_.then(std::move(actions));
    for (const auto& [name, workload] : outdated) remove(*workload);
  }

  [[nodiscard]] Action creation(const std::string& name, std::int64_t group, const queue::kueue::JobPodSets& sets,
                                const queue::kueue::WorkloadPriority& priority) const {
    Value made = group_workload_document(owner_, name, sets, documents(sets), priority, in_.configuration);
    made = document::with_at(std::move(made), {"metadata", "annotations", kube::kComponentWorkloadIndex},
                             Value(std::to_string(group)));
    Action creation =
        watching::create(watching::kind_name<kube::KueueWorkload>(), set_.metadata().namespace_, std::move(made));
    creation.said_when_done = told(owner_.kind, set_.document, "CreatedWorkload",
                                   "Created Workload: " + ObjectKey{set_.metadata().namespace_, name}.to_string());
    return creation;
  }

  /// The group follows the set to another queue, or to another class.
  [[nodiscard]] std::optional<Action> change_of(const WorkloadObject& workload,
                                                const std::optional<queue::kueue::WorkloadPriority>& priority) const {
    if (workload.is_being_deleted() || kube::is_finished(workload.view)) return std::nullopt;
    Value after = with_queue(workload.document, queue_);
    if (priority && is_of_another_class(workload.view, set_.metadata())) {
      after = with_priority(std::move(after), *priority);
    }
    if (after == workload.document) return std::nullopt;
    return watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(), std::move(after));
  }

  void remove(const WorkloadObject& workload) {
    if (auto freed = finalizer_removal(workload)) result_.then(std::move(*freed));
    if (workload.is_being_deleted()) return;
    result_.then(watching::remove(watching::kind_name<kube::KueueWorkload>(), workload.key(), workload.metadata().uid));
  }

  void see_to_pods() {
    std::vector<Action> actions;
    const auto& sets = in_.context.caches.of<kube::StatefulSet>();
    for (const PodPtr& pod : pods_) {
      if (holder_of(pod->metadata()) != kLeaderWorkerSetFramework) continue;
      const kube::OwnerReference* controller = pod->metadata().controller();
      const auto above = controller == nullptr ? nullptr : sets.find(pod->metadata().namespace_, controller->name);
      std::optional<Action> change;
      if (is_of_old_revision(above == nullptr ? nullptr : &above->view, pod->metadata())) {
        change = ungate(*pod);
      } else if (const std::string group = label_of_object(pod->metadata(), kube::kLwsGroupIndex); !group.empty()) {
        change = enrol(*pod, membership_of(*pod, group));
      }
      if (change) actions.push_back(std::move(*change));
    }
    result_.then(std::move(actions));
  }

  [[nodiscard]] GroupMembership membership_of(const watching::Observed<kube::Pod>& pod,
                                              const std::string& group) const {
    const bool is_worker = pod.metadata().annotations.contains(std::string(kube::kLwsLeaderName));
    return {.group = workload_of(group),
            .total = set_.view.size,
            .role = std::string(!set_.view.leader_template ? kOneSet
                                : is_worker                ? kWorkerSet
                                                           : kLeaderSet),
            .queue = queue_,
            .priority_class = label_of_object(set_.metadata(), kube::kWorkloadPriorityClassLabel),
            .is_admitted_fast = false};
  }

  [[nodiscard]] queue::kueue::JobPodSets pod_sets() const {
    const auto made = [](std::string_view name, std::int32_t count, const kube::PodTemplateSpec& pod_template) {
      kube::PodSet set;
      set.name = name;
      set.count = count;
      set.template_ = pod_template;
      return set;
    };
    const kube::LeaderWorkerSet& set = set_.view;
    if (!set.leader_template) return {made(kOneSet, set.size, set.worker_template)};
    return {made(kLeaderSet, 1, *set.leader_template), made(kWorkerSet, set.size - 1, set.worker_template)};
  }

  [[nodiscard]] PodSetDocuments documents(const queue::kueue::JobPodSets& sets) const {
    const std::string in = "spec.leaderWorkerTemplate.";
    workloads::PodSets places;
    if (sets.size() == 2) places.push_back({&sets.front().template_, in + "leaderTemplate", 1});
    places.push_back({&sets.back().template_, in + "workerTemplate", sets.back().count});
    PodSetDocuments made = pod_set_documents(set_.document, places, sets);
    for (PodSetDocument& each : made) each.pod_template = without_places(std::move(each.pod_template));
    return made;
  }

  const GroupsObject& set_;
  const Surroundings in_;
  const GroupOwner owner_;
  const std::vector<PodPtr> pods_;
  const std::vector<WorkloadPtr> workloads_;
  const std::string queue_;
  Reconciliation result_;
};

class GroupsController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "leaderworkerset-kueue-controller"; }
  [[nodiscard]] std::string_view reporter() const override {
    return "leaderworkerset.x-k8s.io/leaderworkerset-kueue-controller";
  }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::LeaderWorkerSet>(watching::own_key<kube::LeaderWorkerSet>);
    to.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys& keys) {
      pods_.on_change(change);
      const kube::ObjectMeta& pod = change.last().metadata();
      if (holder_of(pod) == kLeaderWorkerSetFramework) keys.insert({pod.namespace_, std::string(set_of_pod(pod))});
    });
    to.on<kube::KueueWorkload>([this](const Change<kube::KueueWorkload>& change, Keys& keys) {
      note(change);
      if (const kube::OwnerReference* owner = set_above(change.last().metadata())) {
        keys.insert({change.last().metadata().namespace_, owner->name});
      }
    });
    to.on<kube::StatefulSet>([](const Change<kube::StatefulSet>& change, Keys& keys) {
      const kube::ObjectMeta& set = change.last().metadata();
      if (holder_of(change.last().view.template_.metadata) != kLeaderWorkerSetFramework) return;
      keys.insert({set.namespace_, label_of_object(set, kube::kLwsName)});
    });
    look_at_all_when_queues_change<kube::LeaderWorkerSet>(to);
    read_owner_kinds(to);
  }

  Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    const auto set = context.caches.of<kube::LeaderWorkerSet>().find(key);
    if (set == nullptr || set->is_being_deleted()) return {};
    const CachedObjects objects(context.caches);
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    const auto is_held = holds_pods(objects, configuration, kLeaderWorkerSetFramework, set->document);
    if (!is_held || !*is_held) return {};
    return GroupsSync(*set, pods_.of(key.name_space, key.name, context.caches.of<kube::Pod>()),
                      workloads_of(*set, context), {context, objects, configuration})
        .run();
  }

 private:
  static const kube::OwnerReference* set_above(const kube::ObjectMeta& workload) {
    const auto found = std::ranges::find(workload.owner_references, "LeaderWorkerSet", &kube::OwnerReference::kind);
    return found == workload.owner_references.end() ? nullptr : &*found;
  }

  void note(const Change<kube::KueueWorkload>& change) {
    const ObjectKey key = change.last().key();
    if (change.before != nullptr) {
      const kube::OwnerReference* owner = set_above(change.before->metadata());
      const auto found = owner == nullptr ? workloads_.end() : workloads_.find(owner->uid);
      if (found != workloads_.end() && found->second.erase(key) > 0 && found->second.empty()) workloads_.erase(found);
    }
    if (change.after == nullptr) return;
    if (const kube::OwnerReference* owner = set_above(change.after->metadata())) workloads_[owner->uid].insert(key);
  }

  [[nodiscard]] std::vector<WorkloadPtr> workloads_of(const GroupsObject& set,
                                                      const controllers::Context& context) const {
    std::vector<WorkloadPtr> all;
    const auto found = workloads_.find(set.metadata().uid);
    if (found == workloads_.end()) return all;
    for (const ObjectKey& key : found->second) {
      if (WorkloadPtr each = context.caches.of<kube::KueueWorkload>().find(key)) all.push_back(std::move(each));
    }
    return all;
  }

  PodIndex pods_{set_of_pod};
  std::map<std::string, std::set<ObjectKey>> workloads_;  // by the uid of their LeaderWorkerSet
  ConfigurationInForce configuration_;
};

}  // namespace

std::string workload_of_lws_group(std::string_view name, std::string_view group, std::string_view uid) {
  return queue::kueue::workload_name("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1",
                                     std::string(name) + '-' + std::string(group), uid);
}

std::unique_ptr<controllers::Controller> make_leader_worker_set_controller() {
  return std::make_unique<GroupsController>();
}

}  // namespace loadline::operators::kueue
