#include "hosts/operators/grove/pod_clique_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/pod_clique_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/grove/clique_pod.h"
#include "hosts/operators/grove/clique_rollout.h"
#include "hosts/operators/grove/clique_status.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "hosts/operators/grove/grove_objects.h"
#include "hosts/operators/grove/set_templates.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/grove/pod_clique_set_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Object;
using document::Value;
using watching::Action;
using watching::Caches;
using watching::Event;
using watching::kind_name;
using watching::ObjectPtr;
using watching::Observed;
using watching::Reconciliation;

bool is_gated(const CliquePod& pod) {
  const auto& gates = pod.view.spec->scheduling_gates;
  return std::ranges::find(gates, kube::kGroveGate) != gates.end();
}

bool has_condition(const CliquePod& pod, std::string_view type) {
  return kube::has_true_condition(pod.view.status.conditions, type);
}

/// The pods that a gang lists for a PodClique.
std::set<std::string_view> listed_pods(const ObjectPtr<PodGang>& gang, std::string_view clique) {
  std::set<std::string_view> names;
  if (gang == nullptr) return names;
  for (const Value& group : document::items_at(gang->document, {"spec", "podgroups"})) {
    if (document::text_at(group, {"name"}) != clique) continue;
    for (const Value& pod : document::items_at(group, {"podReferences"}))
      names.insert(document::text_at(pod, {"name"}));
  }
  return names;
}

/// One look at a PodClique.
class PodCliqueSync {
 public:
  PodCliqueSync(const Observed<kube::PodClique>& object, const Observed<kube::PodCliqueSet>& set,
                const Context& context)
      : object_(object), clique_(object.view), set_(set), context_(context), status_(object.view.status) {
    for (const auto& [key, pod] : context.caches.of<kube::Pod>().controlled_by(object.metadata().uid)) {
      pods_.push_back(pod.get());
      if (!pod->is_being_deleted()) staying_.push_back(pod.get());
    }
    const SetTemplates templates(set);
    const std::string name = workloads::clique_of(pod_labels());
    hash_ = templates.hash_of(name);
  }

  Reconciliation run() {
    begin_update();
    if (!controllers::is_ending(context_.caches, clique_.metadata.namespace_)) mend_count();
    if (updates_by_itself(set_.view) && is_updating(status_)) {
      const bool has_enough = clique_.status.ready_replicas >= least_available(clique_.spec);
      for (const CliquePod* pod :
           replace_old_pods(staying_, status_.update->template_hash, has_enough, context_.now, *status_.update)) {
        remove(*pod);
      }
    }
    open_gates();
    let_start();
    judge();
    write_status(object_, status_, kube::kPodCliqueStatusSchema, result_);
    return std::move(result_);
  }

 private:
  /// The labels of a PodClique are those of its pods, but for its own name.
  [[nodiscard]] kube::ObjectMeta pod_labels() const {
    kube::ObjectMeta metadata;
    metadata.labels = clique_.metadata.labels;
    metadata.labels[std::string(kube::kGrovePodClique)] = clique_.metadata.name;
    return metadata;
  }
  [[nodiscard]] Event event(Event::Type type, std::string_view reason, std::string message) const {
    return {watching::reference_to(object_), type, std::string(reason), std::move(message)};
  }

  // ---- pods ---------------------------------------------------------------------------------------------------------

  void mend_count() {
    const auto wanted = static_cast<std::size_t>(std::max(clique_.spec.replicas, 0));
    if (staying_.size() < wanted) make_pods(std::min(wanted - staying_.size(), controllers::kBurst));
    if (staying_.size() <= wanted) return;
    const std::string_view hash =
        is_updating(status_) ? status_.update->template_hash : label_of(clique_.metadata, kube::kGroveTemplateHash);
    for (const CliquePod* pod : first_to_go(staying_, staying_.size() - wanted, hash)) remove(*pod);
  }

  /// Each gets the lowest index that no other has.
  void make_pods(std::size_t count) {
    std::set<std::int64_t> taken;
    for (const CliquePod* pod : staying_) {
      const bool is_over =
          pod->view.status.phase == kube::PodPhase::kSucceeded || pod->view.status.phase == kube::PodPhase::kFailed;
      const auto index = index_of(pod->metadata(), kube::kGrovePodIndex);
      if (index && !is_over) taken.insert(*index);
    }
    const CliquePods pods(object_, set_.view);
    std::vector<Action> creations;
    for (std::int64_t index = 0; creations.size() < count; ++index) {
      if (taken.contains(index)) continue;
      Action action = watching::create(kind_name<kube::Pod>(), clique_.metadata.namespace_, pods.pod(index));
      action.said_when_done = event(Event::Type::kNormal, "PodCreateSuccessful", "Created Pod: ");
      action.names_the_object = true;
      action.said_if_failed = event(Event::Type::kWarning, "PodCreateFailed", "Error creating pod : ");
      creations.push_back(std::move(action));
    }
    for (auto& step : watching::slow_start(std::move(creations))) result_.then(std::move(step));
  }

  void remove(const CliquePod& pod) {
    if (!removed_.insert(pod.metadata().name).second) return;
    Action action = watching::remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
    action.said_when_done = event(Event::Type::kNormal, "PodDeleteSuccessful", "Deleted Pod: " + pod.metadata().name);
    action.said_if_failed = event(Event::Type::kWarning, "PodDeleteFailed", "Error deleting pod: ");
    result_.then(std::move(action));
  }

  /// Pods that their gang lists may be scheduled; those of a further replica of a scaling group once the gang that it
  /// is added to has been.
  void open_gates() {
    const std::string& name_space = clique_.metadata.namespace_;
    const auto gang = context_.caches.of<PodGang>().find(name_space, label_of(clique_.metadata, kube::kGrovePodGang));
    const std::set<std::string_view> listed = listed_pods(gang, clique_.metadata.name);
    const bool may_be_scheduled = base_gang_is_scheduled();
    std::vector<Action> patches;
    for (const CliquePod* pod : staying_) {
      if (!is_gated(*pod) || removed_.contains(pod->metadata().name)) continue;
      if (!may_be_scheduled || !listed.contains(pod->metadata().name)) {
        has_gated_ = true;
        continue;
      }
      Value no_gates(Object{{"spec", Value(Object{{"schedulingGates", Value(), {}}}), {}}});
      patches.push_back(
          watching::patch(kind_name<kube::Pod>(), pod->key(), kube::PatchType::kMerge, std::move(no_gates)));
    }
    for (auto& step : watching::slow_start(std::move(patches))) result_.then(std::move(step));
  }

  [[nodiscard]] bool base_gang_is_scheduled() const {
    const std::string_view name = label_of(clique_.metadata, kube::kGroveBasePodGang);
    if (name.empty()) return true;
    const auto gang = context_.caches.of<PodGang>().find(clique_.metadata.namespace_, name);
    if (gang == nullptr) return false;
    return std::ranges::all_of(document::items_at(gang->document, {"spec", "podgroups"}), [&](const Value& group) {
      const auto clique =
          context_.caches.of<kube::PodClique>().find(clique_.metadata.namespace_, document::text_at(group, {"name"}));
      const Value least = document::value_at(group, {"minReplicas"});
      return clique != nullptr && clique->view.status.scheduled_replicas >= (least.is_integer() ? least.integer() : 0);
    });
  }

  /// The container that waits ends once as many pods of every parent are ready as it needs.
  void let_start() {
    if (clique_.spec.starts_after.empty() ||
        !std::ranges::all_of(clique_.spec.starts_after, [&](const auto& parent) { return has_enough_ready(parent); })) {
      return;
    }
    for (const CliquePod* pod : staying_) {
      if (!waits_for_others(pod->metadata())) continue;
      result_.then(watching::patch(kind_name<kube::Pod>(), pod->key(), kube::PatchType::kMerge, end_of_waiting()));
    }
  }

  [[nodiscard]] bool has_enough_ready(const std::string& parent) const {
    const auto clique = context_.caches.of<kube::PodClique>().find(clique_.metadata.namespace_, parent);
    if (clique == nullptr) return false;
    std::int32_t ready = 0;
    for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(clique->metadata().uid)) {
      ready += has_condition(*pod, "Ready") ? 1 : 0;
    }
    return ready >= needed_before(set_.view, clique_, parent);
  }

  // ---- the way to another template ----------------------------------------------------------------------------------

  /// The set says when it is the turn of its replica. Where pods are replaced only as others delete them, nothing is to
  /// be done: the update has ended as it begins.
  void begin_update() {
    const std::string& target = set_.view.status.set_hash;
    if (target.empty() || hash_.empty()) return;
    if (updates_by_itself(set_.view) && !is_its_turn()) return;
    if (status_.update ? status_.update->set_hash == target : !(differs_from(target))) return;
    kube::CliqueUpdate update;
    update.started_at = controllers::whole_seconds(context_.now);
    update.set_hash = target;
    update.template_hash = hash_;
    if (!updates_by_itself(set_.view)) update.ended_at = update.started_at;
    status_.update = std::move(update);
    status_.updated_replicas = 0;
  }
  [[nodiscard]] bool differs_from(std::string_view target) const {
    return !status_.set_hash.empty() && status_.set_hash != target;
  }
  [[nodiscard]] bool is_its_turn() const {
    const auto& update = set_.view.status.update;
    const kube::OwnerReference* const owner = clique_.metadata.controller();
    if (!update || update->updating.empty() || owner == nullptr || owner->kind != "PodCliqueSet") return false;
    return index_of(clique_.metadata, kube::kGroveSetIndex) == update->updating.front().index;
  }

  // ---- status -------------------------------------------------------------------------------------------------------

  void judge() {
    if (!has_gated_) status_.observed_generation = clique_.metadata.generation;
    note_hashes();
    count();
    if (clique_.status.observed_generation != 0) {
      set_conditions();
      tell_of_loss();
    }
    if (clique_.spec.autoscaling) {
      status_.selector = fmt::format("{}=grove-operator,{}={},{}={}", kube::kManagedBy, kube::kPartOf,
                                     set_.metadata().name, kube::kGrovePodClique, clique_.metadata.name);
    }
  }

  void note_hashes() {
    if (is_updating(status_) || status_.updated_replicas != status_.replicas) return;
    if (status_.update) {
      status_.template_hash = status_.update->template_hash;
      status_.set_hash = status_.update->set_hash;
    } else if (status_.template_hash.empty() || status_.template_hash == hash_) {
      status_.template_hash = hash_;
      status_.set_hash = set_.view.status.set_hash;
    }
  }

  void count() {
    const std::string& target = status_.update ? status_.update->template_hash : status_.template_hash;
    std::int32_t updated = 0;
    status_.replicas = static_cast<std::int32_t>(staying_.size());
    status_.ready_replicas = status_.gated_replicas = status_.scheduled_replicas = 0;
    for (const CliquePod* pod : pods_) {
      const bool is_ready = has_condition(*pod, "Ready");
      status_.ready_replicas += is_ready ? 1 : 0;
      updated += label_of(pod->metadata(), kube::kGroveTemplateHash) == target ? 1 : 0;
      if (has_condition(*pod, "PodScheduled")) {
        ++status_.scheduled_replicas;
      } else if (is_gated(*pod)) {
        ++status_.gated_replicas;
      }
      if (!is_ready) failing_ += is_failing(*pod) ? 1 : 0;
    }
    if (!target.empty()) status_.updated_replicas = updated;
  }
  /// It has started, and something is wrong.
  [[nodiscard]] static bool is_failing(const CliquePod& pod) {
    if (has_failed_before(pod.document)) return true;
    return std::ranges::any_of(pod.view.status.container_statuses, [](const kube::ContainerStatus& container) {
      return container.started.value_or(false) && !container.ready;
    });
  }

  void set_conditions() {
    const std::int32_t least = least_available(clique_.spec);
    const std::int32_t scheduled = status_.scheduled_replicas;
    if (scheduled < least) {
      set(kPodCliqueScheduled, "False", "InsufficientScheduledPods",
          fmt::format("Insufficient scheduled pods. expected at least: {}, found: {}", least, scheduled));
    } else {
      set(kPodCliqueScheduled, "True", "SufficientScheduledPods",
          fmt::format("Sufficient scheduled pods found. expected at least: {}, found: {}", least, scheduled));
    }
    const std::int32_t good = scheduled - failing_;
    if (is_updating(status_)) {
      set(kMinAvailableBreached, "Unknown", "UpdateInProgress", "Update is in progress");
    } else if (scheduled == 0 && least > 0) {
      set(kMinAvailableBreached, "False", "InsufficientScheduledPods",
          fmt::format("Scheduled replicas 0 (MinAvailable {}); gang termination suppressed to avoid recreating Pending "
                      "pods against the same cluster state",
                      least));
    } else if (scheduled < least) {
      set(kMinAvailableBreached, "True", "ScheduledReplicasBelowMinAvailable",
          fmt::format("Scheduled replicas ({}) below MinAvailable ({})", scheduled, least));
    } else if (good < least) {
      set(kMinAvailableBreached, "True", "InsufficientReadyPods",
          fmt::format("Insufficient ready or starting pods. expected at least: {}, found: {}", least, good));
    } else {
      set(kMinAvailableBreached, "False", "SufficientReadyPods",
          fmt::format("Either sufficient ready or starting pods found. expected at least: {}, found: {}", least, good));
    }
  }
  void set(std::string_view type, std::string_view value, std::string_view reason, std::string message) {
    set_condition(status_, {std::string(type), std::string(value), 0, {}, std::string(reason), std::move(message)},
                  context_.now);
  }

  void tell_of_loss() {
    const std::int32_t before = clique_.status.scheduled_replicas;
    if (before == 0 || status_.scheduled_replicas != 0) return;
    result_.events.push_back(event(
        Event::Type::kWarning, "AllScheduledReplicasLost",
        fmt::format("All scheduled pods lost (was {}). Gang termination is suppressed to avoid recreating Pending "
                    "pods against the same cluster state; investigate node availability or capacity.",
                    before)));
  }

  const Observed<kube::PodClique>& object_;
  const kube::PodClique& clique_;
  const Observed<kube::PodCliqueSet>& set_;
  const Context& context_;
  kube::CliqueStatus status_;
  std::string hash_;  // of the set's template for it; empty: it has none any more
  std::vector<const CliquePod*> pods_;
  std::vector<const CliquePod*> staying_;  // those that are not being deleted
  std::set<std::string> removed_;
  bool has_gated_ = false;
  std::int32_t failing_ = 0;
  Reconciliation result_;
};

class PodCliqueController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "podclique-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    Caches& caches = to.caches();
    to.on<kube::PodClique>([&caches](const auto& change, watching::Keys& keys) {
      keys.insert(change.last().key());
      add_waiting(caches, change, keys);
    });
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>("PodClique"));
    to.on<PodGang>(add_members);
    to.on<kube::PodCliqueSet>([&caches](const auto& change, watching::Keys& keys) {
      if (!concerns_cliques(change)) return;
      for_each_clique_of(caches, change.last().metadata().uid, [&](const auto& clique) { keys.insert(clique.key()); });
    });
    to.reads<kube::PodCliqueScalingGroup>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const watching::ObjectKey& key, const Context& context) override {
    const auto clique = context.caches.of<kube::PodClique>().find(key);
    if (clique == nullptr) return {};
    if (clique->is_being_deleted()) return release(*clique, kGroveCliqueFinalizer);
    const auto set = set_of(context.caches, clique->metadata());
    const bool has_place = index_of(clique->metadata(), kube::kGroveSetIndex).has_value();
    if (!is_of_grove(clique->metadata()) || set == nullptr || !has_place) return {};
    return PodCliqueSync(*clique, *set, context).run();
  }

 private:
  /// PodCliques that wait for this one's pods to be ready, or scheduled.
  static void add_waiting(const Caches& caches, const watching::Change<kube::PodClique>& change, watching::Keys& keys) {
    const kube::ObjectMeta& metadata = change.last().metadata();
    if (change.before != nullptr && change.after != nullptr) {
      const kube::CliqueStatus& before = change.before->view.status;
      const kube::CliqueStatus& after = change.after->view.status;
      const bool is_news =
          before.ready_replicas != after.ready_replicas || before.scheduled_replicas != after.scheduled_replicas;
      if (!is_news) return;
    }
    const auto set = set_of(caches, metadata);
    if (set == nullptr) return;
    const std::string_view gang = label_of(metadata, kube::kGrovePodGang);
    for_each_clique_of(caches, set->metadata().uid, [&](const Observed<kube::PodClique>& clique) {
      const auto& parents = clique.view.spec.starts_after;
      const bool waits = std::ranges::find(parents, metadata.name) != parents.end() ||
                         label_of(clique.metadata(), kube::kGroveBasePodGang) == gang;
      if (waits) keys.insert(clique.key());
    });
  }

  static void add_members(const watching::Change<PodGang>& change, watching::Keys& keys) {
    for (const auto& version : {change.before, change.after}) {
      if (version == nullptr) continue;
      for (const Value& group : document::items_at(version->document, {"spec", "podgroups"})) {
        keys.insert({version->metadata().namespace_, std::string(document::text_at(group, {"name"}))});
      }
    }
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_pod_clique_controller() {
  return std::make_unique<PodCliqueController>();
}

}  // namespace loadline::operators
