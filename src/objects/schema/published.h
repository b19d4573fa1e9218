#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "objects/schema/catalog.h"

namespace loadline::schema {

/// What Kubernetes publishes about its own API.
struct Published {
  std::vector<std::shared_ptr<const Resource>> resources;  ///< groups, versions and resources in discovery's order
  std::shared_ptr<const TypeSet> types;
  std::map<std::string, const Type*, std::less<>> types_by_name;
  std::map<std::string, std::string, std::less<>> types_by_kind;  ///< "policy/v1 Eviction" to the type's name
};

/// Reads tables as conformance/publish writes them: one resource a line, one type a line, a type's fields in words:
///
///   "ports []io.k8s.api.core.v1.ServicePort #1 omits list=map:port,protocol merge=port"
///
/// is a list (`{}`: a map) of that type, field 1 in protobuf (`#2/5`: field 5 of the embedded message 2). The words are
/// required, omits, pointer, atomic, list=, merge, merge=, retainKeys, replace, and last default=JSON. A field that Go
/// always writes starts at Go's zero value without saying so. REQUIRES: such a text; it was made from our own sources,
/// so what is wrong with it is a bug and asserted. Types of `others` may be named, too; they must live as long.
Published read_published(std::string_view text, const Published* others = nullptr);

/// What Kubernetes publishes, as the program was built with it. Read once, on first use, in a few milliseconds.
const Published& kubernetes();

/// The resource whose objects are of that kind, or null: there is none, or Kubernetes does not publish it.
const Resource* find_published(std::string_view api_version, std::string_view kind);

/// The built-in type of that name: of an object of the API, or of a configuration file (kube-scheduler's, kind's); or
/// null.
const Type* find_built_in(std::string_view name);

}  // namespace loadline::schema
