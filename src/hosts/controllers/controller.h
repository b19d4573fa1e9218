#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/controllers/action.h"
#include "hosts/controllers/caches.h"

namespace loadline::controllers {

/// The keys that a change concerns.
using Keys = std::set<ObjectKey>;

/// What there is to go by when a controller is asked about a key.
struct Context {
  const Caches& caches;
  Instant now;
  /// What failed the last time this key was looked at; empty: nothing did. After success it is forgotten.
  const std::vector<FailedAction>& failures;
};

/// Where a controller says what it wants to hear of.
class Subscriptions {
 public:
  virtual ~Subscriptions() = default;

  /// Calls `keys_of(change, keys)` for every change of a kind; what it puts into `keys` will be reconciled.
  template <class Kind, class KeysOf>
  void on(KeysOf keys_of) {
    Cache<Kind>& cache = caches().add<Kind>();
    cache.listen([add = adder(), keys_of = std::move(keys_of)](const Change<Kind>& change) {
      Keys keys;
      keys_of(change, keys);
      for (const ObjectKey& key : keys) add(key);
    });
    needs(cache);
  }
  /// The kind is read while reconciling, but its changes lead to no key.
  template <class Kind>
  void reads() {
    needs(caches().add<Kind>());
  }
  [[nodiscard]] virtual Caches& caches() = 0;

 protected:
  /// What takes keys for the controller that subscribes.
  virtual std::function<void(const ObjectKey&)> adder() = 0;
  /// The cache is to be fed.
  virtual void needs(AnyCache& cache) = 0;
};

/// A controller as a function: it is told a key, sees what the caches hold, and says what should be done. It does no
/// I/O and reads no clock; the Reconciler makes requests, retries and waits (src/hosts/control). It is not asked about
/// a key again before the caches have seen what its last actions did, so it never acts twice on the same lack.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  /// "replicaset-controller".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whom its events come from.
  [[nodiscard]] virtual std::string_view reporter() const { return name(); }
  virtual void subscribe(Subscriptions& to) = 0;
  /// How long a key that has been looked at is left alone: what happens to it meanwhile is one look afterwards.
  [[nodiscard]] virtual Duration pause() const { return {}; }
  /// Whether it is left alone that long before the first look, too: changes that come together are one look then.
  [[nodiscard]] virtual bool pauses_first() const { return false; }
  virtual Reconciliation reconcile(const ObjectKey& key, const Context& context) = 0;
};

/// A change of an object concerns the object itself.
template <class Kind>
void own_key(const Change<Kind>& change, Keys& keys) {
  keys.insert(change.last().key());
}

/// Whether "batch/v1" is a version of "batch".
inline bool is_of_group(std::string_view api_version, std::string_view group) {
  return api_version.substr(0, api_version.find('/')) == group;
}

/// A change of a dependent concerns its controller of that kind, the one before and the one after. `group`: of the API;
/// empty: the kind's name is of one group only.
template <class Kind>
auto controllers_of(std::string kind, std::string group = {}) {
  return [kind = std::move(kind), group = std::move(group)](const Change<Kind>& change, Keys& keys) {
    for (const ObjectPtr<Kind>& version : {change.before, change.after}) {
      if (version == nullptr) continue;
      const kube::OwnerReference* controller = version->metadata().controller();
      if (controller == nullptr || controller->kind != kind) continue;
      if (!group.empty() && !is_of_group(controller->api_version, group)) continue;
      keys.insert({version->metadata().namespace_, controller->name});
    }
  };
}

}  // namespace loadline::controllers
