#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// Reads an openAPIV3Schema. Whatever validate_definition() would refuse is ignored. Patterns and expressions are
/// compiled here, once. Parts that say the same are one object. O(schema).
[[nodiscard]] std::shared_ptr<const ValueRules> read_schema(const document::Value& schema);

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

/// What its author should know though the definition is accepted, as texts of warnings: expressions that are not
/// evaluated (`spec.versions[0].schema.openAPIV3Schema…: rule "…" is not evaluated: …`), formats that are not known
/// (upstream's words).
[[nodiscard]] std::vector<std::string> definition_warnings(const document::Value& definition);

}  // namespace loadline::schema
