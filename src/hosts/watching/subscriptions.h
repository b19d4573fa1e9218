#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "hosts/watching/caches.h"

namespace loadline::watching {

/// The keys that a change concerns.
using Keys = std::set<ObjectKey>;

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

}  // namespace loadline::watching
