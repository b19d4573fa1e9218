#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/registry.h"

namespace loadline::kube {

/// The fields of a document that name the object, read before anything else is known to be right.
struct Identity {
  std::string name;  ///< or the generateName, if there is no other
  std::string namespace_;
  bool from_cluster = false;  ///< it has a uid or a time of creation: an API server has judged it
};

Identity identity_of(const document::Value& object);

/// What messages call an object: "Pod default/web", "Node n1", or "Pod" if it has no name.
std::string subject_of(std::string_view kind, const Identity& identity, Scope scope);

}  // namespace loadline::kube
