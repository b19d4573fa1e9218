#include "simulation/observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "document/at.h"
#include "document/writer.h"
#include "kube/pod_resources.h"

namespace loadline::simulation {
namespace {

constexpr std::size_t kMostVersions = 20'000;

template <class Kind>
controllers::Observed<Kind> observed(const document::Value& document) {
  controllers::Observed<Kind> object;
  object.document = document;
  object.view = controllers::KindOf<Kind>::read(document);
  return object;
}

bool has_condition(const std::vector<kube::Condition>& conditions, std::string_view type) {
  return std::any_of(conditions.begin(), conditions.end(), [type](const kube::Condition& condition) {
    return condition.type == type && condition.status == "True";
  });
}

}  // namespace

std::string key_of(const document::Value& object) {
  return fmt::format("{}/{}", document::text_at(object, {"metadata", "namespace"}),
                     document::text_at(object, {"metadata", "name"}));
}

Observer::Observer(kube::Client& client) {
  pod_watch_ = client.watch({"", "v1", "pods"}, {}, [this](const kube::WatchEvent& event) { on_pod(event); });
  node_watch_ = client.watch({"", "v1", "nodes"}, {}, [this](const kube::WatchEvent& event) { on_node(event); });
}

void Observer::on_pod(const kube::WatchEvent& event) {
  using Type = kube::WatchEvent::Type;
  if (event.type == Type::kBookmark) return;
  if (event.type == Type::kError) return report("the observer's watch of pods broke");
  const std::string key = key_of(event.object);
  digest(fmt::format("{} {} {}", static_cast<int>(event.type), key,
                     document::text_at(event.object, {"metadata", "resourceVersion"})));
  if (event.type == Type::kDeleted) {
    pods_.erase(key);
    return;
  }
  // What never comes to rest would never come back to the simulation either.
  if (++pod_versions_ > kMostVersions) {
    throw std::runtime_error("pods change without end: " + document::write_json(event.object));
  }
  const auto before = pods_.find(key);
  Pod now = observed<kube::Pod>(event.object);
  check_history(before == pods_.end() ? nullptr : &before->second, now);
  const std::string node = now.view.spec->node_name;
  const std::string name_space = now.metadata().namespace_;
  pods_.insert_or_assign(key, std::move(now));
  if (!node.empty()) check_room(node);
  if (const auto quota = quotas_.find(name_space); quota != quotas_.end() && live_pods_in(name_space) > quota->second) {
    report(fmt::format("{} is one of {} pods in {}", key, live_pods_in(name_space), name_space));
  }
  check_guard();
}

void Observer::check_history(const Pod* before, const Pod& now) {
  const std::string& reason = now.view.status.reason;
  const std::string& node = now.view.spec->node_name;
  if (reason.starts_with("OutOf") && !shrunk_.contains(node) && nodes_.contains(node) &&
      (before == nullptr || before->view.status.reason != reason)) {
    report(fmt::format("{} was refused by {}: {}", key_of(now.document), node, now.view.status.message));
  }
  if (before == nullptr || before->metadata().uid != now.metadata().uid) return;
  const std::string& node_before = before->view.spec->node_name;
  if (!node_before.empty() && node_before != node) {
    report(fmt::format("{} was bound to {} and then to {}", key_of(now.document), node_before, node));
  }
  if (before->view.finished() && !now.view.finished()) report(key_of(now.document) + " lives again");
}

void Observer::check_room(const std::string& name) {
  const auto node = nodes_.find(name);
  if (node == nodes_.end() || shrunk_.contains(name)) return;
  kube::ResourceList used;
  std::int64_t count = 0;
  for (const auto& [key, pod] : pods_) {
    if (pod.view.spec->node_name != name || pod.view.finished()) continue;
    kube::add_resources(used, kube::pod_requests(*pod.view.spec, nullptr, {}));
    ++count;
  }
  kube::add_resources(used, {{"pods", kube::Quantity::of(count)}});
  for (const auto& [resource, amount] : used) {
    const auto room = node->second.view.allocatable.find(resource);
    if (room == node->second.view.allocatable.end() || room->second < amount) {
      report(fmt::format("{} is overcommitted: {}", name, resource));
    }
  }
}

void Observer::guard(const std::string& app, std::size_t healthy) {
  guarded_app_ = app;
  guarded_ = healthy;
}

void Observer::check_guard() {
  if (guarded_ == 0) return;
  std::size_t healthy = 0;
  for (const auto& [key, pod] : pods_) {
    const auto label = pod.metadata().labels.find("app");
    if (label != pod.metadata().labels.end() && label->second == guarded_app_ && is_ready(pod)) ++healthy;
  }
  if (healthy >= guarded_) return;
  report(fmt::format("evictions left {} of {} healthy pods of {}", healthy, guarded_, guarded_app_));
  guarded_ = 0;
}

void Observer::on_node(const kube::WatchEvent& event) {
  using Type = kube::WatchEvent::Type;
  if (event.type == Type::kBookmark) return;
  if (event.type == Type::kError) return report("the observer's watch of nodes broke");
  const std::string name(document::text_at(event.object, {"metadata", "name"}));
  digest(fmt::format("{} {}", static_cast<int>(event.type), name));
  if (event.type == Type::kDeleted) {
    nodes_.erase(name);
    return;
  }
  Node now = observed<kube::Node>(event.object);
  if (const auto before = nodes_.find(name); before != nodes_.end()) {
    const kube::ResourceList& left = now.view.allocatable;
    for (const auto& [resource, amount] : before->second.view.allocatable) {
      const auto found = left.find(resource);
      if (found == left.end() || found->second < amount) shrunk_.insert(name);
    }
  }
  nodes_.insert_or_assign(name, std::move(now));
}

bool Observer::is_ready(const Pod& pod) {
  return !pod.is_being_deleted() && !pod.view.finished() && has_condition(pod.view.status.conditions, "Ready");
}

bool Observer::is_healthy_node(const std::string& name) const {
  const auto node = nodes_.find(name);
  return node != nodes_.end() && has_condition(node->second.view.conditions, "Ready");
}

std::size_t Observer::live_pods_in(const std::string& name_space) const {
  return static_cast<std::size_t>(std::count_if(pods_.begin(), pods_.end(), [&](const auto& entry) {
    return entry.second.metadata().namespace_ == name_space && !entry.second.view.finished() &&
           !entry.second.is_being_deleted();
  }));
}

bool Observer::is_quota_full(const std::string& name_space) const {
  const auto quota = quotas_.find(name_space);
  return quota != quotas_.end() && live_pods_in(name_space) >= quota->second;
}

void Observer::digest(const std::string& text) {
  for (const char byte : text) digest_ = (digest_ ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
}

}  // namespace loadline::simulation
