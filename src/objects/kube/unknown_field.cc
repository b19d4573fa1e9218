#include "objects/kube/unknown_field.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "foundation/base/closest.h"

namespace loadline::kube {

namespace {

/// How far below an object a misplaced field is looked for: a Deployment's pod fields stand three objects down.
constexpr int kSearchDepth = 4;

std::string in_enclosing_object(std::string_view name, const Path& path) {
  for (const Path* above = path.parent(); above != nullptr; above = above->parent()) {
    if (above->schema() == nullptr || above->schema()->find(name) == nullptr) continue;
    const std::string place = above->text();
    return "\"" + std::string(name) + "\" belongs to " + (place.empty() ? "the object itself" : "\"" + place + "\"") +
           ": indent it less";
  }
  return {};
}

/// The path from `schema` down to the nearest object that has a field `name`, or nothing.
std::string below(std::string_view name, const Schema& schema, int depth) {
  if (depth == 0) return {};
  for (const Field& row : schema.fields()) {
    if (row.type.shape != FieldType::kObject || row.type.multiplicity == Multiplicity::kMap) continue;
    if (row.type.schema->find(name) == nullptr) continue;
    return std::string(row.name) + (row.type.multiplicity == Multiplicity::kList ? "[]" : "");
  }
  for (const Field& row : schema.fields()) {
    if (row.type.shape != FieldType::kObject || row.type.multiplicity == Multiplicity::kMap || row.name == "status")
      continue;
    const std::string rest = below(name, *row.type.schema, depth - 1);
    if (rest.empty()) continue;
    return std::string(row.name) + (row.type.multiplicity == Multiplicity::kList ? "[]." : ".") + rest;
  }
  return {};
}

std::string in_object_below(std::string_view name, const Path& path, const Schema& schema) {
  // The shallowest place wins, so each depth is searched before the next.
  for (int depth = 1; depth <= kSearchDepth; ++depth) {
    const std::string place = below(name, schema, depth);
    if (place.empty()) continue;
    const std::string here = path.text();
    return fmt::format("\"{}\" belongs to \"{}{}{}\"", name, here, here.empty() ? "" : ".", place);
  }
  return {};
}

/// The commonest slip of all: amounts directly below "resources".
std::string in_both_amounts(std::string_view name, const Schema& schema) {
  const Field* requests = schema.find("requests");
  if (requests == nullptr || schema.find("limits") == nullptr) return {};
  if (requests->type.shape != FieldType::kQuantity || schema.find(name) != nullptr) return {};
  return "\"" + std::string(name) + "\" belongs to \"requests\" or \"limits\"";
}

std::string hint_for(std::string_view name, const Path& path, const Schema& schema) {
  std::vector<std::string_view> names;
  for (const Field& row : schema.fields()) names.push_back(row.name);
  const std::string_view nearest = closest(name, names);
  if (!nearest.empty()) return "did you mean \"" + std::string(nearest) + "\"?";
  if (std::string hint = in_both_amounts(name, schema); !hint.empty()) return hint;
  if (std::string hint = in_enclosing_object(name, path); !hint.empty()) return hint;
  return in_object_below(name, path, schema);
}

}  // namespace

void report_unknown_field(Decoder& decoder, const document::Member& member, const Path& path, const Schema& schema) {
  const std::string place = Path(path, member.key).text();
  decoder.report(member.mark, place, "unknown field " + quoted(place), hint_for(member.key, path, schema));
}

}  // namespace loadline::kube
