#pragma once

#include "objects/schema/catalog.h"

namespace loadline::schema::testing {

/// What Kubernetes publishes, read once.
inline const Catalog& published() {
  static const Catalog& catalog = *new Catalog(Catalog::published());
  return catalog;
}

inline const Type& object_meta() { return *published().find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"); }

}  // namespace loadline::schema::testing
