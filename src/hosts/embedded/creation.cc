#include "hosts/embedded/creation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/verbs/restore.h"

namespace loadline::embedded {
namespace {

using document::Value;

// A custom kind is served as soon as its definition is durable; a quota counts as soon as its first status is.
constexpr Duration kPause{20'000'000};
constexpr int kAttempts = 500;

/// What pods refer to, or are judged by, or decided about.
constexpr std::array<std::string_view, 17> kNeededKinds = {
    "PriorityClass",         "RuntimeClass", "StorageClass",       "CSIDriver",   "CSINode",
    "ServiceAccount",        "Secret",       "ConfigMap",          "LimitRange",  "ResourceQuota",
    "ClusterRole",           "Role",         "ClusterRoleBinding", "RoleBinding", "PersistentVolume",
    "PersistentVolumeClaim", "Policy"};

enum class Turn : std::uint8_t { kNamespaces, kDefinitions, kNeeded, kBoundPods, kRest, kEnd };

std::string_view kind_of(const Value& object) { return document::text_at(object, {"kind"}); }

Turn turn_of(const Value& object) {
  const std::string_view kind = kind_of(object);
  if (kind == "Namespace") return Turn::kNamespaces;
  if (kind == "CustomResourceDefinition") return Turn::kDefinitions;
  if (std::ranges::find(kNeededKinds, kind) != kNeededKinds.end()) return Turn::kNeeded;
  const bool is_bound = kind == "Pod" && !document::text_at(object, {"spec", "nodeName"}).empty();
  return is_bound ? Turn::kBoundPods : Turn::kRest;
}

schema::GroupVersionKind type_of(const Value& object) {
  const std::string_view version = document::text_at(object, {"apiVersion"});
  const std::size_t slash = version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(version), std::string(kind_of(object))};
  return {std::string(version.substr(0, slash)), std::string(version.substr(slash + 1)), std::string(kind_of(object))};
}

/// Group and kind of what these definitions define.
std::set<std::pair<std::string, std::string>> defined_kinds(const std::vector<Value>& objects) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const Value& object : objects) {
    if (turn_of(object) != Turn::kDefinitions) continue;
    kinds.emplace(document::text_at(object, {"spec", "group"}), document::text_at(object, {"spec", "names", "kind"}));
  }
  return kinds;
}

/// One run: turn after turn, and within a turn again what could not be created yet.
class Creator : public std::enable_shared_from_this<Creator> {
 public:
  Creator(Cluster& cluster, EventLoop& wall, std::vector<Value> objects, Entry entry,
          std::function<void(std::vector<Creation>)> done)
      : cluster_(cluster),
        wall_(wall),
        entry_(entry),
        client_(cluster.client("loadline")),
        defined_(defined_kinds(objects)),
        done_(std::move(done)) {
    results_.reserve(objects.size());
    for (Value& object : objects) results_.push_back({std::move(object), CreationResult::kRefused, ""});
  }

  void begin_turn() {
    // The caller keeps this object alive for the call only; afterwards the callbacks of open requests do.
    if (turn_ == Turn::kEnd) return finish();
    waiting_.clear();
    attempts_ = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (turn_of(results_[i].object) == turn_) waiting_.push_back(i);
    }
    create_waiting();
  }

 private:
  void create_waiting() {
    open_ = waiting_.size() + 1;  // one for ourselves: nothing ends before all were asked
    for (const std::size_t index : std::exchange(waiting_, {})) create(index);
    answered();
  }

  void create(std::size_t index) {
    const Value& object = results_[index].object;
    const schema::GroupVersionKind type = type_of(object);
    const std::shared_ptr<const schema::Resource> resource = cluster_.plane().context().catalog.find_kind(type);
    if (resource == nullptr) {
      if (defined_.contains({type.group, type.kind})) {
        wait_or_refuse(index, unknown_kind_text(object));
      } else {
        results_[index].why = unknown_kind_text(object);
      }
      return answered();
    }
    if (entry_ == Entry::kRestored && !document::text_at(object, {"metadata", "uid"}).empty()) {
      restore(index, *resource);
      return answered();
    }
    kube::ResourceReference of{type.group, type.version, resource->plural};
    if (resource->is_namespaced) {
      const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
      of.name_space = name_space.empty() ? "default" : name_space;
    }
    client_->create(of, object, [self = shared_from_this(), index](const kube::Answer<Value>& answer) {
      self->take(index, answer);
      self->answered();
    });
  }

  void restore(std::size_t index, const schema::Resource& resource) {
    Creation& creation = results_[index];
    const apiserver::Answer<void> answer = apiserver::restore(cluster_.plane().context(), resource, creation.object);
    if (answer) {
      creation.result = CreationResult::kCreated;
    } else if (answer.error().reason == "AlreadyExists") {
      creation.result = CreationResult::kWasThere;
    } else {
      creation.why = answer.error().message;
    }
  }

  /// The caller hears of the objects once a crash cannot undo them.
  void finish() {
    store::Store& store = cluster_.plane().store();
    store.when_durable(store.revision(), [self = shared_from_this()](const Result<void>& durable) {
      for (Creation& creation : self->results_) {
        if (durable || creation.result != CreationResult::kCreated) continue;
        creation.result = CreationResult::kRefused;
        creation.why = durable.error().message;
      }
      self->done_(std::move(self->results_));
    });
  }

  void take(std::size_t index, const kube::Answer<Value>& answer) {
    Creation& creation = results_[index];
    if (answer) {
      creation.result = CreationResult::kCreated;
    } else if (answer.error().reason == "AlreadyExists") {
      creation.result = CreationResult::kWasThere;
    } else if (answer.error().message.find("status unknown for quota") != std::string::npos) {
      wait_or_refuse(index, answer.error().message);
    } else {
      creation.why = answer.error().message;
    }
  }

  void wait_or_refuse(std::size_t index, std::string why) {
    if (attempts_ < kAttempts) {
      waiting_.push_back(index);
    } else {
      results_[index].why = std::move(why);
    }
  }

  void answered() {
    if (--open_ > 0) return;
    if (waiting_.empty()) {
      turn_ = static_cast<Turn>(static_cast<int>(turn_) + 1);
      return wall_.post([self = shared_from_this()] { self->begin_turn(); });
    }
    ++attempts_;
    std::ranges::sort(waiting_);
    // The timer is ours, and what it calls holds us only while it runs.
    timer_ = wall_.after(kPause, [self = shared_from_this()] {
      const std::unique_ptr<EventLoop::Timer> fired = std::move(self->timer_);
      self->create_waiting();
    });
  }

  Cluster& cluster_;
  EventLoop& wall_;
  Entry entry_;
  std::unique_ptr<kube::Client> client_;
  std::set<std::pair<std::string, std::string>> defined_;
  std::function<void(std::vector<Creation>)> done_;
  std::vector<Creation> results_;
  Turn turn_ = Turn::kNamespaces;
  std::vector<std::size_t> waiting_;  // of this turn, to be asked (again)
  std::size_t open_ = 0;
  int attempts_ = 0;
  std::unique_ptr<EventLoop::Timer> timer_;
};

}  // namespace

void create_objects(Cluster& cluster, EventLoop& wall, std::vector<Value> objects, Entry entry,
                    std::function<void(std::vector<Creation>)> done) {
  std::make_shared<Creator>(cluster, wall, std::move(objects), entry, std::move(done))->begin_turn();
}

std::vector<std::size_t> unknown_kinds(const schema::Catalog& catalog, const std::vector<Value>& objects) {
  const std::set<std::pair<std::string, std::string>> defined = defined_kinds(objects);
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const schema::GroupVersionKind type = type_of(objects[i]);
    if (catalog.find_kind(type) == nullptr && !defined.contains({type.group, type.kind})) unknown.push_back(i);
  }
  return unknown;
}

std::string unknown_kind_text(const Value& object) {
  return fmt::format("no matches for kind \"{}\" in version \"{}\"", kind_of(object),
                     document::text_at(object, {"apiVersion"}));
}

}  // namespace loadline::embedded
