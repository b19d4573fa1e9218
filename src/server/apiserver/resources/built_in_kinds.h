#pragma once

#include <set>
#include <string>
#include <string_view>

#include "objects/schema/catalog.h"
#include "objects/schema/custom/definition_reader.h"
#include "objects/schema/custom/definitions.h"

namespace loadline::apiserver {

/// The custom kinds that need no installing, in a catalog. Their types are made when they are first written, read back
/// or described: until then their schema says no more than `type: object`, so that starting and idling cost nothing.
class BuiltInKinds {
 public:
  /// Adds all of them. `catalog` outlives this.
  explicit BuiltInKinds(schema::Catalog& catalog);

  /// A definition of that name ("workloads.kueue.x-k8s.io") is part of the program.
  [[nodiscard]] bool has(std::string_view name) const { return outlines_.contains(name); }
  /// Puts the resource into the catalog, in place of a user's own definition that is gone.
  void add(std::string_view name);
  /// The resource has become a user's.
  void leave(std::string_view name) { unmade_.erase(std::string(name)); }

  /// Makes the type of a resource in all its versions, if it has not got one. Milliseconds.
  void make(std::string_view group, std::string_view plural);
  /// The same for all resources of a group.
  void make_group(std::string_view group);

 private:
  void put(const document::Value& definition);

  schema::Catalog& catalog_;
  schema::DefinitionReader reader_;
  schema::BuiltInDefinitions definitions_;
  std::map<std::string, const document::Value*, std::less<>> outlines_;  // by name
  std::set<std::string, std::less<>> unmade_;                            // names of those in the catalog without a type
};

}  // namespace loadline::apiserver
