#include "hosts/operators/grove/pod_clique_set_controller.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/clique_topology.h"
#include "brain/workloads/pod_clique_set.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/grove/clique_status.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "hosts/operators/grove/grove_objects.h"
#include "hosts/operators/grove/pod_gangs.h"
#include "hosts/operators/grove/replica_window.h"
#include "hosts/operators/grove/set_replicas.h"
#include "hosts/operators/grove/set_templates.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/service_account.h"
#include "objects/kube/grove/pod_clique_set_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Action;
using watching::Event;
using watching::HorizontalPodAutoscaler;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using CliqueObject = Observed<kube::PodClique>;

bool has_topology(const Value& object) { return document::find_at(object, {"topologyConstraint"}) != nullptr; }

bool names_topology(const Value& set) {
  const Value whole = document::value_at(set, {"spec", "template"});
  return has_topology(whole) || std::ranges::any_of(document::items_at(whole, {"cliques"}), has_topology) ||
         std::ranges::any_of(document::items_at(whole, {"podCliqueScalingGroups"}), has_topology);
}

/// One look at a PodCliqueSet.
class PodCliqueSetSync {
 public:
  PodCliqueSetSync(const Observed<kube::PodCliqueSet>& object, const Context& context)
      : object_(object),
        set_(object.view),
        context_(context),
        looked_at_(looked_at(object.view, context.caches)),
        templates_(object),
        status_(object.view.status) {}

  Reconciliation run() {
    if (!controllers::has_finalizer(set_.metadata, kGroveSetFinalizer)) {
      result_.then(watching::update(kind_name<kube::PodCliqueSet>(), object_.key(),
                                    with_finalizer(object_.document, kGroveSetFinalizer)));
      return std::move(result_);
    }
    if (std::string problem = gang_problem(set_); !problem.empty()) {
      result_.events.push_back(event(Event::Type::kWarning, "PodGangCreateOrUpdateFailed", std::move(problem)));
      return std::move(result_);
    }
    begin_update();
    const SetReplicas replicas(object_, context_.caches, templates_, status_.set_hash, looked_at_, context_.now);
    give_up_breached(replicas);
    lead_update(replicas);
    const PodGangsPlan gangs(object_, context_.caches, looked_at_, context_.now);
    if (!controllers::is_ending(context_.caches, name_space())) {
      make_access();
      make_services();
      mend_autoscalers();
      mend_cliques();
      mend_scaling_groups();
      gangs.carry_out(result_);
    }
    if (gangs.are_complete()) status_.observed_generation = set_.metadata.generation;
    judge(replicas);
    write_status(object_, status_, kube::kPodCliqueSetStatusSchema, result_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& name_space() const { return set_.metadata.namespace_; }
  [[nodiscard]] Value owner() const {
    return controllers::controller_reference(kind_name<kube::PodCliqueSet>(), set_.metadata);
  }
  [[nodiscard]] Event event(Event::Type type, std::string_view reason, std::string message) const {
    return {watching::reference_to(object_), type, std::string(reason), std::move(message)};
  }

  // ---- what is made -------------------------------------------------------------------------------------------------

  template <class Kind>
  void make(std::string_view name, Value (*document)(const kube::PodCliqueSet&, Value)) {
    if (context_.caches.of<Kind>().find(name_space(), name) != nullptr) return;
    result_.then(watching::create(kind_name<Kind>(), name_space(), document(set_, owner())));
  }
  void make_access() {
    make<kube::ServiceAccount>(set_.metadata.name, account_document);
    make<watching::Role>("grove.io:pcs:" + set_.metadata.name, role_document);
    make<watching::RoleBinding>("grove.io:pcs:" + set_.metadata.name, role_binding_document);
    make<watching::Secret>(token_name(set_.metadata.name), token_document);
  }

  /// What is controlled by the set and not wanted any more. As long as there are replicas that were not looked at, it
  /// may be of one of these.
  template <class Kind>
  void remove_others(const std::set<std::string>& wanted, std::string_view reason = {}, std::string_view word = {}) {
    if (looked_at_ < set_.replicas) return;
    for (const auto& [key, object] : context_.caches.of<Kind>().controlled_by(set_.metadata.uid)) {
      if (wanted.contains(key.name) || object->is_being_deleted()) continue;
      Action action = watching::remove(kind_name<Kind>(), key, object->metadata().uid);
      if (!reason.empty()) {
        action.said_when_done = event(Event::Type::kNormal, reason, fmt::format("Deleted {}: {}", word, key.name));
      }
      result_.then(std::move(action));
    }
  }

  void make_services() {
    std::set<std::string> wanted;
    for (std::int64_t replica = 0; replica < looked_at_; ++replica) {
      const std::string name = workloads::replica_name(set_, replica);
      wanted.insert(name);
      if (context_.caches.of<kube::Service>().find(name_space(), name) != nullptr) continue;
      result_.then(
          watching::create(kind_name<kube::Service>(), name_space(), replica_service_document(set_, replica, owner())));
    }
    remove_others<kube::Service>(wanted);
  }

  void mend_autoscalers() {
    std::set<std::string> wanted;
    const Value whole = document::value_at(object_.document, {"spec", "template"});
    for (std::int64_t replica = 0; replica < looked_at_; ++replica) {
      for (const Value& clique : document::items_at(whole, {"cliques"})) {
        mend_autoscaler(replica, "PodClique", clique, document::value_at(clique, {"spec", "autoScalingConfig"}),
                        wanted);
      }
      for (const Value& group : document::items_at(whole, {"podCliqueScalingGroups"})) {
        mend_autoscaler(replica, "PodCliqueScalingGroup", group, document::value_at(group, {"scaleConfig"}), wanted);
      }
    }
    remove_others<HorizontalPodAutoscaler>(wanted);
  }
  void mend_autoscaler(std::int64_t replica, std::string_view kind, const Value& of, const Value& scaling,
                       std::set<std::string>& wanted) {
    if (!scaling.is_object()) return;
    const std::string name = fmt::format("{}-{}-{}", set_.metadata.name, replica, document::text_at(of, {"name"}));
    wanted.insert(name);
    Value document = autoscaler_document(set_, kind, name, scaling, owner());
    const auto known = context_.caches.of<HorizontalPodAutoscaler>().find(name_space(), name);
    if (known == nullptr) {
      result_.then(watching::create(HorizontalPodAutoscaler::kName, name_space(), std::move(document)));
      return;
    }
    const Value spec = document::value_at(document, {"spec"});
    const bool is_same = std::ranges::all_of(spec.object(), [&](const document::Member& field) {
      return document::same_document(document::value_at(known->document, {"spec", field.key}), field.value);
    });
    if (is_same) return;
    result_.then(watching::patch(HorizontalPodAutoscaler::kName, known->key(), kube::PatchType::kMerge,
                                 Value(document::Object{{"spec", spec, {}}})));
  }

  /// PodCliques that stand for themselves. They have the set's templates at once, their pods when it is their turn.
  void mend_cliques() {
    std::set<std::string> wanted;
    std::vector<Action> actions;
    for (std::int64_t replica = 0; replica < looked_at_; ++replica) {
      for (const kube::CliqueTemplate& clique : set_.cliques) {
        if (workloads::scaling_group_of(set_, clique.name) != nullptr) continue;
        const workloads::CliqueOfSet of{set_, clique, replica};
        wanted.insert(of.name());
        mend<kube::PodClique>(of.name(), clique_document(of, templates_, owner()), actions);
      }
    }
    remove_others<kube::PodClique>(wanted, "PodCliqueDeleteSuccessful", "PodClique");
    for (auto& step : controllers::by_fifties(std::move(actions))) result_.then(std::move(step));
  }

  void mend_scaling_groups() {
    std::set<std::string> wanted;
    std::vector<Action> actions;
    for (std::int64_t replica = 0; replica < looked_at_; ++replica) {
      for (const kube::CliqueScalingGroup& group : set_.scaling_groups) {
        const std::string name = workloads::scaling_group_name(set_, replica, group);
        wanted.insert(name);
        mend<kube::PodCliqueScalingGroup>(name, scaling_group_document(set_, replica, group, owner()), actions);
      }
    }
    remove_others<kube::PodCliqueScalingGroup>(wanted, "PodCliqueScalingGroupDeleteSuccessful",
                                               "PodCliqueScalingGroup");
    for (auto& step : controllers::by_fifties(std::move(actions))) result_.then(std::move(step));
  }

  template <class Kind>
  void mend(const std::string& name, Value wanted, std::vector<Action>& actions) const {
    constexpr bool kIsClique = std::is_same_v<Kind, kube::PodClique>;
    const auto known = context_.caches.of<Kind>().find(name_space(), name);
    if (known != nullptr) {
      Value changed = known->is_being_deleted() ? Value() : mended(known->document, wanted);
      if (!changed.is_null()) actions.push_back(watching::update(kind_name<Kind>(), known->key(), changed));
      return;
    }
    Action action = watching::create(kind_name<Kind>(), name_space(), std::move(wanted));
    const std::string title = name_space() + '/' + name;
    if (kIsClique) {
      action.said_when_done = event(Event::Type::kNormal, "PodCliqueCreateOrUpdateSuccessful",
                                    fmt::format("PodClique {} created or updated successfully", title));
      action.said_if_failed = event(Event::Type::kWarning, "PodCliqueCreateOrUpdateFailed",
                                    fmt::format("PodClique {} creation or updation failed: ", title));
    } else {
      action.said_when_done = event(Event::Type::kNormal, "PodCliqueScalingGroupCreateSuccessful",
                                    fmt::format("Created PodCliqueScalingGroup {}", title));
      action.said_if_failed = event(Event::Type::kWarning, "PodCliqueScalingGroupCreateOrUpdateFailed",
                                    fmt::format("Error creating or updating PodCliqueScalingGroup {}: ", title));
    }
    actions.push_back(std::move(action));
  }

  // ---- replicas -----------------------------------------------------------------------------------------------------

  /// A replica of which a clique or a scaling group has had too few for too long is made anew.
  void give_up_breached(const SetReplicas& replicas) {
    for (const SetReplicas::Replica& replica : replicas.all()) {
      if (!replica.left) continue;
      if (*replica.left > Duration{}) {
        result_.wake_after(*replica.left);
        continue;
      }
      std::vector<Action> removals;
      for_each_clique_of(context_.caches, set_.metadata.uid, [&](const CliqueObject& clique) {
        const bool is_its = index_of(clique.metadata(), kube::kGroveSetIndex) == replica.index;
        if (!is_its || clique.is_being_deleted()) return;
        removals.push_back(watching::remove(kind_name<kube::PodClique>(), clique.key(), clique.metadata().uid));
      });
      if (removals.empty()) continue;
      removals.back().said_when_done = event(Event::Type::kNormal, "PodCliqueSetReplicaDeleteSuccessful",
                                             fmt::format("PodCliqueSet replica {} deleted", replica.index));
      result_.then(std::move(removals));
    }
  }

  void begin_update() {
    std::string hash = templates_.hash();
    if (!status_.set_hash.empty() && status_.set_hash != hash) {
      status_.update = kube::CliqueUpdate{};
      status_.update->started_at = controllers::whole_seconds(context_.now);
      if (!updates_by_itself(set_)) status_.update->ended_at = status_.update->started_at;
      status_.updated_replicas = 0;
    }
    status_.set_hash = std::move(hash);
  }

  /// One replica after the other.
  void lead_update(const SetReplicas& replicas) {
    if (!updates_by_itself(set_) || !is_updating(status_)) return;
    auto& updating = status_.update->updating;
    std::optional<std::int64_t> current;
    if (!updating.empty() && updating.front().index >= 0 && updating.front().index < looked_at_) {
      current = updating.front().index;
      if (!replicas.all()[static_cast<std::size_t>(*current)].is_updated) return;
    }
    const SetReplicas::Replica* const next = replicas.next_to_update(current);
    const Instant now = controllers::whole_seconds(context_.now);
    if (next == nullptr) {
      updating.clear();
      status_.update->ended_at = now;
    } else {
      updating = {{static_cast<std::int32_t>(next->index), now, {}}};
    }
  }

  void judge(const SetReplicas& replicas) {
    status_.replicas = set_.replicas;
    status_.available_replicas = status_.updated_replicas = 0;
    std::int32_t updated_cliques = 0;
    std::int32_t updated_groups = 0;
    for (const SetReplicas::Replica& replica : replicas.all()) {
      status_.available_replicas += replica.is_available ? 1 : 0;
      status_.updated_replicas += replica.is_available && replica.is_updated ? 1 : 0;
      updated_cliques += replica.updated_cliques;
      updated_groups += replica.updated_groups;
    }
    if (status_.update) {
      status_.update->updated_cliques = updated_cliques;
      status_.update->updated_groups = updated_groups;
      status_.update->total_cliques = product(set_.replicas, replicas.cliques());
      status_.update->total_groups = product(set_.replicas, replicas.groups());
    }
    if (!names_topology(object_.document)) {
      std::erase_if(status_.conditions, [](const auto& each) { return each.type == "TopologyLevelsUnavailable"; });
      return;
    }
    using Problem = workloads::CliqueTopology::Problem;
    const workloads::CliqueTopology topology(set_, binding_in(context_.caches));
    const auto say = [&](std::string status, std::string reason, std::string message) {
      set_condition(status_,
                    {"TopologyLevelsUnavailable",
                     std::move(status),
                     set_.metadata.generation,
                     {},
                     std::move(reason),
                     std::move(message)},
                    context_.now);
    };
    switch (topology.problem()) {
      case Problem::kNone:
        return say("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available");
      case Problem::kNoName:
        return say("Unknown", "TopologyNameMissing", "PodCliqueSet topology constraints must include topologyName");
      case Problem::kNoBinding:
        return say("Unknown", "ClusterTopologyNotFound", "ClusterTopologyBinding resource not found");
      case Problem::kNoDomains:
        return say("True", "ClusterTopologyLevelsUnavailable",
                   fmt::format("Unavailable topology domains: [{}]", fmt::join(topology.unknown_domains(), " ")));
    }
  }

  const Observed<kube::PodCliqueSet>& object_;
  const kube::PodCliqueSet& set_;
  const Context& context_;
  const std::int64_t looked_at_;  // replicas, from the first on
  SetTemplates templates_;
  kube::CliqueStatus status_;
  Reconciliation result_;
};

/// The set that an object with its labels was made for.
template <class Kind>
void add_set(const watching::Change<Kind>& change, watching::Keys& keys) {
  const kube::ObjectMeta& metadata = change.last().metadata();
  if (is_of_grove(metadata)) keys.insert({metadata.namespace_, std::string(label_of(metadata, kube::kPartOf))});
}

class PodCliqueSetController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "podcliqueset-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::PodCliqueSet>(watching::own_key<kube::PodCliqueSet>);
    to.on<kube::PodClique>(add_set<kube::PodClique>);
    to.on<kube::PodCliqueScalingGroup>(add_set<kube::PodCliqueScalingGroup>);
    to.on<kube::Pod>([](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      if (comes_or_goes(change)) add_set(change, keys);
    });
    to.on<PodGang>(watching::controllers_of<PodGang>("PodCliqueSet"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("PodCliqueSet"));
    to.on<kube::ServiceAccount>(watching::controllers_of<kube::ServiceAccount>("PodCliqueSet"));
    to.on<watching::Role>(watching::controllers_of<watching::Role>("PodCliqueSet"));
    to.on<watching::RoleBinding>(watching::controllers_of<watching::RoleBinding>("PodCliqueSet"));
    to.on<watching::Secret>(watching::controllers_of<watching::Secret>("PodCliqueSet"));
    to.on<HorizontalPodAutoscaler>(watching::controllers_of<HorizontalPodAutoscaler>("PodCliqueSet"));
    to.reads<kube::Namespace>();
    to.on<kube::ClusterTopologyBinding>([&caches = to.caches()](const auto& change, watching::Keys& keys) {
      sets_of_topology(caches, change.last().metadata().name, keys);
    });
  }

  Reconciliation reconcile(const watching::ObjectKey& key, const Context& context) override {
    const auto set = context.caches.of<kube::PodCliqueSet>().find(key);
    if (set == nullptr) return {};
    if (set->is_being_deleted()) return release(*set, kGroveSetFinalizer);
    return PodCliqueSetSync(*set, context).run();
  }

 private:
  /// The sets that ask for places in the domains of that binding.
  static void sets_of_topology(const watching::Caches& caches, std::string_view name, watching::Keys& keys) {
    const workloads::FindBinding none = [](std::string_view) { return nullptr; };
    for (const auto& [name_space, sets] : caches.of<kube::PodCliqueSet>().namespaces()) {
      for (const auto& [key, set] : sets) {
        if (workloads::CliqueTopology(set->view, none).topology() == name) keys.insert(set->key());
      }
    }
  }

  /// Gangs list pods that are there; what becomes of them, PodCliques tell.
  static bool comes_or_goes(const watching::Change<kube::Pod>& change) {
    if (change.before == nullptr || change.after == nullptr) return true;
    return change.before->is_being_deleted() != change.after->is_being_deleted() ||
           change.before->metadata().labels != change.after->metadata().labels;
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_pod_clique_set_controller() {
  return std::make_unique<PodCliqueSetController>();
}

}  // namespace loadline::operators
