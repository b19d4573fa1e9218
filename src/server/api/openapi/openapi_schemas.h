#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

/// The two languages in which schemas are published.
enum class OpenApiVersion : std::uint8_t { kV2, kV3 };

/// Writes down the schemas of an OpenAPI document: those asked for, and all that they refer to. They have no
/// descriptions, since the published tables are without prose.
class OpenApiSchemas {
 public:
  OpenApiSchemas(const schema::Catalog& catalog, OpenApiVersion version);

  /// Asks for a schema by its name; does nothing if it is there. REQUIRES: a name that `openapi_name` gave.
  void need(const std::string& name);

  /// All that were needed, by name, as a member of the document: {"<name>": schema}.
  document::Value take();

  /// {"$ref": …} to a schema of that name.
  [[nodiscard]] document::Value reference(const std::string& name) const;

 private:
  document::Value object_schema(const schema::Type& type);
  document::Value field_schema(const schema::Field& field);
  document::Value type_schema(const schema::Type& type);
  document::Value element_schema(const schema::Type& element);
  document::Value custom_schema(const schema::Resource& resource);
  document::Value custom_list_schema(const schema::Resource& resource);
  document::Value with_object_properties(const document::Value& schema);
  document::Value embedded_properties(const document::Value& schema);
  document::Value referring(const std::string& name);
  [[nodiscard]] document::Value schema_of(const std::string& name);

  /// A custom kind, or the kind of its lists.
  struct Custom {
    std::shared_ptr<const schema::Resource> resource;
    bool is_list = false;
  };

  const schema::Catalog& catalog_;
  OpenApiVersion version_;
  std::map<std::string, Custom> customs_;                                     // by name
  std::map<std::string, std::vector<schema::GroupVersionKind>> named_kinds_;  // by the name of their type
  std::set<std::string> asked_;
  std::vector<std::string> waiting_;
};

}  // namespace loadline::api
