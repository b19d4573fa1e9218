#pragma once

#include <utility>

#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/meta.h"
#include "objects/kube/schema.h"

namespace loadline::controllers {

/// The creation of an object that is known by its typed view: its name, its owners, its annotations, and its spec as
/// `schema` writes it.
[[nodiscard]] Action creation_of(const KindName& kind, const kube::ObjectMeta& metadata, const kube::Schema& schema,
                                 const void* object);
template <class Kind>
[[nodiscard]] Action creation_of(const Kind& object, const kube::Schema& schema) {
  return creation_of(kind_name<Kind>(), object.metadata, schema, &object);
}

}  // namespace loadline::controllers
