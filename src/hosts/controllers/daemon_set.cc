#include "hosts/controllers/daemon_set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/daemon_nodes.h"
#include "brain/workloads/daemon_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/controller_revision.h"
#include "hosts/controllers/daemon_pods.h"
#include "hosts/controllers/daemon_rollout.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/failed_pod_backoff.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_actions.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/encoder.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Value;

constexpr std::size_t kDaemonBurst = 250;

/// One look at one DaemonSet.
class DaemonLook {
 public:
  DaemonLook(const Observed<kube::DaemonSet>& object, const Context& context, FailedPodBackoff& backoff)
      : object_(object), set_(object.view), context_(context), backoff_(backoff), status_(object.view.status) {}

  Reconciliation run() {
    if (!set_.selector || object_.is_being_deleted()) return {};
    if (set_.selector->empty()) return refuse_to_select_all();
    if (take_dependents() || make_history()) return std::move(result_);
    look_at_nodes();
    manage();
    if (creations_.empty() && deletions_.empty() && set_.update_strategy != "OnDelete") roll_on();
    return finish();
  }

 private:
  Reconciliation refuse_to_select_all() {
    result_.events.push_back({reference_to(object_), Event::Type::kWarning, "SelectingAll",
                              "This daemon set is selecting all pods. A non-empty selector is required."});
    return std::move(result_);
  }

  // ---- what there is ------------------------------------------------------------------------------------------------
  /// True if pods or revisions have to be adopted or let go first.
  bool take_dependents() {
    auto pods = claim(context_.caches.of<kube::Pod>(), kind_name<kube::DaemonSet>(), set_.metadata, *set_.selector);
    auto revisions =
        claim(context_.caches.of<ControllerRevision>(), kind_name<kube::DaemonSet>(), set_.metadata, *set_.selector);
    all_pods_ = std::move(pods.owned);
    pods_ = by_node(all_pods_);
    revisions_ = std::move(revisions.owned);
    sort_revisions(revisions_);
    std::move(revisions.actions.begin(), revisions.actions.end(), std::back_inserter(pods.actions));
    const bool any = !pods.actions.empty();
    result_.then(std::move(pods.actions));
    return any;
  }

  /// Finds the revision of the template. True if the history has to be changed first.
  bool make_history() {
    const Value data = revision_data(object_.document);
    for (const RevisionObject* revision : revisions_) {
      if (has_data(*revision, data)) current_ = revision;
    }
    std::int64_t newest = 0;
    for (const RevisionObject* revision : revisions_) {
      if (revision != current_) newest = std::max(newest, revision_number(*revision));
    }
    if (current_ == nullptr) {
      create_revision(data, newest + 1);
      return true;
    }
    const auto label = current_->metadata().labels.find(kube::kControllerRevisionHash);
    template_ = {label == current_->metadata().labels.end() ? current_->metadata().name : label->second,
                 template_generation(set_.metadata)};
    if (revision_number(*current_) > newest) return false;
    result_.then(update(kind_name<ControllerRevision>(), current_->key(),
                        current_->document.with("revision", Value(newest + 1))));
    return true;
  }

  void create_revision(const Value& data, std::int64_t number) {
    RevisionDraft draft{kind_name<kube::DaemonSet>(), "", kube::kControllerRevisionHash, "", number, data};
    std::optional<std::int32_t> collisions = status_.collision_count;
    const auto name_it = [&] {
      draft.hash = revision_hash(data, collisions);
      draft.name = revision_name(set_.metadata.name, draft.hash);
    };
    name_it();
    while (context_.caches.of<ControllerRevision>().find(set_.metadata.namespace_, draft.name) != nullptr) {
      collisions = collisions.value_or(0) + 1;
      name_it();
    }
    if (collisions != status_.collision_count) {
      status_.collision_count = collisions;
      result_.then(report());
    }
    result_.then(create(kind_name<ControllerRevision>(), set_.metadata.namespace_,
                        revision_document(draft, object_.document, set_.metadata)));
  }

  /// Which nodes should have a pod, and which may keep theirs; and the status.
  void look_at_nodes() {
    const kube::PodSpec spec = workloads::with_daemon_tolerations(*set_.template_.spec);
    workloads::DaemonNodes wanted(spec);
    status_ = {};
    status_.collision_count = set_.status.collision_count;
    status_.conditions = set_.status.conditions;
    status_.observed_generation = set_.metadata.generation;
    for (const auto& [name, node] : context_.caches.of<kube::Node>().in("")) {
      const auto pods = pods_.find(name);
      const bool has_pods = pods != pods_.end();
      if (has_pods) wake_when_available(pods->second);
      if (wanted.admits(node->view)) {
        desired_.insert(name);
        kept_.insert(name);
        ++status_.desired_number_scheduled;
        if (has_pods) count(pods->second.front()->view);
      } else if (has_pods) {
        if (wanted.keeps(node->view)) kept_.insert(name);
        ++status_.number_misscheduled;
      }
    }
    status_.number_unavailable = status_.desired_number_scheduled - status_.number_available;
  }

  void count(const kube::Pod& pod) {
    ++status_.current_number_scheduled;
    if (template_.is_of(pod)) ++status_.updated_number_scheduled;
    if (!is_ready(pod)) return;
    ++status_.number_ready;
    if (is_available(pod, set_.min_ready_seconds, context_.now)) ++status_.number_available;
  }

  /// Only the first pod of a node counts in the status, but a surge waits for the second one.
  void wake_when_available(const std::vector<const DaemonPod*>& pods) {
    for (const DaemonPod* pod : pods) {
      if (const auto left = available_after(pod->view, set_.min_ready_seconds, context_.now)) result_.wake_after(*left);
    }
  }

  // ---- what to do ---------------------------------------------------------------------------------------------------
  void manage() {
    for (const std::string_view node : desired_) {
      if (pods_.find(node) == pods_.end()) creations_.emplace_back(node);
    }
    for (const auto& [node, pods] : pods_) {
      if (kept_.contains(node)) {
        sort_out(node, pods);
      } else if (context_.caches.of<kube::Node>().find("", node) != nullptr) {
        for (const DaemonPod* pod : pods) end(pod);
      } else {
        // The node is gone: pods that never got there go, the others are the pod garbage collector's.
        for (const DaemonPod* pod : pods) {
          if (pod->view.spec->node_name.empty()) end(pod);
        }
      }
    }
  }

  void end(const DaemonPod* pod) {
    if (!pod->is_being_deleted()) deletions_.push_back(pod);
  }

  /// The pods of a node that may have one.
  void sort_out(const std::string& node, const std::vector<const DaemonPod*>& pods) {
    std::vector<const DaemonPod*> running;
    for (const DaemonPod* pod : pods) {
      if (pod->is_being_deleted()) continue;
      if (pod->view.status.phase == kube::PodPhase::kFailed) {
        replace_failed(pod, node);
      } else if (pod->view.status.phase == kube::PodPhase::kSucceeded) {
        say(Event::Type::kNormal, "SucceededDaemonPod", "Found succeeded", pod, node, "will try to delete it");
        end(pod);
      } else {
        running.push_back(pod);
      }
    }
    if (!allows_surge(set_)) {
      for (std::size_t i = 1; i < running.size(); ++i) end(running[i]);
    } else if (running.empty()) {
      if (desired_.contains(node)) creations_.push_back(node);
    } else if (running.size() > 1) {
      keep_two(running);
    }
  }

  void replace_failed(const DaemonPod* pod, const std::string& node) {
    if (const auto wait = backoff_.wait(set_, node, context_.now)) {
      result_.wake_after(*wait);
      return;
    }
    backoff_.note(set_, node, context_.now);
    say(Event::Type::kWarning, "FailedDaemonPod", "Found failed", pod, node, "will try to kill it");
    end(pod);
  }

  void say(Event::Type type, std::string reason, const std::string& found, const DaemonPod* pod,
           const std::string& node, const std::string& intent) {
    result_.events.push_back({reference_to(object_), type, std::move(reason),
                              found + " daemon pod " + pod->key().to_string() + " on node " + node + ", " + intent});
  }

  /// During a surge, the oldest of the current template and the oldest other stay, until the one can do without the
  /// other.
  void keep_two(const std::vector<const DaemonPod*>& running) {
    const DaemonPod* current = nullptr;
    const DaemonPod* old = nullptr;
    for (const DaemonPod* pod : running) {
      const auto label = pod->metadata().labels.find(kube::kControllerRevisionHash);
      const bool is_current = label != pod->metadata().labels.end() && label->second == template_.hash;
      const DaemonPod*& place = is_current ? current : old;
      if (place == nullptr) {
        place = pod;
      } else {
        end(pod);
      }
    }
    if (current == nullptr || old == nullptr) return;
    if (!is_ready(old->view) || is_available(current->view, set_.min_ready_seconds, context_.now)) end(old);
  }

  void roll_on() {
    for (const std::string_view node : desired_) pods_[std::string(node)];
    const DaemonStep step = roll({set_, template_, context_.now, status_.desired_number_scheduled,
                                  [&](std::string_view node) { return desired_.contains(node); }},
                                 pods_);
    for (const DaemonPod* pod : step.deleted) end(pod);
    creations_ = step.nodes;
  }

  // ---- actions ------------------------------------------------------------------------------------------------------
  Action report() const {
    return update_status(kind_name<kube::DaemonSet>(), object_.key(),
                         object_.document.with("status", kube::encode_object(kube::kDaemonSetStatusSchema, &status_)));
  }

  Reconciliation finish() {
    if (!(status_ == set_.status)) result_.then(report());
    for (auto& step : slow_start(create_pods())) result_.then(std::move(step));
    result_.then(delete_pods());
    result_.then(clean_up());
    return std::move(result_);
  }

  [[nodiscard]] std::vector<Action> create_pods() const {
    std::vector<Action> actions;
    if (creations_.empty() || is_ending(context_.caches, set_.metadata.namespace_)) return actions;
    const PodMaker maker(object_, daemon_pod(object_, template_));
    for (std::size_t i = 0; i < std::min(kDaemonBurst, creations_.size()); ++i) {
      actions.push_back(maker.pod(workloads::node_draft(creations_[i])));
    }
    return actions;
  }

  [[nodiscard]] std::vector<Action> delete_pods() const {
    std::vector<Action> actions;
    const Value regarding = reference_to(object_);
    for (std::size_t i = 0; i < std::min(kDaemonBurst, deletions_.size()); ++i) {
      actions.push_back(remove_pod(regarding, *deletions_[i]));
    }
    return actions;
  }

  /// The oldest revisions that no pod has, beyond the limit.
  [[nodiscard]] std::vector<Action> clean_up() const {
    std::set<std::string_view> live;
    for (const DaemonPod* pod : all_pods_) {
      const auto label = pod->metadata().labels.find(kube::kControllerRevisionHash);
      if (label != pod->metadata().labels.end()) live.insert(label->second);
    }
    const std::int64_t limit = set_.revision_history_limit.value_or(10);
    std::int64_t surplus = static_cast<std::int64_t>(revisions_.size()) - 1 - limit;
    std::vector<Action> actions;
    for (const RevisionObject* revision : revisions_) {
      if (surplus <= 0) break;
      const auto label = revision->metadata().labels.find(kube::kControllerRevisionHash);
      const bool is_live = label != revision->metadata().labels.end() && live.contains(label->second);
      if (revision == current_ || is_live) continue;
      actions.push_back(remove(kind_name<ControllerRevision>(), revision->key(), revision->metadata().uid));
      --surplus;
    }
    return actions;
  }

  const Observed<kube::DaemonSet>& object_;
  const kube::DaemonSet& set_;
  const Context& context_;
  FailedPodBackoff& backoff_;
  kube::DaemonSetStatus status_;
  std::vector<const DaemonPod*> all_pods_;
  DaemonPodsByNode pods_;
  std::vector<const RevisionObject*> revisions_;  // oldest first
  const RevisionObject* current_ = nullptr;
  DaemonTemplate template_;
  std::set<std::string_view> desired_;  // nodes
  std::set<std::string_view> kept_;
  std::vector<std::string> creations_;
  std::vector<const DaemonPod*> deletions_;
  Reconciliation result_;
};

/// A change of a node concerns the DaemonSets that want it before or after, and not both in the same way.
void daemon_sets_of_node(const Caches& caches, const Change<kube::Node>& change, Keys& keys) {
  const bool is_other = change.before == nullptr || change.after == nullptr ||
                        change.before->metadata().labels != change.after->metadata().labels ||
                        change.before->view.taints != change.after->view.taints;
  if (!is_other) return;
  for (const auto& [name_space, sets] : caches.of<kube::DaemonSet>().namespaces()) {
    for (const auto& [name, set] : sets) {
      const kube::PodSpec spec = workloads::with_daemon_tolerations(*set->view.template_.spec);
      workloads::DaemonNodes wanted(spec);
      const auto asks = [&](const ObjectPtr<kube::Node>& node) {
        return node == nullptr ? std::pair(false, false)
                               : std::pair(wanted.admits(node->view), wanted.keeps(node->view));
      };
      // One that is gone may leave pods that were to get there.
      if (change.after == nullptr || asks(change.before) != asks(change.after)) keys.insert(set->key());
    }
  }
}

class DaemonSetController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "daemonset-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::DaemonSet>(own_key<kube::DaemonSet>);
    to.on<kube::Pod>(controllers_of<kube::Pod>("DaemonSet"));
    to.on<kube::Pod>(adopters_of<kube::Pod, kube::DaemonSet>(to.caches()));
    to.on<ControllerRevision>(controllers_of<ControllerRevision>("DaemonSet"));
    to.on<kube::Node>(
        [&caches = to.caches()](const auto& change, Keys& keys) { daemon_sets_of_node(caches, change, keys); });
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::DaemonSet> object = context.caches.of<kube::DaemonSet>().find(key);
    return object == nullptr ? Reconciliation{} : DaemonLook(*object, context, backoff_).run();
  }

 private:
  FailedPodBackoff backoff_;
};

}  // namespace

std::unique_ptr<Controller> make_daemon_set_controller() { return std::make_unique<DaemonSetController>(); }

}  // namespace loadline::controllers
