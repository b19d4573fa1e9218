#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/object.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// What a controller wants people to read in `kubectl describe`.
struct Event {
  enum class Type : std::uint8_t { kNormal, kWarning };
  document::Value regarding;  ///< an ObjectReference: reference_to()
  Type type = Type::kNormal;
  std::string reason;     ///< "SuccessfulCreate"
  std::string message;    ///< "Created pod: web-5d4f7c9b8b-x2x4z"
  std::string host = {};  ///< the node whose kubelet says it; empty: not a kubelet
  /// The component that says it: "kueue-admission"; empty: the one that it is said through.
  std::string reporter = {};
};

/// "Normal" or "Warning".
inline std::string_view name_of(Event::Type type) { return type == Event::Type::kNormal ? "Normal" : "Warning"; }

/// The ObjectReference by which events name an object: kind, namespace, name, uid, apiVersion, resourceVersion.
document::Value reference_to(const KindName& kind, const document::Value& object);
template <class Kind>
document::Value reference_to(const Observed<Kind>& object) {
  return reference_to(kind_name<Kind>(), object.document);
}

/// What has to be looked at anew before something is done that cannot be undone, since caches may be behind.
struct Precondition {
  std::vector<kube::ResourceReference> objects;
  std::function<bool(const document::Value& object)> is_violated_by;  ///< what it asks of each that is still there
};

/// One request that a controller wants made.
struct Action {
  enum class Verb : std::uint8_t { kCreate, kUpdate, kPatch, kDelete };
  Verb verb = Verb::kCreate;
  kube::ResourceReference of;
  document::Value document;  ///< the object, or the patch
  kube::PatchType patch_type = kube::PatchType::kMerge;
  kube::DeleteOptions options;
  /// The request is made unless the precondition is violated. If it is, the action counts as done: the cache will
  /// learn of the object that violates it, and the controller is asked again.
  Precondition precondition = {};

  /// Said once it is done. If `names_the_object`, the message goes on with the name of the object that was answered,
  /// which a server may have made up: "Created pod: " + "web-x2x4z".
  std::optional<Event> said_when_done;
  bool names_the_object = false;
  /// Said if it fails; the message goes on with the error: "Error creating: " + "pods \"web-\" is forbidden: …".
  std::optional<Event> said_if_failed;
};

// An action on an object that is gone has nothing to do: a kDelete that finds no object counts as done.
Action create(const KindName& kind, std::string_view name_space, document::Value object);
Action update(const KindName& kind, const ObjectKey& key, document::Value object);
/// With the object's resourceVersion in it, so that it fails if another writer was faster.
Action update_status(const KindName& kind, const ObjectKey& key, document::Value object);
Action patch(const KindName& kind, const ObjectKey& key, kube::PatchType type, document::Value patch,
             std::string subresource = {});
/// Of that very object: one of the same name that came later stays.
Action remove(const KindName& kind, const ObjectKey& key, std::string uid, kube::DeleteOptions options = {});

/// An action that a controller asked for and that failed.
struct FailedAction {
  Action action;
  kube::Status status;
};

/// What a controller makes of one object: first all actions of the first step at once, then those of the second, ….
/// If one fails, no later step is taken, and the controller is asked again after a while; it finds what failed in its
/// Context.
struct Reconciliation {
  std::vector<std::vector<Action>> steps;
  std::vector<Event> events;
  std::vector<Event> events_when_done;  ///< said once all steps are taken; never, if one fails
  std::optional<Duration> again_after;  ///< ask again then, even if nothing happens

  /// A step of its own.
  void then(Action action) { steps.push_back({std::move(action)}); }
  void then(std::vector<Action> actions) {
    if (!actions.empty()) steps.push_back(std::move(actions));
  }
  /// The earliest of several wishes wins.
  void wake_after(Duration span) {
    if (!again_after || span < *again_after) again_after = span;
  }
};

/// Splits many alike into steps of 1, 2, 4, …, so that what cannot succeed fails once rather than a thousand times.
/// Source: slowStartBatch in pkg/controller/replicaset, v1.36.
std::vector<std::vector<Action>> slow_start(std::vector<Action> actions);

}  // namespace loadline::watching
