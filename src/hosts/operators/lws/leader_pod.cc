#include "hosts/operators/lws/leader_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "brain/workloads/leader_worker_set.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/lws/group_documents.h"
#include "hosts/operators/lws/group_revision.h"
#include "hosts/operators/lws/pod_name.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/core/service.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::ObjectPtr;
using watching::Reconciliation;

constexpr Duration kUntilRevisionIsThere = Duration::seconds(1);
constexpr Duration kUntilNodeHasDomain = Duration::seconds(5);

std::string_view label_of_pod(const kube::Pod& pod, std::string_view name) {
  const auto found = pod.metadata.labels.find(name);
  return found == pod.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

bool leads_group(const kube::Pod& pod) { return label_of_pod(pod, kube::kLwsWorkerIndex) == "0"; }

/// Whether a container has ended and begun again.
bool has_restarted(const kube::Pod& pod) {
  if (pod.status.phase != kube::PodPhase::kRunning && pod.status.phase != kube::PodPhase::kPending) return false;
  const auto any = [](const std::vector<kube::ContainerStatus>& statuses) {
    return std::any_of(statuses.begin(), statuses.end(), [](const auto& status) { return status.restart_count > 0; });
  };
  return any(pod.status.init_container_statuses) || any(pod.status.container_statuses);
}

/// One look at a pod of a LeaderWorkerSet.
class GroupPodSync {
 public:
  GroupPodSync(const LwsObject& set, const PodObject& pod, const Context& context)
      : set_(set), pod_(pod), context_(context) {}

  /// Of a pod that is gone, as it was last.
  Reconciliation bury() {
    is_gone_ = true;
    recreates_group();
    return std::move(result_);
  }

  Reconciliation run() {
    if (recreates_group() || !leads_group(pod_.view)) return std::move(result_);
    if (pod_.metadata().annotations.contains(std::string(kube::kLwsLeaderName))) {
      warn_of_old_kubernetes();
      return std::move(result_);
    }
    if (set_.view.has_subdomain_for_each_group) make_group_service();
    if (!pod_.is_being_deleted() && set_.view.size != 1) make_workers();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Event event(Event::Type type, std::string_view reason, std::string message) const {
    return {watching::reference_to(set_), type, std::string(reason), std::move(message)};
  }
  [[nodiscard]] const std::string& name() const { return pod_.metadata().name; }

  void warn_of_old_kubernetes() {
    result_.events.push_back(
        event(Event::Type::kWarning, "FailedCreate",
              fmt::format("leader pod {}/{} contains mistake annotation '{}': requires Kubernetes ≥v1.27 or v1.26 with "
                          "StatefulSetStartOrdinal feature",
                          pod_.metadata().namespace_, name(), kube::kLwsLeaderName)));
  }

  // ---- a group that has lost a pod ----------------------------------------------------------------------------------
  /// True if the leader goes, so that its StatefulSet makes another, and with it other workers.
  bool recreates_group() {
    const std::string& policy = set_.view.restart_policy;
    if (policy != "RecreateGroupOnPodRestart" && policy != "RecreateGroupAfterStart") return false;
    if (!has_restarted(pod_.view) && !pod_.is_being_deleted() && !is_gone_) return false;
    const bool waits_for_start = policy == "RecreateGroupAfterStart" ||
                                 set_.metadata().annotations.contains(std::string(kube::kLwsRecreateAfterStart));
    if (waits_for_start && !has_started()) return false;
    const ObjectPtr<kube::Pod> leader = find_leader();
    if (leader == nullptr) return false;
    if (!leader->is_being_deleted()) remove_leader(*leader);
    return true;
  }

  /// Whether all pods of the group are there, and none is pending.
  [[nodiscard]] bool has_started() const {
    std::int64_t pods = 0;
    for (const auto& [name, other] : context_.caches.of<kube::Pod>().in(pod_.metadata().namespace_)) {
      if (!is_of_same_group(other->view)) continue;
      if (other->view.status.phase == kube::PodPhase::kPending) return false;
      ++pods;
    }
    return pods == set_.view.size;
  }

  [[nodiscard]] bool is_of_same_group(const kube::Pod& other) const {
    return label_of_pod(other, kube::kLwsName) == label_of_pod(pod_.view, kube::kLwsName) &&
           label_of_pod(other, kube::kLwsGroupIndex) == label_of_pod(pod_.view, kube::kLwsGroupIndex);
  }

  /// The leader that has this pod in its group, itself perhaps; null: it belongs to a leader that is gone, or that is
  /// about to be replaced.
  [[nodiscard]] ObjectPtr<kube::Pod> find_leader() const {
    const auto& pods = context_.caches.of<kube::Pod>();
    if (leads_group(pod_.view)) return pods.find(pod_.key());
    const std::optional<PodName> parsed = parse_pod_name(name());
    if (!parsed) return nullptr;
    ObjectPtr<kube::Pod> leader = pods.find(pod_.metadata().namespace_, parsed->parent);
    if (leader == nullptr || revision_key(leader->metadata()) != revision_key(pod_.metadata())) return nullptr;
    return belongs_to(leader->metadata()) ? leader : nullptr;
  }

  [[nodiscard]] bool belongs_to(const kube::ObjectMeta& leader) const {
    const kube::OwnerReference* owner = pod_.metadata().controller();
    if (owner == nullptr || owner->kind == "Pod") return owner != nullptr && owner->uid == leader.uid;
    const auto workers = context_.caches.of<kube::StatefulSet>().find(pod_.metadata().namespace_, owner->name);
    if (owner->kind != "StatefulSet" || workers == nullptr || workers->metadata().uid != owner->uid) return false;
    const kube::OwnerReference* above = workers->metadata().controller();
    return above != nullptr && above->kind == "Pod" && above->uid == leader.uid;
  }

  void remove_leader(const PodObject& leader) {
    kube::DeleteOptions options;
    options.propagation = kube::DeleteOptions::Propagation::kForeground;
    Action action = watching::remove(kind_name<kube::Pod>(), leader.key(), leader.metadata().uid, std::move(options));
    action.said_when_done =
        event(Event::Type::kNormal, "RecreateGroup",
              fmt::format("Worker pod {} failed, deleted leader pod {} to recreate group {}", name(),
                          leader.metadata().name, label_of_pod(leader.view, kube::kLwsGroupIndex)));
    result_.then(std::move(action));
  }

  // ---- what a leader has made ---------------------------------------------------------------------------------------
  [[nodiscard]] std::int64_t group() const {
    const std::string_view text = label_of_pod(pod_.view, kube::kLwsGroupIndex);
    std::int64_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    return index;
  }

  void make_group_service() {
    const std::string service = workloads::service_of(set_.view, group());
    if (context_.caches.of<kube::Service>().find(pod_.metadata().namespace_, service) != nullptr) return;
    result_.then(watching::create(
        kind_name<kube::Service>(), pod_.metadata().namespace_,
        group_service_document(set_.view, group(),
                               controllers::controller_reference(kind_name<kube::Pod>(), pod_.metadata()))));
  }

  void make_workers() {
    if (set_.view.waits_for_leader && !kube::is_ready(pod_.view)) return;
    if (context_.caches.of<kube::StatefulSet>().find(pod_.key()) != nullptr) return;
    const auto* revision = find_revision(revisions_of(set_.metadata(), context_.caches), revision_key(pod_.metadata()));
    if (revision == nullptr) return result_.wake_after(kUntilRevisionIsThere);
    std::optional<std::string> domain;
    if (const std::string topology = workloads::exclusive_topology(set_.view); !topology.empty()) {
      if (pod_.view.spec->node_name.empty()) return;
      domain = domain_of_leader(topology);
      if (!domain) return result_.wake_after(kUntilNodeHasDomain);
    }
    Action action = watching::create(
        kind_name<kube::StatefulSet>(), pod_.metadata().namespace_,
        workers_document(set_, pod_, group(), worker_template_of(*revision), domain ? &*domain : nullptr));
    action.said_when_done = event(Event::Type::kNormal, "GroupsProgressing",
                                  fmt::format("Created worker statefulset for leader pod {}", name()));
    action.said_if_failed = event(Event::Type::kWarning, "FailedCreate",
                                  fmt::format("Failed to create worker statefulset for leader pod {}: ", name()));
    result_.then(std::move(action));
  }

  /// What the leader's node says of the topology; nothing: it has no such label. Of a node that is gone, the operator
  /// makes an empty one, which no worker finds.
  [[nodiscard]] std::optional<std::string> domain_of_leader(const std::string& topology) const {
    const auto node = context_.caches.of<kube::Node>().find("", pod_.view.spec->node_name);
    if (node == nullptr) return std::string();
    const auto found = node->metadata().labels.find(topology);
    return found == node->metadata().labels.end() ? std::nullopt : std::optional(found->second);
  }

  const LwsObject& set_;
  const PodObject& pod_;
  const Context& context_;
  bool is_gone_ = false;
  Reconciliation result_;
};

/// Keeps of pods that are gone what it needs to have their groups made anew. That a pod is being deleted can be seen
/// for a moment only, and its StatefulSet makes another; the operator misses some (kubernetes-sigs/lws#998), as this
/// controller does of pods that went before it began.
class LeaderPodController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "leaderworkerset-pods"; }
  [[nodiscard]] std::string_view reporter() const override { return "leaderworkerset"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::Pod>([this](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      if (!change.last().metadata().labels.contains(std::string(kube::kLwsName))) return;
      keys.insert(change.last().key());
      if (change.after == nullptr && !leads_group(change.before->view)) gone_[change.before->key()] = change.before;
    });
    to.on<kube::StatefulSet>(watching::controllers_of<kube::StatefulSet>("Pod"));
    to.reads<kube::LeaderWorkerSet>();
    to.reads<watching::ControllerRevision>();
    to.reads<kube::Service>();
    to.reads<kube::Node>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    if (controllers::is_ending(context.caches, key.name_space)) {
      gone_.erase(key);
      return {};
    }
    if (const auto lost = gone_.find(key); lost != gone_.end()) {
      const ObjectPtr<kube::LeaderWorkerSet> set = set_of(*lost->second, context);
      Reconciliation wanted = set == nullptr ? Reconciliation{} : GroupPodSync(*set, *lost->second, context).bury();
      if (!wanted.steps.empty()) return wanted;
      gone_.erase(lost);  // its leader goes, or has gone
    }
    const ObjectPtr<kube::Pod> pod = context.caches.of<kube::Pod>().find(key);
    if (pod == nullptr || label_of_pod(pod->view, kube::kLwsWorkerIndex).empty()) return {};
    const ObjectPtr<kube::LeaderWorkerSet> set = set_of(*pod, context);
    return set == nullptr ? Reconciliation{} : GroupPodSync(*set, *pod, context).run();
  }

 private:
  static ObjectPtr<kube::LeaderWorkerSet> set_of(const PodObject& pod, const Context& context) {
    return context.caches.of<kube::LeaderWorkerSet>().find(pod.metadata().namespace_,
                                                           label_of_pod(pod.view, kube::kLwsName));
  }

  std::map<ObjectKey, ObjectPtr<kube::Pod>> gone_;
};

}  // namespace

std::unique_ptr<controllers::Controller> make_leader_pod_controller() {
  return std::make_unique<LeaderPodController>();
}

}  // namespace loadline::operators
