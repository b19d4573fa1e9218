#include "objects/schema/custom/definitions.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/reader.h"
#include "objects/schema/embedded.h"

namespace loadline::schema {
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

constexpr std::string_view kFolder = "crds/";
constexpr std::string_view kExtension = ".json";
constexpr std::string_view kSchemas = "crds/schemas.json";
constexpr std::string_view kSources = "crds/sources.json";
constexpr std::string_view kOwn = "loadline";

Value read_one(std::string_view text) {
  const document::Reading reading = document::read_json(text, "built-in definitions");
  REQUIRES(reading.problems.empty() && reading.documents.size() == 1);
  return reading.documents.front();
}

}  // namespace

BuiltInDefinitions::BuiltInDefinitions() {
  const Value sources = read_one(embedded_text(kSources));
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with(kFolder) || file.name == kSchemas || file.name == kSources) continue;
    std::string_view project = file.name.substr(kFolder.size());
    project.remove_suffix(kExtension.size());
    const Value definitions = read_one(embedded_text(file.name));
    for (const Value& outline : definitions.array()) {
      const std::string& name = outline.find("metadata")->find("name")->string();
      const Value* source = sources.find(name);
      REQUIRES(source != nullptr || project == kOwn);
      entries_.push_back({std::string(project), name, source == nullptr ? std::string() : source->string(), outline});
    }
  }
}

Value BuiltInDefinitions::definition(std::string_view name) {
  const auto entry = std::ranges::find(entries_, name, &Entry::name);
  if (entry == entries_.end()) return {};
  if (text_.empty()) index_schemas();
  return expand(entry->outline);
}

/// The table has one schema a line: `"1a2b3c4d":{…},` between a line `{` and a line `}`.
void BuiltInDefinitions::index_schemas() {
  text_ = embedded_text(kSchemas);
  std::string_view rest = text_;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t colon = line.find("\":");
    if (colon == std::string_view::npos) continue;
    if (line.ends_with(',')) line.remove_suffix(1);
    lines_.emplace(line.substr(1, colon - 1), line.substr(colon + 2));
  }
}

Value BuiltInDefinitions::expand(const Value& value) {
  if (value.is_array()) {
    Array elements;
    elements.reserve(value.array().size());
    for (const Value& element : value.array()) elements.push_back(expand(element));
    return Value(std::move(elements));
  }
  if (!value.is_object()) return value;
  const Value* reference = value.find("$ref");
  if (reference != nullptr && reference->is_string()) return shared(reference->string());
  Object members;
  members.reserve(value.object().size());
  for (const Member& member : value.object()) members.push_back({member.key, expand(member.value), {}});
  return Value(std::move(members));
}

/// Schemas refer to smaller ones only, so this ends.
Value BuiltInDefinitions::shared(const std::string& name) {
  if (const auto known = expanded_.find(name); known != expanded_.end()) return known->second;
  const auto line = lines_.find(name);
  REQUIRES(line != lines_.end());
  Value whole = expand(read_one(line->second));
  expanded_.emplace(name, whole);
  return whole;
}

}  // namespace loadline::schema
