#pragma once

#include <string_view>

#include "hosts/controllers/words.h"
#include "hosts/watching/caches.h"
#include "objects/kube/core/namespace.h"

namespace loadline::controllers {

/// Whether the namespace is being deleted: nothing can be created in it any more.
/// REQUIRES: the caller subscribed to namespaces.
inline bool is_ending(const Caches& caches, std::string_view name_space) {
  const ObjectPtr<kube::Namespace> found = caches.of<kube::Namespace>().find("", name_space);
  return found != nullptr && found->is_being_deleted();
}

}  // namespace loadline::controllers
