#include "hosts/controllers/deployment.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/workloads/deployment.h"
#include "foundation/document/at.h"
#include "hosts/controllers/deployment_status.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/replica_set_template.h"
#include "hosts/controllers/revision.h"
#include "hosts/controllers/rollout.h"
#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/condition.h"
#include "objects/kube/encoder.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ReplicaSetObject = Observed<kube::ReplicaSet>;

Part part_of(const ReplicaSetObject& object) {
  return {&object,
          object.metadata().name,
          object.view.replicas,
          object.view.min_ready_seconds,
          object.metadata().annotations,
          object.view.status};
}

Value annotations_of(const kube::StringMap& annotations) {
  document::Object members;
  for (const auto& [name, value] : annotations) members.push_back({name, Value(value), {}});
  return Value(std::move(members));
}

/// One look at one Deployment.
class Look {
 public:
  Look(const Observed<kube::Deployment>& object, const Context& context)
      : object_(object),
        deployment_(object.view),
        context_(context),
        before_(deployment_.status),
        rollout_(deployment_),
        revision_(revision_text()) {}

  Reconciliation run() {
    if (!deployment_.selector) return {};
    if (deployment_.selector->empty()) return refuse_to_select_all();
    if (take_replica_sets()) return std::move(result_);
    if (object_.is_being_deleted()) return only_count();
    note_pause(deployment_, before_, context_.now);
    if (deployment_.paused || rollout_.is_being_scaled()) return scale();
    if (!rollout_.newest && !(deployment_.recreate && has_old_pods()) && cannot_create()) return std::move(result_);
    return deployment_.recreate ? recreate() : roll();
  }

 private:
  [[nodiscard]] std::string revision_text() const {
    const auto found = deployment_.metadata.annotations.find(kube::kDeploymentRevision);
    return found == deployment_.metadata.annotations.end() ? "" : found->second;
  }

  Reconciliation refuse_to_select_all() {
    result_.events.push_back({reference_to(object_), Event::Type::kWarning, "SelectingAll",
                              "This deployment is selecting all pods. A non-empty selector is required."});
    before_.observed_generation = std::max(before_.observed_generation, deployment_.metadata.generation);
    after_ = before_;
    return finish();
  }

  // ---- what there is ------------------------------------------------------------------------------------------------
  /// True if ReplicaSets have to be adopted or let go first.
  bool take_replica_sets() {
    auto claims = claim(context_.caches.of<kube::ReplicaSet>(), kind_name<kube::Deployment>(), deployment_.metadata,
                        *deployment_.selector);
    if (!claims.actions.empty()) {
      result_.then(std::move(claims.actions));
      return true;
    }
    auto& sets = claims.owned;
    std::stable_sort(sets.begin(), sets.end(), [](const ReplicaSetObject* a, const ReplicaSetObject* b) {
      return a->metadata().creation_timestamp < b->metadata().creation_timestamp;
    });
    const Value* const pod_template = document::find_at(object_.document, {"spec", "template"});
    for (const ReplicaSetObject* set : sets) {
      const bool is_newest = !rollout_.newest && pod_template != nullptr && has_template(*set, *pod_template);
      if (is_newest) {
        rollout_.newest = part_of(*set);
      } else {
        rollout_.old.push_back(part_of(*set));
      }
    }
    if (rollout_.newest) note_newest();
    return false;
  }

  [[nodiscard]] std::int64_t next_revision() const {
    std::int64_t most = 0;
    for (const Part& part : rollout_.old) most = std::max(most, workloads::revision_of(part.annotations));
    return most + 1;
  }

  void note_newest() {
    Part& newest = *rollout_.newest;
    note_revision(newest.annotations, deployment_.metadata.annotations, next_revision());
    newest.min_ready_seconds = deployment_.min_ready_seconds;
    if (const auto found = newest.annotations.find(kube::kDeploymentRevision); found != newest.annotations.end()) {
      revision_ = found->second;
    }
    if (has_progress_deadline(deployment_) && kube::find_condition(before_.conditions, kProgressing) == nullptr) {
      set_progress(before_, "True", "FoundNewReplicaSet", "Found new replica set \"" + newest.name + '"', context_.now);
    }
  }

  /// Whether pods of older templates run, or their ReplicaSets say so.
  [[nodiscard]] bool has_old_pods() const {
    return std::any_of(rollout_.old.begin(), rollout_.old.end(), [&](const Part& part) {
      if (part.status.replicas > 0) return true;
      const auto& pods = context_.caches.of<kube::Pod>().controlled_by(part.object->metadata().uid);
      return std::any_of(pods.begin(), pods.end(), [](const auto& pod) { return !pod.second->view.finished(); });
    });
  }

  // ---- what to do ---------------------------------------------------------------------------------------------------
  Reconciliation only_count() {
    after_ = count_parts(deployment_, rollout_, before_, context_.now);
    return finish();
  }

  Reconciliation scale() {
    rollout_.scale();
    if (deployment_.paused) clean_up();
    return only_count();
  }

  Reconciliation roll() {
    if (!rollout_.newest) begin_newest();
    if (!rollout_.roll() && is_complete(deployment_, before_)) clean_up();
    return report_rollout();
  }

  Reconciliation recreate() {
    if (rollout_.scale_down_old() || has_old_pods()) return report_rollout();
    if (!rollout_.newest) begin_newest();
    rollout_.scale_up_newest();
    if (is_complete(deployment_, before_)) clean_up();
    return report_rollout();
  }

  Reconciliation report_rollout() {
    after_ = rollout_status(deployment_, rollout_, before_, context_.now);
    if (const auto wait = next_progress_check(deployment_, after_, context_.now)) result_.wake_after(*wait);
    return finish();
  }

  /// Deletes the oldest ReplicaSets that have nothing to do any more, beyond the history's limit.
  void clean_up() {
    const std::int32_t limit = deployment_.revision_history_limit.value_or(std::numeric_limits<std::int32_t>::max());
    if (limit == std::numeric_limits<std::int32_t>::max()) return;
    std::vector<const Part*> parts;
    for (const Part& part : rollout_.old) {
      if (!part.object->is_being_deleted()) parts.push_back(&part);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part* a, const Part* b) {
      return workloads::revision_of(a->annotations) < workloads::revision_of(b->annotations);
    });
    const auto surplus = static_cast<std::int64_t>(parts.size()) - limit;
    for (std::int64_t i = 0; i < surplus; ++i) {
      const Part& part = *parts[static_cast<std::size_t>(i)];
      const kube::ObjectMeta& metadata = part.object->metadata();
      if (part.status.replicas != 0 || part.wanted() != 0 || part.replicas != 0 ||
          metadata.generation > part.status.observed_generation) {
        continue;
      }
      deletions_.push_back(remove(kind_name<kube::ReplicaSet>(), part.object->key(), metadata.uid));
    }
  }

  // ---- a ReplicaSet for a new template ------------------------------------------------------------------------------
  [[nodiscard]] std::string new_hash() const {
    return hash_for(object_, before_.collision_count.value_or(0), context_.caches.of<kube::ReplicaSet>());
  }

  /// True if the last attempt failed and that has to be said before the next.
  bool cannot_create() {
    const auto failed =
        std::find_if(context_.failures.begin(), context_.failures.end(), [](const FailedAction& failure) {
          return failure.action.verb == Action::Verb::kCreate && failure.action.of.plural == "replicasets";
        });
    if (failed == context_.failures.end()) return false;
    after_ = before_;
    const std::string name(document::text_at(failed->action.document, {"metadata", "name"}));
    if (failed->status.reason == "AlreadyExists") {
      // As long as the cache does not show it, it may be ours, and the answer to its creation was lost.
      const bool is_known =
          context_.caches.of<kube::ReplicaSet>().find(deployment_.metadata.namespace_, name) != nullptr;
      if (!is_known || name != workloads::replica_set_name(deployment_.metadata.name, new_hash())) return false;
      after_.collision_count = before_.collision_count.value_or(0) + 1;
    } else if (has_progress_deadline(deployment_)) {
      set_progress(after_, "False", "ReplicaSetCreateError", failed_to_create(name) + failed->status.message,
                   context_.now);
    }
    if (after_ == deployment_.status) return false;
    result_ = finish();
    return true;
  }

  static std::string failed_to_create(const std::string& name) {
    return "Failed to create new replica set \"" + name + "\": ";
  }

  void begin_newest() {
    Part newest;
    hash_ = new_hash();
    newest.name = workloads::replica_set_name(deployment_.metadata.name, hash_);
    newest.min_ready_seconds = deployment_.min_ready_seconds;
    newest.replicas = rollout_.first_size();
    const std::int64_t revision = next_revision();
    note_revision(newest.annotations, deployment_.metadata.annotations, revision);
    note_replicas(newest.annotations, deployment_.replicas, deployment_.replicas + rollout_.max_surge());
    revision_ = std::to_string(revision);
    if (has_progress_deadline(deployment_)) {
      set_progress(before_, "True", "NewReplicaSetCreated", "Created new replica set \"" + newest.name + '"',
                   context_.now);
    }
    rollout_.newest = std::move(newest);
  }

  Action create_newest() const {
    const Part& newest = *rollout_.newest;
    Action action = create(kind_name<kube::ReplicaSet>(), deployment_.metadata.namespace_,
                           replica_set_document(object_, newest, hash_));
    const Value reference = reference_to(object_);
    if (newest.replicas > 0) {
      action.said_when_done =
          Event{reference, Event::Type::kNormal, "ScalingReplicaSet",
                "Scaled up replica set " + newest.name + " from 0 to " + std::to_string(newest.replicas)};
    }
    action.said_if_failed =
        Event{reference, Event::Type::kWarning, "ReplicaSetCreateError", failed_to_create(newest.name)};
    return action;
  }

  // ---- actions ------------------------------------------------------------------------------------------------------
  Reconciliation finish() {
    if (rollout_.newest && rollout_.newest->object == nullptr) result_.then(create_newest());
    std::vector<Action> actions;
    if (!(after_ == deployment_.status) || revision_ != revision_text()) actions.push_back(report());
    for (const Part& part : rollout_.old) change(part, actions);
    if (rollout_.newest) change(*rollout_.newest, actions);
    result_.then(std::move(actions));
    result_.then(std::move(deletions_));
    return std::move(result_);
  }

  Action report() const {
    Value document = object_.document.with("status", kube::encode_object(kube::kDeploymentStatusSchema, &after_));
    if (revision_ != revision_text()) {
      document = document::with_at(std::move(document), {"metadata", "annotations", kube::kDeploymentRevision},
                                   Value(revision_));
    }
    return update_status(kind_name<kube::Deployment>(), object_.key(), std::move(document));
  }

  void change(const Part& part, std::vector<Action>& actions) const {
    if (part.object == nullptr) return;
    const kube::ReplicaSet& set = part.object->view;
    if (part.replicas == set.replicas && part.min_ready_seconds == set.min_ready_seconds &&
        part.annotations == set.metadata.annotations) {
      return;
    }
    Value document =
        document::with_at(part.object->document, {"metadata", "annotations"}, annotations_of(part.annotations));
    document = document::with_at(std::move(document), {"spec", "replicas"}, Value(std::int64_t{part.replicas}));
    if (part.min_ready_seconds != set.min_ready_seconds) {
      document = document::with_at(std::move(document), {"spec", "minReadySeconds"},
                                   Value(std::int64_t{part.min_ready_seconds}));
    }
    Action action = update(kind_name<kube::ReplicaSet>(), part.object->key(), std::move(document));
    if (part.replicas != set.replicas) action.said_when_done = scaled(part);
    actions.push_back(std::move(action));
  }

  [[nodiscard]] Event scaled(const Part& part) const {
    const bool up = part.replicas > part.wanted();
    return {reference_to(object_), Event::Type::kNormal, "ScalingReplicaSet",
            std::string("Scaled ") + (up ? "up" : "down") + " replica set " + part.name + " from " +
                std::to_string(part.wanted()) + " to " + std::to_string(part.replicas)};
  }

  const Observed<kube::Deployment>& object_;
  const kube::Deployment& deployment_;
  const Context& context_;
  kube::DeploymentStatus before_;  // as observed, with what conditions there are to add
  kube::DeploymentStatus after_;
  Rollout rollout_;
  std::string hash_;      // of the newest, if it has to be created
  std::string revision_;  // of the Deployment
  std::vector<Action> deletions_;
  Reconciliation result_;
};

class DeploymentController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "deployment-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Deployment>(own_key<kube::Deployment>);
    to.on<kube::ReplicaSet>(controllers_of<kube::ReplicaSet>("Deployment"));
    to.on<kube::ReplicaSet>(adopters_of<kube::ReplicaSet, kube::Deployment>(to.caches()));
    // Every pod that comes or goes changes the status of its ReplicaSet, so there is no need to hear of pods.
    to.reads<kube::Pod>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::Deployment> object = context.caches.of<kube::Deployment>().find(key);
    return object == nullptr ? Reconciliation{} : Look(*object, context).run();
  }
};

}  // namespace

std::unique_ptr<Controller> make_deployment_controller() { return std::make_unique<DeploymentController>(); }

}  // namespace loadline::controllers
