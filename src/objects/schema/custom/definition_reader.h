#pragma once

#include <memory>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// Makes resources of CustomResourceDefinitions. What their schemas have in common it makes once: operators repeat pod
/// templates, thousands of fields each, in most of their kinds and versions. Its resources outlive it; what it made
/// stays while it or any of them does. Not thread safe.
class DefinitionReader {
 public:
  /// `object_meta`, the type of metadata, lives for ever.
  explicit DefinitionReader(const Type& object_meta);
  ~DefinitionReader();

  /// The resources that a definition of apiextensions.k8s.io/v1 serves: one for each served version, with types made
  /// from its schema and `type->rules` to validate with.
  /// REQUIRES: it passed validate_definition(), its defaults are set.
  [[nodiscard]] std::vector<std::shared_ptr<const Resource>> read(const document::Value& definition);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The same for one definition, which shares nothing with others.
[[nodiscard]] std::vector<std::shared_ptr<const Resource>> read_definition(const document::Value& definition,
                                                                           const Type& object_meta);

}  // namespace loadline::schema
