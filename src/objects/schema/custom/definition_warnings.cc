#include "objects/schema/custom/definition_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "objects/schema/cel/program.h"
#include "objects/schema/custom/schema_members.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::Value;

class WarningCollector {
 public:
  void visit(const Value& schema, const std::string& path) {
    warn_of_expressions(schema, path);
    warn_of_format(schema);
    for (const std::string_view name : {"properties", "additionalProperties", "items", "not"}) {
      const Value* child = schema.find(name);
      if (child == nullptr || !child->is_object()) continue;
      const std::string at = path + '.' + std::string(name);
      if (name != "properties") {
        visit(*child, at);
        continue;
      }
      for (const Member& property : child->object()) visit(property.value, at + '[' + property.key + ']');
    }
    for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
      const Value* list = schema.find(name);
      if (list == nullptr || !list->is_array()) continue;
      for (std::size_t i = 0; i < list->array().size(); ++i) {
        visit(list->array()[i], fmt::format("{}.{}[{}]", path, name, i));
      }
    }
  }

  std::vector<std::string> warnings;

 private:
  void warn_of_expressions(const Value& schema, const std::string& path) {
    const Value* list = schema.find("x-kubernetes-validations");
    if (list == nullptr || !list->is_array()) return;
    for (std::size_t i = 0; i < list->array().size(); ++i) {
      for (const std::string_view part : {"rule", "messageExpression"}) {
        const std::string source = text_of(list->array()[i], part);
        if (source.empty()) continue;
        const auto program = cel::compile(source);
        if (program) continue;
        warnings.push_back(fmt::format("{}.x-kubernetes-validations[{}].{}: {} is not evaluated: {}", path, i, part,
                                       quoted(source), program.error().message));
      }
    }
  }

  void warn_of_format(const Value& schema) {
    const std::string format = text_of(schema, "format");
    if (format.empty() || is_known_format(format, text_of(schema, "type"))) return;
    std::string warning = "unrecognized format " + quoted(format);
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
  }
};

}  // namespace

std::vector<std::string> definition_warnings(const Value& definition) {
  WarningCollector collector;
  const document::Array& versions = list_of(member_or_empty(definition, "spec"), "versions");
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Value& schema = schema_of_version(versions[i]);
    collector.visit(schema, fmt::format("spec.versions[{}].schema.openAPIV3Schema", i));
  }
  return std::move(collector.warnings);
}

}  // namespace loadline::schema
