#include "simulation/observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "brain/decision/eviction_text.h"
#include "brain/gang/partial_starts.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/watching/object.h"
#include "hosts/watching/observe.h"
#include "objects/kube/client.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node.h"
#include "objects/kube/pod_resources.h"

namespace loadline::simulation {
namespace {

using document::write_json;

constexpr std::size_t kMostVersions = 20'000;

template <class Kind>
watching::Observed<Kind> observed(const document::Value& document) {
  watching::Observed<Kind> object;
  object.document = document;
  object.view = watching::read_view<Kind>(document);
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

std::string group_of(const watching::Observed<kube::Pod>& pod) {
  const std::string& group = pod.view.spec->pod_group_name;
  return group.empty() ? std::string() : pod.metadata().namespace_ + '/' + group;
}

Observer::Observer(const Trace& trace) : trace_(trace) {
  const auto documents = [](Documents& all) {
    return [&all](const kube::WatchEvent& event) {
      if (event.type == kube::WatchEvent::Type::kDeleted) {
        all.erase(key_of(event.object));
      } else {
        all.insert_or_assign(key_of(event.object), event.object);
      }
    };
  };
  const auto take = [this](kube::ResourceReference of, std::function<void(const kube::WatchEvent&)> what) {
    feeds_.push_back({std::move(of), std::move(what), {}, nullptr});
  };
  take({"", "v1", "nodes"}, [this](const kube::WatchEvent& event) { on_node(event); });
  take({"", "v1", "pods"}, [this](const kube::WatchEvent& event) { on_pod(event); });
  take({"scheduling.k8s.io", "v1alpha2", "podgroups"}, [this](const kube::WatchEvent& event) { on_group(event); });
  take({"apps", "v1", "replicasets"}, [](const kube::WatchEvent&) {});
  take({"", "v1", "persistentvolumeclaims"}, documents(claims_));
  take({"batch", "v1", "cronjobs"}, [this](const kube::WatchEvent& event) {
    if (document::text_at(event.object, {"spec", "concurrencyPolicy"}) != "Forbid") return;
    forbidding_.insert(std::string(document::text_at(event.object, {"metadata", "uid"})));
  });
  take({"batch", "v1", "jobs"}, [this, documents](const kube::WatchEvent& event) {
    documents(jobs_)(event);
    on_job(event);
  });
}

void Observer::listen(const kube::ResourceReference& of, std::function<void(const kube::WatchEvent&)> hear) {
  for (Feed& feed : feeds_) {
    if (feed.of.group != of.group || feed.of.plural != of.plural) continue;
    feed.take = [first = std::move(feed.take), then = std::move(hear)](const kube::WatchEvent& event) {
      first(event);
      then(event);
    };
    return;
  }
  feeds_.push_back({of, std::move(hear), {}, nullptr});
}

void Observer::follow(kube::Client& client) {
  for (Feed& feed : feeds_) follow(feed, client);
}

void Observer::let_go() {
  for (Feed& feed : feeds_) feed.watch.reset();
}

void Observer::follow(Feed& feed, kube::Client& client) {
  client.list(feed.of, {}, [this, &feed, &client](const kube::Answer<kube::ObjectList>& list) {
    if (!list) return report(fmt::format("{} cannot be listed: {}", feed.of.plural, list.error().message));
    compare(feed, *list);
    kube::WatchOptions options;
    options.resource_version = list->resource_version;
    feed.watch =
        client.watch(feed.of, options, [this, &feed](const kube::WatchEvent& event) { on_event(feed, event); });
  });
}

/// After a restart nothing that was seen may be lost: an object is there, as it was or newer, unless a later revision
/// deleted it.
void Observer::compare(Feed& feed, const kube::ObjectList& list) {
  const std::uint64_t revision = std::stoull(list.resource_version);
  if (revision < revision_) report(fmt::format("revision {} was seen, but {} is the last one", revision_, revision));
  std::map<std::string, document::Value> gone = feed.known;
  for (const document::Value& item : list.items) {
    gone.erase(key_of(item));
    on_event(feed, {kube::WatchEvent::Type::kAdded, item});
  }
  for (const auto& [key, last] : gone) {
    if (revision == revision_) report(fmt::format("{} {} is lost", feed.of.plural, key));
    on_event(feed, {kube::WatchEvent::Type::kDeleted, last});
  }
}

void Observer::on_event(Feed& feed, const kube::WatchEvent& event) {
  using Type = kube::WatchEvent::Type;
  if (event.type == Type::kBookmark) return;
  if (event.type == Type::kError) return report(fmt::format("the observer's watch of {} broke", feed.of.plural));
  trace_.tell([&] {
    static constexpr std::array kTypes = {"added", "modified", "deleted"};
    return fmt::format("  {} is {}: {}", feed.of.plural, kTypes.at(static_cast<std::size_t>(event.type)),
                       write_json(document::without_at(event.object, {"metadata", "managedFields"})));
  });
  const std::string key = key_of(event.object);
  const std::string version(document::text_at(event.object, {"metadata", "resourceVersion"}));
  revision_ = std::max<std::uint64_t>(revision_, std::stoull(version));
  if (const auto known = feed.known.find(key); known != feed.known.end()) {
    const auto version_before = document::text_at(known->second, {"metadata", "resourceVersion"});
    if (std::stoull(std::string(version_before)) > std::stoull(version)) {
      report(fmt::format("{} {} went back from version {} to {}", feed.of.plural, key, version_before, version));
    }
  }
  if (event.type == Type::kDeleted) {
    feed.known.erase(key);
  } else {
    feed.known.insert_or_assign(key, event.object);
  }
  // A change without end would keep the loop from returning to the simulation.
  if (feed.of.plural != "nodes" && ++versions_ > kMostVersions) {
    throw std::runtime_error(fmt::format("{} change without end: {}", feed.of.plural, write_json(event.object)));
  }
  digest(fmt::format("{} {} {}", static_cast<int>(event.type), key, feed.of.plural == "nodes" ? "" : version));
  feed.take(event);
}

void Observer::on_pod(const kube::WatchEvent& event) {
  const std::string key = key_of(event.object);
  if (event.type != kube::WatchEvent::Type::kModified) ++comings_and_goings_;
  const auto before = pods_.find(key);
  if (event.type == kube::WatchEvent::Type::kDeleted) {
    if (before == pods_.end()) return;
    const std::string group = group_of(before->second);
    pods_.erase(before);
    if (!group.empty()) follow_group(group);
    return;
  }
  Pod now = observed<kube::Pod>(event.object);
  check_history(before == pods_.end() ? nullptr : &before->second, now);
  check_release(before == pods_.end() ? nullptr : &before->second, now);
  const std::string node = now.view.spec->node_name;
  const std::string name_space = now.metadata().namespace_;
  const std::string group = group_of(now);
  pods_.insert_or_assign(key, std::move(now));
  if (!node.empty()) check_room(node);
  if (!group.empty()) follow_group(group);
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
  if (!now.view.spec->scheduling_gates.empty()) note("gated pods");
  if (!node.empty() && !now.view.spec->scheduling_gates.empty()) {
    report(fmt::format("{} is on {}, but it is gated", key_of(now.document), node));
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
  const std::string name(document::text_at(event.object, {"metadata", "name"}));
  if (event.type == kube::WatchEvent::Type::kDeleted) {
    nodes_.erase(name);
    return;
  }
  Node now = observed<kube::Node>(event.object);
  // One that is replaced under its name keeps its pods.
  const kube::ResourceList& left = now.view.allocatable;
  for (const auto& [resource, amount] : std::exchange(rooms_[name], left)) {
    const auto found = left.find(resource);
    if (found == left.end() || found->second < amount) shrunk_.insert(name);
  }
  nodes_.insert_or_assign(name, std::move(now));
}

void Observer::on_job(const kube::WatchEvent& event) {
  const auto cron_of = [](const document::Value& job) {
    const document::Value* owners = document::find_at(job, {"metadata", "ownerReferences"});
    return std::string(owners == nullptr ? "" : document::text_at(owners->array().front(), {"uid"}));
  };
  const std::string cron = cron_of(event.object);
  if (!forbidding_.contains(cron)) return;
  note("jobs that have to wait for each other");
  const auto at_work = std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return cron_of(entry.second) == cron && !has_ended(entry.second) &&
           document::text_at(entry.second, {"metadata", "deletionTimestamp"}).empty();
  });
  if (at_work > 1) report(fmt::format("{} Jobs of {}'s CronJob are at work", at_work, key_of(event.object)));
}

void Observer::on_group(const kube::WatchEvent& event) {
  const std::string key = key_of(event.object);
  if (event.type == kube::WatchEvent::Type::kDeleted) {
    groups_.erase(key);
    return;
  }
  const auto before = groups_.find(key);
  Group now = observed<kube::PodGroup>(event.object);
  const bool said_it =
      before != groups_.end() && before->second.metadata().uid == now.metadata().uid && says_scheduled(before->second);
  if (said_it && !says_scheduled(now)) report(key + " was scheduled, and then was not: " + write_json(event.object));
  last_groups_.insert_or_assign(key, now);
  groups_.insert_or_assign(key, std::move(now));
  follow_group(key);
  // The scheduler may see the pods as they were before this object came.
  if (says_scheduled(groups_.at(key)) && !ever_whole_.contains(key)) {
    report(key + " says that it was scheduled, but it never started: " + write_json(event.object));
  }
}

void Observer::follow_group(const std::string& key) {
  const auto last = last_groups_.find(key);
  if (last == last_groups_.end()) return;
  if (is_lacking(last->second)) {
    lacking_.try_emplace(key, trace_.now());
  } else {
    lacking_.erase(key);
  }
  if (!is_whole(last->second)) return;
  ever_whole_.insert(key);
  if (groups_.contains(key)) started_.insert(last->second.metadata().uid);
}

std::int64_t Observer::bound_pods(const Group& group) const {
  const std::string key = key_of(group.document);
  return std::count_if(pods_.begin(), pods_.end(), [&](const auto& entry) {
    return group_of(entry.second) == key && !entry.second.view.spec->node_name.empty() &&
           !entry.second.is_being_deleted();
  });
}

bool Observer::is_whole(const Group& group) const {
  const std::int64_t bound = bound_pods(group);
  return bound > 0 && bound >= group.view.policy.min_count.value_or(1);
}

/// Whether fewer of its pods are on nodes, or done, than start together. One that has failed is to be replaced.
bool Observer::is_lacking(const Group& group) const {
  const std::string key = key_of(group.document);
  const auto counted = std::ranges::count_if(pods_, [&](const auto& entry) {
    const Pod& pod = entry.second;
    return group_of(pod) == key && !pod.view.spec->node_name.empty() && !pod.is_being_deleted() &&
           pod.view.status.phase != kube::PodPhase::kFailed;
  });
  return counted < group.view.policy.min_count.value_or(1);
}

bool Observer::sees_partial_start() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [this](const auto& entry) { return !has_started(entry.second) && bound_pods(entry.second) > 0; });
}

bool Observer::says_scheduled(const Group& group) {
  return kube::has_true_condition(group.view.conditions, "PodGroupScheduled");
}

/// Pods of a group that has started are evicted only where it lacks others, and has for a while, and for somebody's
/// sake.
void Observer::check_release(const Pod* before, const Pod& now) {
  const auto target_of = [](const Pod& pod) -> const kube::Condition* {
    const kube::Condition* target = kube::find_condition(pod.view.status.conditions, "DisruptionTarget");
    return target != nullptr &&
                   target->reason == decision::words_of(decision::EvictionCause::kIncompleteGroup).condition
               ? target
               : nullptr;
  };
  const kube::Condition* target = target_of(now);
  if (target == nullptr || (before != nullptr && target_of(*before) != nullptr)) return;
  note("pods that their group released");
  const std::string key = group_of(now);
  const auto group = groups_.find(key);
  if (group == groups_.end() || !says_scheduled(group->second)) return;
  const auto since = lacking_.find(key);
  if (since == lacking_.end() || trace_.now() - since->second < gang::PartialStarts::kPatience) {
    report(fmt::format("{} was released, but its group has started, and {}", key_of(now.document),
                       since == lacking_.end() ? "lacks none" : "has not lacked others for long"));
  } else if (target->message.find(" starts in their room") == std::string::npos &&
             target->message.find(" starts anew") == std::string::npos) {
    report(fmt::format("{} was released for nobody, but its group has started: {}", key_of(now.document),
                       target->message));
  }
  note("pods that a broken group released");
}

bool Observer::has_ended(const document::Value& job) {
  const document::Value* conditions = document::find_at(job, {"status", "conditions"});
  if (conditions == nullptr) return false;
  return std::any_of(conditions->array().begin(), conditions->array().end(), [](const document::Value& condition) {
    const std::string_view type = document::text_at(condition, {"type"});
    return (type == "Complete" || type == "Failed") && document::text_at(condition, {"status"}) == "True";
  });
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
