#include "recorded_decisions/recorded_case.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "foundation/document/reader.h"
#include "recorded_decisions/fields.h"
#include "recorded_decisions/recorded_attempt.h"
#include "recorded_decisions/recorded_objects.h"

namespace loadline::recorded_decisions {
namespace {

using document::Value;

Result<Value> read_json(std::string_view text, const std::string& name) {
  document::Reading reading = document::read_json(text, name);
  if (!reading.problems.empty()) return failure(reading.problems.front().to_string());
  if (reading.documents.size() != 1) return failure(name + ": expected one JSON document");
  return std::move(reading.documents.front());
}

Result<NamedDocument> read_json_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(path + ": cannot be read");
  std::ostringstream content;
  content << file.rdbuf();
  Result<Value> value = read_json(content.str(), path);
  if (!value) return tl::unexpected(value.error());
  return NamedDocument{std::move(*value), path};
}

/// The root of a document that must be an object.
Fields root_of(const NamedDocument& document, Fault& fault) {
  fault.file = document.name;
  Fields root(document.value, fault);
  if (!root.is_object()) root.blame("expected an object");
  return root;
}

}  // namespace

Result<RecordedCase> read_case(const NamedDocument& input, const NamedDocument& expected) {
  RecordedCase recorded;
  Fault fault;
  const Fields seen = root_of(input, fault);
  recorded.name = seen.member("name").text();
  read_input(seen, recorded);
  if (!fault.none()) return failure(fault.message);
  read_expected(root_of(expected, fault), recorded);
  if (!fault.none()) return failure(fault.message);
  return recorded;
}

Result<RecordedCase> load_case(const std::string& folder) {
  const Result<NamedDocument> input = read_json_file(folder + "/input.json");
  if (!input) return tl::unexpected(input.error());
  const Result<NamedDocument> expected = read_json_file(folder + "/expected.json");
  if (!expected) return tl::unexpected(expected.error());
  return read_case(*input, *expected);
}

Result<RecordedCase> parse_case(std::string_view text, const std::string& source) {
  const Result<Value> value = read_json(text, source);
  if (!value) return tl::unexpected(value.error());
  const auto part = [&](std::string_view key) {
    const Value* found = value->find(key);
    return NamedDocument{found == nullptr ? Value() : *found, source + ": " + std::string(key)};
  };
  Result<RecordedCase> recorded = read_case(part("input"), part("expected"));
  if (!recorded) return recorded;
  Fault fault{source, {}};
  const std::string name = Fields(*value, fault).member("name").text();
  if (!fault.none()) return failure(fault.message);
  if (!name.empty()) recorded->name = name;
  return recorded;
}

std::string name_of_case(std::string_view text) {
  const document::Reading reading = document::read_json(text, {});
  if (reading.documents.empty()) return {};
  const Value* name = reading.documents.front().find("name");
  return name != nullptr && name->is_string() ? name->string() : std::string();
}

}  // namespace loadline::recorded_decisions
