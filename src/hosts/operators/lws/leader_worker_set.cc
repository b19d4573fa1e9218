#include "hosts/operators/lws/leader_worker_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/leader_worker_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/lws/group_documents.h"
#include "hosts/operators/lws/group_revision.h"
#include "hosts/operators/lws/group_rollout.h"
#include "hosts/operators/lws/group_state.h"
#include "hosts/operators/lws/group_status.h"
#include "objects/kube/core/service.h"
#include "objects/kube/encoder.h"
#include "objects/kube/leaderworkerset/leader_worker_set_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Action;
using watching::ControllerRevision;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::Reconciliation;

constexpr Duration kUntilLeadersAreGone = Duration::seconds(5);

/// One look at a LeaderWorkerSet.
class LeaderWorkerSetSync {
 public:
  LeaderWorkerSetSync(const LwsObject& object, const Context& context)
      : object_(object),
        set_(object.view),
        context_(context),
        leaders_(context.caches.of<kube::StatefulSet>().find(object.key())),
        revisions_(revisions_of(object.metadata(), context.caches)) {}

  Reconciliation run() {
    if (leaders_ != nullptr && leaders_->is_being_deleted()) {
      result_.wake_after(kUntilLeadersAreGone);
      return std::move(result_);
    }
    settle_revision();
    groups_ = groups_of(set_, leaders_.get(), context_.caches, key_);
    apply_leaders();
    make_service();
    write_status();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Event event(Event::Type type, std::string_view reason, std::string message) const {
    return {watching::reference_to(object_), type, std::string(reason), std::move(message)};
  }
  [[nodiscard]] Event normal(std::string_view reason, std::string message) const {
    return event(Event::Type::kNormal, reason, std::move(message));
  }
  [[nodiscard]] Event warning(std::string_view reason, std::string message) const {
    return event(Event::Type::kWarning, reason, std::move(message));
  }

  // ---- the history --------------------------------------------------------------------------------------------------
  /// Finds the key of what the groups are made from now, and notes it in a revision if it is new.
  void settle_revision() {
    const Value data = group_revision_data(object_.document);
    const std::string known = leaders_ == nullptr ? std::string() : revision_key(leaders_->metadata());
    const controllers::RevisionObject* current = find_revision(revisions_, known);
    if (current == nullptr && leaders_ == nullptr) current = with_data(data);
    if (current == nullptr) {
      make_revision(data, known,
                    known.empty() ? "Creating revision with key {} for a newly created LeaderWorkerSet"
                                  : "Creating missing revision with key {} for existing LeaderWorkerSet");
    } else if (leaders_ != nullptr && !controllers::has_data(*current, data)) {
      has_new_revision_ = true;
      make_revision(data, {}, "Creating revision with key {} for updated LWS");
    } else {
      key_ = revision_key(current->metadata());
    }
  }

  /// One that was made before the leaders could be.
  [[nodiscard]] const controllers::RevisionObject* with_data(const Value& data) const {
    const auto found = std::find_if(revisions_.rbegin(), revisions_.rend(),
                                    [&](const auto* each) { return controllers::has_data(*each, data); });
    return found == revisions_.rend() ? nullptr : *found;
  }

  void make_revision(const Value& data, std::string_view key, fmt::string_view message) {
    Value revision = new_group_revision(set_.metadata, data, revisions_, key);
    key_ = document::text_at(revision, {"metadata", "labels", kube::kLwsRevision});
    Action action = watching::create(kind_name<ControllerRevision>(), set_.metadata.namespace_, std::move(revision));
    action.said_when_done = normal("CreatingRevision", fmt::vformat(message, fmt::make_format_args(key_)));
    result_.then(std::move(action));
  }

  void forget_revisions() {
    std::vector<Action> removals;
    for (const controllers::RevisionObject* each : revisions_) {
      if (revision_key(each->metadata()) == key_) continue;
      removals.push_back(watching::remove(kind_name<ControllerRevision>(), each->key(), each->metadata().uid));
    }
    result_.then(std::move(removals));
  }

  // ---- what is made -------------------------------------------------------------------------------------------------
  [[nodiscard]] LeadersState leaders_state() const {
    const kube::StatefulSet& leaders = leaders_->view;
    LeadersState state{leaders.replicas, leaders.partition.value_or(0), set_.replicas, {}};
    const auto noted = leaders.metadata.annotations.find(kube::kLwsReplicas);
    if (noted != leaders.metadata.annotations.end()) {
      const std::string& text = noted->second;
      std::from_chars(text.data(), text.data() + text.size(), state.noted_replicas);
    }
    for (const CountedGroup& group : groups_) {
      if (group.index < 0 || group.index >= leaders.replicas) continue;
      state.groups[static_cast<std::int32_t>(group.index)] = {group.is_ready, group.is_updated};
    }
    return state;
  }

  void apply_leaders() {
    std::optional<LeadersState> state;
    if (leaders_ != nullptr) state = leaders_state();
    const LeadersTarget target = leaders_target(set_, state ? &*state : nullptr, has_new_revision_);
    const Value applied = leaders_document(object_, target, key_);
    if (leaders_ != nullptr && is_applied(applied, leaders_->document) && has_no_old_annotation(applied)) return;
    Action action = watching::patch(kind_name<kube::StatefulSet>(), object_.key(), kube::PatchType::kApply, applied);
    action.said_if_failed =
        leaders_ == nullptr
            ? warning("FailedCreate", fmt::format("Failed to create leader statefulset {}: ", set_.metadata.name))
            : warning("FailedUpdate", fmt::format("Failed to update leader statefulset {}: ", set_.metadata.name));
    if (state) tell_of_surplus(*state, target);
    action.said_when_done = progress(state, target);
    result_.then(std::move(action));
  }

  /// What only annotations of the set ask for may be asked for no more.
  [[nodiscard]] bool has_no_old_annotation(const Value& applied) const {
    const Value wanted = document::value_at(applied, {"spec", "template", "metadata", "annotations"});
    const Value there = document::value_at(leaders_->document, {"spec", "template", "metadata", "annotations"});
    return !there.is_object() ||
           std::none_of(there.object().begin(), there.object().end(), [&](const document::Member& each) {
             return each.key.starts_with("leaderworkerset.sigs.k8s.io/") && wanted.find(each.key) == nullptr;
           });
  }

  void tell_of_surplus(const LeadersState& before, const LeadersTarget& target) {
    const std::string& name = set_.metadata.name;
    if (target.replicas >= before.replicas) return;
    result_.events.push_back(
        normal("GroupsProgressing", target.replicas == before.replicas - 1
                                        ? fmt::format("deleting surge replica {}-{}", name, target.replicas)
                                        : fmt::format("deleting surge replicas from {}-{} to {}-{}", name,
                                                      target.replicas, name, before.replicas - 1)));
  }

  [[nodiscard]] std::optional<Event> progress(const std::optional<LeadersState>& before,
                                              const LeadersTarget& target) const {
    if (!before) {
      return normal("GroupsProgressing", fmt::format("Created leader statefulset {}", set_.metadata.name));
    }
    if (has_new_revision_ || target.partition == before->partition) return std::nullopt;
    return normal("GroupsUpdating",
                  before->partition - 1 == target.partition
                      ? fmt::format("Updating replica {}", target.partition)
                      : fmt::format("Updating replicas {} to {} (inclusive)", target.partition, before->partition - 1));
  }

  void make_service() {
    if (set_.has_subdomain_for_each_group) return;
    const std::string name = workloads::service_of(set_, 0);
    if (context_.caches.of<kube::Service>().find(set_.metadata.namespace_, name) != nullptr) return;
    Value owner = controllers::controller_reference(kind_name<kube::LeaderWorkerSet>(), set_.metadata);
    Action action = watching::create(kind_name<kube::Service>(), set_.metadata.namespace_,
                                     group_service_document(set_, 0, std::move(owner)));
    action.said_if_failed = warning("FailedCreate", "Failed to create headless service for error: ");
    result_.then(std::move(action));
  }

  // ---- the status ---------------------------------------------------------------------------------------------------
  void write_status() {
    kube::LeaderWorkerSetStatus status = set_.status;
    status.replicas = leaders_ == nullptr ? 0 : leaders_->view.status.replicas;
    status.observed_generation = set_.metadata.generation;
    status.leader_selector = fmt::format("{}={},{}=0", kube::kLwsName, set_.metadata.name, kube::kLwsWorkerIndex);
    const GroupCounts counts = count_groups(set_, groups_);
    status.ready_replicas = counts.ready;
    status.updated_replicas = counts.updated;
    std::vector<kube::MetaCondition> now_true;
    for (const std::string_view type : counts.conditions) {
      now_true.push_back(group_condition(type, set_.metadata, context_.now));
    }
    if (set_group_conditions(status.conditions, now_true, set_.metadata.generation)) {
      result_.events_when_done.push_back(
          normal(now_true.front().reason, fmt::format("{}, with {} groups ready of total {} groups",
                                                      now_true.front().message, counts.ready, set_.replicas)));
    }
    if (!(status == set_.status)) {
      const Value written = kube::encode_object(kube::kLeaderWorkerSetStatusSchema, &status);
      result_.then(watching::update_status(kind_name<kube::LeaderWorkerSet>(), object_.key(),
                                           object_.document.with("status", written)));
    }
    if (counts.is_update_done) forget_revisions();
  }

  const LwsObject& object_;
  const kube::LeaderWorkerSet& set_;
  const Context& context_;
  const watching::ObjectPtr<kube::StatefulSet> leaders_;  // null: not made yet
  const GroupRevisions revisions_;
  std::string key_;  // of the revision that groups should have
  bool has_new_revision_ = false;
  std::vector<CountedGroup> groups_;
  Reconciliation result_;
};

/// A StatefulSet of leaders or workers concerns the set that its label names.
void named_set(const watching::Change<kube::StatefulSet>& change, watching::Keys& keys) {
  for (const auto& version : {change.before, change.after}) {
    if (version == nullptr) continue;
    const auto label = version->metadata().labels.find(kube::kLwsName);
    if (label != version->metadata().labels.end()) keys.insert({version->metadata().namespace_, label->second});
  }
}

class LeaderWorkerSetController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "leaderworkerset"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::LeaderWorkerSet>(watching::own_key<kube::LeaderWorkerSet>);
    to.on<kube::StatefulSet>(named_set);
    to.on<kube::StatefulSet>(watching::controllers_of<kube::StatefulSet>("LeaderWorkerSet"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("LeaderWorkerSet"));
    to.reads<kube::Pod>();
    to.reads<ControllerRevision>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto set = context.caches.of<kube::LeaderWorkerSet>().find(key);
    if (set == nullptr || set->is_being_deleted()) return {};
    if (controllers::is_ending(context.caches, key.name_space)) return {};
    return LeaderWorkerSetSync(*set, context).run();
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_leader_worker_set_controller() {
  return std::make_unique<LeaderWorkerSetController>();
}

}  // namespace loadline::operators
