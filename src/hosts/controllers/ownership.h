#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "hosts/controllers/controller.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "hosts/watching/caches.h"
#include "objects/kube/meta.h"

namespace loadline::controllers {

/// The ownerReference of what `owner` controls; the owner waits for it when it is deleted in the foreground.
document::Value controller_reference(const KindName& kind, const kube::ObjectMeta& owner);

/// Takes control of an object that no controller owns.
Action adopt(const KindName& kind, const kube::ObjectMeta& orphan, document::Value controller_reference);
/// Gives up the control of an object that is not selected any more.
Action release(const KindName& kind, const kube::ObjectMeta& dependent, std::string_view owner_uid);

/// What a controller takes for its own, and what has to be done for that.
template <class Kind>
struct Claims {
  std::vector<const Observed<Kind>*> owned;  ///< by name, those about to be adopted behind the others
  std::vector<Action> actions;               ///< adoptions and releases
};

/// Of the objects that pass `concerned`: those that `owner` controls and selects, and orphans that it selects and
/// adopts; what it controls and does not select is let go. An owner that is being deleted takes and releases nothing.
/// O(objects that it controls + orphans of the namespace).
/// Source: BaseControllerRefManager in pkg/controller/controller_ref_manager.go, v1.36.
template <class Kind, class Concerned>
Claims<Kind> claim(const Cache<Kind>& cache, const KindName& owner_kind, const kube::ObjectMeta& owner,
                   const kube::LabelSelector& selector, Concerned concerned) {
  Claims<Kind> claims;
  const bool leaving = owner.deletion_timestamp.has_value();
  for (const auto& [key, object] : cache.controlled_by(owner.uid)) {
    if (key.name_space != owner.namespace_ || !concerned(*object)) continue;
    if (matches(selector, object->metadata().labels)) {
      claims.owned.push_back(object.get());
    } else if (!leaving) {
      claims.actions.push_back(release(kind_name<Kind>(), object->metadata(), owner.uid));
    }
  }
  if (leaving) return claims;
  for (const auto& [name, object] : cache.orphans(owner.namespace_)) {
    if (object->is_being_deleted() || !concerned(*object) || !matches(selector, object->metadata().labels)) continue;
    claims.actions.push_back(adopt(kind_name<Kind>(), object->metadata(), controller_reference(owner_kind, owner)));
    claims.owned.push_back(object.get());
  }
  return claims;
}
template <class Kind>
Claims<Kind> claim(const Cache<Kind>& cache, const KindName& owner_kind, const kube::ObjectMeta& owner,
                   const kube::LabelSelector& selector) {
  return claim(cache, owner_kind, owner, selector, [](const Observed<Kind>&) { return true; });
}

/// Whether a controller may want to adopt the object since that change: it is an orphan, and new, or of other labels or
/// owners than before.
template <class Kind>
bool is_up_for_adoption(const Change<Kind>& change) {
  if (change.after == nullptr || change.after->is_being_deleted()) return false;
  const kube::ObjectMeta& now = change.after->metadata();
  if (now.controller() != nullptr) return false;
  if (change.before == nullptr) return true;
  const kube::ObjectMeta& before = change.before->metadata();
  return before.controller() != nullptr || before.labels != now.labels;
}

/// The selector of an owner, or null if it has none.
template <class Owner>
const kube::LabelSelector* selector_of(const Owner& owner) {
  return owner.selector ? &*owner.selector : nullptr;
}

/// A change of an orphan concerns all of its namespace that select it: `selects(owner view, labels)`.
/// `caches` must outlive what is returned.
template <class Kind, class Owner, class Selects>
auto adopters_of(const Caches& caches, Selects selects) {
  return [&caches, selects](const Change<Kind>& change, Keys& keys) {
    if (!is_up_for_adoption(change)) return;
    const kube::ObjectMeta& orphan = change.after->metadata();
    for (const auto& [name, owner] : caches.of<Owner>().in(orphan.namespace_)) {
      if (selects(owner->view, orphan.labels)) keys.insert(owner->key());
    }
  };
}
template <class Kind, class Owner>
auto adopters_of(const Caches& caches) {
  return adopters_of<Kind, Owner>(caches, [](const Owner& owner, const kube::StringMap& labels) {
    const kube::LabelSelector* selector = selector_of(owner);
    return selector != nullptr && !selector->empty() && matches(*selector, labels);
  });
}

}  // namespace loadline::controllers
