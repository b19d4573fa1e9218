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
/// compiled here, once. O(schema).
[[nodiscard]] std::unique_ptr<ValueRules> read_schema(const document::Value& schema);

/// The resources that a CustomResourceDefinition of apiextensions.k8s.io/v1 serves: one for each served version, with
/// types made from its schema and `type->rules` to validate with. `object_meta` is the type of metadata.
/// REQUIRES: the definition passed validate_definition(), its defaults are set; `object_meta` lives for ever.
[[nodiscard]] std::vector<std::shared_ptr<const Resource>> read_definition(const document::Value& definition,
                                                                           const Type& object_meta);

/// What its author should know though the definition is accepted, as texts of warnings: expressions that are not
/// evaluated (`spec.versions[0].schema.openAPIV3Schema…: rule "…" is not evaluated: …`), formats that are not known
/// (upstream's words).
[[nodiscard]] std::vector<std::string> definition_warnings(const document::Value& definition);

}  // namespace loadline::schema
