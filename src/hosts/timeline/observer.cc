#include "hosts/timeline/observer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/watching/observe.h"
#include "objects/kube/pod_resources.h"

namespace loadline::timeline {
namespace {

using document::Value;

/// Groups of which no object owns pods, nor stands above one that does.
constexpr std::array<std::string_view, 14> kWithoutPods = {"admissionregistration.k8s.io",
                                                           "apiextensions.k8s.io",
                                                           "apiregistration.k8s.io",
                                                           "authentication.k8s.io",
                                                           "authorization.k8s.io",
                                                           "autoscaling",
                                                           "coordination.k8s.io",
                                                           "discovery.k8s.io",
                                                           "events.k8s.io",
                                                           "metrics.k8s.io",
                                                           "networking.k8s.io",
                                                           "policy",
                                                           "rbac.authorization.k8s.io",
                                                           "storage.k8s.io"};

bool may_own_pods(const schema::Resource& resource) {
  if (!resource.is_namespaced || !resource.allows("watch")) return false;
  if (resource.kind.group.empty()) return resource.plural == "replicationcontrollers";
  if (resource.plural == "controllerrevisions") return false;
  return std::ranges::find(kWithoutPods, resource.kind.group) == kWithoutPods.end();
}

std::optional<kube::OwnerReference> controller_of(const kube::ObjectMeta& metadata) {
  const kube::OwnerReference* controller = metadata.controller();
  // A pod of a node's own files is no one's.
  if (controller == nullptr || controller->kind == "Node") return std::nullopt;
  return *controller;
}

}  // namespace

Observer::Observer(EventLoop& loop, embedded::Cluster& cluster)
    : loop_(loop), cluster_(cluster), start_(loop.now()), client_(cluster.client("timeline")) {}

void Observer::watch() {
  watch_one({"", "v1", "nodes"}, [this](const kube::WatchEvent& event) { on_node(event); });
  watch_one({"", "v1", "pods"}, [this](const kube::WatchEvent& event) { on_pod(event); });
  const schema::Catalog& catalog = cluster_.plane().context().catalog;
  constexpr std::string_view kKueue = "kueue.x-k8s.io";
  if (const auto queues = catalog.find_resource(kKueue, "clusterqueues"); queues != nullptr) {
    watch_one({queues->kind.group, queues->kind.version, queues->plural}, [this](const kube::WatchEvent& event) {
      queues_.see(now(), event.object, event.type == kube::WatchEvent::Type::kDeleted);
    });
  }
  for (const std::shared_ptr<const schema::Resource>& resource : catalog.all()) {
    if (!may_own_pods(*resource)) continue;
    const schema::Resource& preferred = *catalog.find_resource(resource->kind.group, resource->plural);
    watch_one({preferred.kind.group, preferred.kind.version, preferred.plural},
              [this](const kube::WatchEvent& event) { on_object(event); });
  }
}

void Observer::watch_one(const kube::ResourceReference& of, std::function<void(const kube::WatchEvent&)> on_event) {
  if (!watched_.insert(of.group + '/' + of.plural).second) return;
  watches_.push_back(client_->watch(of, {}, [this, on_event = std::move(on_event)](const kube::WatchEvent& event) {
    if (event.type == kube::WatchEvent::Type::kBookmark) return;
    if (event.type == kube::WatchEvent::Type::kError) {
      fault_ = document::text_at(event.object, {"message"});
      return;
    }
    on_event(event);
  }));
}

void Observer::on_node(const kube::WatchEvent& event) {
  const kube::Node node = watching::read_view<kube::Node>(event.object);
  const auto [place, is_new] = nodes_.try_emplace(node.metadata.name);
  const bool is_gone = event.type == kube::WatchEvent::Type::kDeleted;
  if (is_new && std::ranges::find(node_names_, node.metadata.name) == node_names_.end()) {
    node_names_.push_back(node.metadata.name);
  }
  if (is_gone || place->second != node.allocatable) {
    resources_.take_allocatable(now(), place->second);
    if (!is_gone) resources_.add_allocatable(now(), node.allocatable);
    place->second = node.allocatable;
  }
  if (is_gone) nodes_.erase(place);
}

void Observer::on_pod(const kube::WatchEvent& event) {
  const kube::Pod pod = watching::read_view<kube::Pod>(event.object);
  const auto [place, is_new] = pods_.try_emplace(pod.metadata.uid);
  SeenPod& seen = place->second;
  bool is_news = is_new;
  if (is_new) {
    seen.life.name_space = pod.metadata.namespace_;
    seen.life.name = pod.metadata.name;
    seen.life.created = now();
    seen.restarts_for_ever = pod.spec->restart_policy == kube::RestartPolicy::kAlways;
  }
  seen.controller = controller_of(pod.metadata);
  is_news |= observe_pod(pod, seen);
  if (event.type == kube::WatchEvent::Type::kDeleted) {
    is_news = true;
    if (!seen.life.ended) {
      seen.life.ended = now();
      seen.life.ending = Ending::kDeleted;
    }
    if (!seen.left) seen.left = now();
  }
  hold(pod.metadata.uid, seen, pod);
  if (is_news) tell_news(is_of_cron_job(seen.controller, pod.metadata.namespace_));
}

/// Whether that is news.
bool Observer::observe_pod(const kube::Pod& pod, SeenPod& seen) {
  PodLife& life = seen.life;
  if (life.ended) return false;
  bool is_news = false;
  if (!pod.spec->node_name.empty() && !life.scheduled) {
    life.scheduled = now();
    life.node = pod.spec->node_name;
    is_news = true;
  }
  if (pod.status.phase == kube::PodPhase::kRunning && !life.started) {
    life.started = now();
    life.ending = Ending::kRunning;
    is_news = true;
  }
  if (const std::int32_t restarts = restarts_of(pod); restarts != life.restarts) {
    life.restarts = restarts;
    is_news |= !seen.restarts_for_ever;
  }
  if (pod.metadata.deletion_timestamp && !seen.left) {
    seen.left = now();
    seen.is_deleted = true;
    is_news = true;
  }
  life.message = pod_message(pod);
  if (!pod.finished()) return is_news;
  const bool says_how_long = pod.metadata.annotations.contains(std::string(kubelet::kRunTime));
  if (!says_how_long && pod.status.phase == kube::PodPhase::kSucceeded) ++ends_by_default_;
  life.ended = now();
  if (!seen.left) seen.left = now();
  life.ending = pod.status.phase == kube::PodPhase::kSucceeded ? Ending::kCompleted : Ending::kFailed;
  if (seen.is_deleted) life.ending = Ending::kDeleted;
  return true;
}

/// What it holds of its node, and whether it waits for one.
void Observer::hold(const std::string& uid, const SeenPod& seen, const kube::Pod& pod) {
  Held& held = held_[uid];
  const bool is_pending = !seen.life.ended && !seen.left && seen.life.node.empty();
  const kube::Quantity one = kube::Quantity::of(1);
  if (is_pending && !held.is_pending) pending_.add(now(), one);
  if (!is_pending && held.is_pending) pending_.subtract(now(), one);
  held.is_pending = is_pending;
  kube::ResourceList requested;
  if (!seen.life.ended && !seen.life.node.empty()) requested = kube::pod_requests(*pod.spec, &pod.status, {});
  if (requested == held.requested) return;
  resources_.take_requested(now(), held.requested);
  resources_.add_requested(now(), requested);
  held.requested = std::move(requested);
}

void Observer::on_object(const kube::WatchEvent& event) {
  const kube::ObjectMeta metadata = watching::read_metadata(event.object);
  const auto [place, is_new] = objects_.try_emplace(metadata.uid);
  SeenObject& seen = place->second;
  bool is_news = false;
  if (is_new) {
    seen.name = {std::string(document::text_at(event.object, {"kind"})), metadata.namespace_, metadata.name};
    seen.seen = now();
    is_news = true;
  }
  seen.controller = controller_of(metadata);
  seen.is_workload = !seen.controller && is_workload(seen.name.kind);
  seen.wanted_pods = wanted_pods(event.object);
  seen.waits_because = waiting_message(event.object);
  if (is_cron(seen.name.kind)) has_cron_jobs_ = true;
  if (!seen.ended) {
    seen.ended = stated_ending(event.object, now());
    is_news |= seen.ended.has_value();
  }
  if (event.type == kube::WatchEvent::Type::kDeleted) {
    seen.gone = now();
    is_news = true;
  }
  if (is_news) tell_news(is_of_cron_job(seen.controller, metadata.namespace_));
}

void Observer::tell_news(bool is_of_cron_job) {
  last_change_ = now();
  if (!is_of_cron_job) last_news_ = now();
}

bool Observer::is_of_cron_job(const std::optional<kube::OwnerReference>& controller,
                              const std::string& name_space) const {
  return controller && is_cron(top_of(*controller, name_space).kind);
}

/// Null: the owner was not seen. The leader of a group may be a pod, and own what makes the others.
const std::optional<kube::OwnerReference>* Observer::controller_above(const std::string& uid) const {
  if (const auto object = objects_.find(uid); object != objects_.end()) return &object->second.controller;
  const auto pod = pods_.find(uid);
  return pod == pods_.end() ? nullptr : &pod->second.controller;
}

WorkloadName Observer::top_of(const kube::OwnerReference& controller, const std::string& name_space) const {
  constexpr int kHighest = 16;  // a ring of owners has no top
  const kube::OwnerReference* at = &controller;
  for (int height = 0; height < kHighest; ++height) {
    const std::optional<kube::OwnerReference>* above = controller_above(at->uid);
    if (above == nullptr || !*above) break;
    at = &**above;
  }
  return {at->kind, name_space, at->name};
}

}  // namespace loadline::timeline
