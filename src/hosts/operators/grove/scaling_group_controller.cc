#include "hosts/operators/grove/scaling_group_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/pod_clique_set.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/grove/clique_status.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "hosts/operators/grove/grove_objects.h"
#include "hosts/operators/grove/replica_window.h"
#include "hosts/operators/grove/set_templates.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/grove/pod_clique_set_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using CliqueObject = Observed<kube::PodClique>;

/// One look at a PodCliqueScalingGroup.
class ScalingGroupSync {
 public:
  ScalingGroupSync(const Observed<kube::PodCliqueScalingGroup>& object, const Observed<kube::PodCliqueSet>& set,
                   const kube::CliqueScalingGroup& written, std::int64_t set_replica, const Context& context)
      : object_(object),
        group_(object.view),
        set_(set),
        written_(written),
        set_replica_(set_replica),
        context_(context),
        templates_(set),
        status_(object.view.status) {
    for (const auto& [key, clique] : context.caches.of<kube::PodClique>().controlled_by(object.metadata().uid)) {
      cliques_.emplace(key.name, clique.get());
      const auto replica = index_of(clique->metadata(), kube::kGroveScalingGroupIndex);
      if (replica) by_replica_[*replica].push_back(clique.get());
    }
    looked_at_ = looked_at(group_.replicas, by_replica_.size(), static_cast<std::int64_t>(group_.cliques.size()));
  }

  Reconciliation run() {
    begin_update();
    remove_surplus();
    if (!controllers::is_ending(context_.caches, group_.metadata.namespace_)) make_cliques();
    if (!is_updating(status_)) {
      give_up_breached();
    } else if (updates_by_itself(set_.view)) {
      replace_old_replicas();
    }
    judge();
    write_status(object_, status_, kube::kPodCliqueScalingGroupStatusSchema, result_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int32_t least() const { return group_.min_available.value_or(1); }
  [[nodiscard]] Event event(Event::Type type, std::string_view reason, std::string message) const {
    return {watching::reference_to(object_), type, std::string(reason), std::move(message)};
  }
  [[nodiscard]] std::string hash_for(const CliqueObject& clique) const {
    const std::string prefix =
        fmt::format("{}-{}-", group_.metadata.name, label_of(clique.metadata(), kube::kGroveScalingGroupIndex));
    const std::string& name = clique.metadata().name;
    return name.starts_with(prefix) ? templates_.hash_of(name.substr(prefix.size())) : std::string();
  }
  [[nodiscard]] bool is_of_its_template(const CliqueObject& clique) const {
    return label_of(clique.metadata(), kube::kGroveTemplateHash) == hash_for(clique);
  }
  [[nodiscard]] std::span<const CliqueObject* const> replica(std::int64_t index) const {
    const auto found = by_replica_.find(index);
    if (found == by_replica_.end()) return {};
    return found->second;
  }
  /// Those that stay, if none is missing.
  [[nodiscard]] std::vector<const CliqueObject*> whole_replica(std::int64_t index) const {
    std::vector<const CliqueObject*> staying;
    for (const CliqueObject* clique : replica(index)) {
      if (!clique->is_being_deleted()) staying.push_back(clique);
    }
    if (staying.size() != group_.cliques.size()) staying.clear();
    return staying;
  }

  // ---- PodCliques ---------------------------------------------------------------------------------------------------

  void remove_replica(std::int64_t index) {
    std::vector<Action> removals;
    for (const CliqueObject* clique : replica(index)) {
      if (clique->is_being_deleted()) continue;
      removals.push_back(watching::remove(kind_name<kube::PodClique>(), clique->key(), clique->metadata().uid));
    }
    if (removals.empty()) return;
    removals.back().said_when_done =
        Event{watching::reference_to(set_), Event::Type::kNormal, "PodCliqueScalingGroupReplicaDeleteSuccessful",
              fmt::format("Deleted PodCliqueScalingGroup {} replicaIndex: {}", group_.metadata.name, index)};
    result_.then(std::move(removals));
  }

  void remove_surplus() {
    for (const auto& [index, cliques] : by_replica_) {
      if (index >= group_.replicas) remove_replica(index);
    }
  }

  /// Of PodCliques that are there, templates are changed only where pods are replaced as others delete them.
  void make_cliques() {
    std::vector<Action> creations;
    for (std::int64_t index = 0; index < looked_at_; ++index) {
      for (const std::string& name : group_.cliques) {
        const kube::CliqueTemplate* const clique = workloads::find_clique(set_.view, name);
        if (clique == nullptr) continue;
        auto action = make_clique({set_.view, *clique, set_replica_, &written_, index});
        if (action) creations.push_back(std::move(*action));
      }
    }
    for (auto& step : controllers::by_fifties(std::move(creations))) result_.then(std::move(step));
  }

  /// Nothing: it is there.
  [[nodiscard]] std::optional<Action> make_clique(const workloads::CliqueOfSet& of) const {
    const auto found = cliques_.find(of.name());
    if (found != cliques_.end() && (updates_by_itself(set_.view) || found->second->is_being_deleted())) {
      return std::nullopt;
    }
    Value wanted = clique_document(
        of, templates_, controllers::controller_reference(kind_name<kube::PodCliqueScalingGroup>(), group_.metadata));
    if (found != cliques_.end()) {
      Value changed = mended(found->second->document, wanted);
      if (changed.is_null()) return std::nullopt;
      return watching::update(kind_name<kube::PodClique>(), found->second->key(), std::move(changed));
    }
    Action action = watching::create(kind_name<kube::PodClique>(), group_.metadata.namespace_, std::move(wanted));
    const std::string title = group_.metadata.namespace_ + '/' + of.name();
    action.said_when_done = event(Event::Type::kNormal, "PodCliqueCreateSuccessful",
                                  fmt::format("PodClique {} created successfully", title));
    action.said_if_failed =
        event(Event::Type::kWarning, "PodCliqueCreateFailed", fmt::format("PodClique {} creation failed: ", title));
    return action;
  }

  /// Replicas of which a clique has had too few pods for too long are made anew, as long as enough others are there; if
  /// they are not, it is for the set to give up its replica.
  void give_up_breached() {
    std::int64_t breached = 0;
    std::vector<std::int64_t> ended;
    std::optional<Duration> patience;
    for (const auto& [index, cliques] : by_replica_) {
      std::optional<Duration> left;
      for (const CliqueObject* clique : cliques) {
        const auto each = time_to_termination(clique->view.status, set_.view, context_.now);
        if (each && (!left || *each < *left)) left = each;
      }
      if (!left) continue;
      ++breached;
      if (*left <= Duration{}) {
        ended.push_back(index);
      } else if (!patience || *left < *patience) {
        patience = left;
      }
    }
    if (group_.replicas - breached < least()) return;
    for (const std::int64_t index : ended) remove_replica(index);
    if (patience) result_.wake_after(*patience);
  }

  // ---- the way to other templates -----------------------------------------------------------------------------------

  void begin_update() {
    const std::string& target = set_.view.status.set_hash;
    if (target.empty() || (updates_by_itself(set_.view) && !is_its_turn())) return;
    if (status_.update ? status_.update->set_hash == target : status_.set_hash.empty() || status_.set_hash == target) {
      return;
    }
    status_.update = kube::CliqueUpdate{};
    status_.update->started_at = controllers::whole_seconds(context_.now);
    status_.update->set_hash = target;
    if (!updates_by_itself(set_.view)) status_.update->ended_at = status_.update->started_at;
    status_.updated_replicas = 0;
  }
  [[nodiscard]] bool is_its_turn() const {
    const auto& update = set_.view.status.update;
    return update && !update->updating.empty() && update->updating.front().index == set_replica_;
  }

  /// Replicas that are not whole go at once, the others one after the other.
  void replace_old_replicas() {
    kube::CliqueUpdate& update = *status_.update;
    std::vector<std::int64_t> old;
    for (std::int64_t index = 0; index < looked_at_; ++index) {
      const auto cliques = replica(index);
      const bool is_gone = std::ranges::all_of(cliques, [](const auto* each) { return each->is_being_deleted(); });
      const bool is_current = update.replicas && update.replicas->current == index;
      if (is_gone || is_current) continue;
      if (std::ranges::all_of(cliques, [&](const auto* each) { return is_of_its_template(*each); })) continue;
      if (is_serving(cliques)) {
        old.push_back(index);
      } else {
        remove_replica(index);
      }
    }
    if (update.replicas && !is_replaced(update.replicas->current)) return;
    if (old.empty()) {
      update.ended_at = controllers::whole_seconds(context_.now);
      update.replicas.reset();
      return;
    }
    if (group_.status.available_replicas < least()) return;
    if (update.replicas) {
      update.replicas->completed.push_back(update.replicas->current);
    } else {
      update.replicas.emplace();
    }
    update.replicas->current = static_cast<std::int32_t>(old.front());
    remove_replica(old.front());
  }
  [[nodiscard]] static bool is_serving(std::span<const CliqueObject* const> cliques) {
    return std::ranges::all_of(cliques, [](const CliqueObject* clique) {
      const std::int32_t least = least_available(clique->view.spec);
      return clique->view.status.scheduled_replicas >= least && clique->view.status.ready_replicas >= least;
    });
  }
  [[nodiscard]] bool is_replaced(std::int64_t index) const {
    if (index >= group_.replicas) return true;
    const auto whole = whole_replica(index);
    return !whole.empty() && std::ranges::all_of(whole, [&](const CliqueObject* clique) {
      return is_updated(clique->view, hash_for(*clique), set_.view.status.set_hash);
    });
  }

  // ---- status -------------------------------------------------------------------------------------------------------

  void judge() {
    status_.observed_generation = group_.metadata.generation;
    count();
    set_conditions();
    if (group_.status.scheduled_replicas > 0 && status_.scheduled_replicas == 0) {
      result_.events.push_back(
          event(Event::Type::kWarning, "AllScheduledReplicasLost",
                fmt::format("All scheduled replicas lost (was {}). Gang termination is suppressed to avoid recreating "
                            "Pending pods against the same cluster state; investigate node availability or capacity.",
                            group_.status.scheduled_replicas)));
    }
    if (written_.autoscaling) {
      status_.selector = fmt::format("{}=grove-operator,{}={},{}={}", kube::kManagedBy, kube::kPartOf,
                                     set_.metadata().name, kube::kGroveScalingGroup, group_.metadata.name);
    }
    if (!is_updating(status_) && has_converged()) status_.set_hash = set_.view.status.set_hash;
  }

  void count() {
    status_.replicas = group_.replicas;
    status_.scheduled_replicas = status_.available_replicas = status_.updated_replicas = 0;
    std::int32_t updated_cliques = 0;
    const auto is_new = [&](const CliqueObject* clique) {
      return is_updated(clique->view, hash_for(*clique), set_.view.status.set_hash);
    };
    for (std::int64_t index = 0; index < looked_at_; ++index) {
      const auto whole = whole_replica(index);
      updated_cliques += static_cast<std::int32_t>(std::ranges::count_if(whole, is_new));
      const bool is_scheduled = !whole.empty() && std::ranges::all_of(whole, [](const CliqueObject* clique) {
        return kube::has_true_condition(clique->view.status.conditions, kPodCliqueScheduled);
      });
      if (!is_scheduled) continue;
      ++status_.scheduled_replicas;
      if (!std::ranges::all_of(whole, [](const CliqueObject* clique) {
            return clique->view.status.ready_replicas >= least_available(clique->view.spec);
          })) {
        continue;
      }
      ++status_.available_replicas;
      status_.updated_replicas += std::ranges::all_of(whole, is_new) ? 1 : 0;
    }
    if (!status_.update) return;
    status_.update->updated_cliques = updated_cliques;
    status_.update->total_cliques = product(group_.replicas, static_cast<std::int64_t>(group_.cliques.size()));
  }

  void set_conditions() {
    const std::int32_t scheduled = status_.scheduled_replicas;
    std::int32_t breached = 0;
    for (std::int64_t index = 0; index < looked_at_; ++index) {
      breached += std::ranges::any_of(replica(index), [](const CliqueObject* clique) {
        return kube::has_true_condition(clique->view.status.conditions, kMinAvailableBreached);
      });
    }
    const std::int32_t available = scheduled - breached;
    if (is_updating(status_)) {
      set("Unknown", "UpdateInProgress", "Update is in progress");
    } else if (scheduled == 0) {
      set("False", "InsufficientScheduledPodCliqueScalingGroupReplicas",
          fmt::format("Scheduled replicas 0 (MinAvailable {}); gang termination suppressed to avoid recreating Pending "
                      "pods against the same cluster state",
                      least()));
    } else if (scheduled < least()) {
      set("True", "ScheduledReplicasBelowMinAvailable",
          fmt::format("Scheduled replicas ({}) below MinAvailable ({})", scheduled, least()));
    } else if (available < least()) {
      set("True", "InsufficientAvailablePodCliqueScalingGroupReplicas",
          fmt::format("Insufficient PodCliqueScalingGroup ready replicas, expected at least: {}, found: {}", least(),
                      available));
    } else {
      set("False", "SufficientAvailablePodCliqueScalingGroupReplicas",
          fmt::format("Sufficient PodCliqueScalingGroup ready replicas, expected at least: {}, found: {}", least(),
                      available));
    }
  }
  void set(std::string_view value, std::string_view reason, std::string message) {
    set_condition(
        status_,
        {std::string(kMinAvailableBreached), std::string(value), 0, {}, std::string(reason), std::move(message)},
        context_.now);
  }

  /// All its PodCliques are of the set's templates, and say so.
  [[nodiscard]] bool has_converged() const {
    const std::string& target = set_.view.status.set_hash;
    if (looked_at_ < group_.replicas) return false;
    for (std::int64_t index = 0; index < looked_at_; ++index) {
      const auto whole = whole_replica(index);
      if (whole.empty() || target.empty()) return false;
      for (const CliqueObject* clique : whole) {
        const kube::CliqueStatus& status = clique->view.status;
        if (!is_of_its_template(*clique) || status.template_hash != hash_for(*clique) || status.set_hash != target) {
          return false;
        }
      }
    }
    return true;
  }

  const Observed<kube::PodCliqueScalingGroup>& object_;
  const kube::PodCliqueScalingGroup& group_;
  const Observed<kube::PodCliqueSet>& set_;
  const kube::CliqueScalingGroup& written_;
  std::int64_t set_replica_;
  const Context& context_;
  SetTemplates templates_;
  kube::CliqueStatus status_;
  std::map<std::string, const CliqueObject*, std::less<>> cliques_;
  std::map<std::int64_t, std::vector<const CliqueObject*>> by_replica_;
  std::int64_t looked_at_ = 0;  // replicas, from the first on
  Reconciliation result_;
};

class ScalingGroupController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "podcliquescalinggroup-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    watching::Caches& caches = to.caches();
    to.on<kube::PodCliqueScalingGroup>(watching::own_key<kube::PodCliqueScalingGroup>);
    to.on<kube::PodClique>(watching::controllers_of<kube::PodClique>("PodCliqueScalingGroup"));
    to.on<kube::PodCliqueSet>([&caches](const auto& change, watching::Keys& keys) {
      if (!concerns_cliques(change)) return;
      const auto& groups = caches.of<kube::PodCliqueScalingGroup>().controlled_by(change.last().metadata().uid);
      for (const auto& [key, group] : groups) keys.insert(key);
    });
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const watching::ObjectKey& key, const Context& context) override {
    const auto group = context.caches.of<kube::PodCliqueScalingGroup>().find(key);
    if (group == nullptr) return {};
    if (group->is_being_deleted()) return release(*group, kGroveGroupFinalizer);
    const auto set = set_of(context.caches, group->metadata());
    const auto replica = index_of(group->metadata(), kube::kGroveSetIndex);
    if (!is_of_grove(group->metadata()) || set == nullptr || !replica) return {};
    for (const kube::CliqueScalingGroup& each : set->view.scaling_groups) {
      if (workloads::scaling_group_name(set->view, *replica, each) == key.name) {
        return ScalingGroupSync(*group, *set, each, *replica, context).run();
      }
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_scaling_group_controller() {
  return std::make_unique<ScalingGroupController>();
}

}  // namespace loadline::operators
