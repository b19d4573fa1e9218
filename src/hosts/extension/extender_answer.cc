#include "hosts/extension/extender_answer.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "foundation/document/reader.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::extension {

using document::Member;
using document::Value;
using placement::ExtenderFilterAnswer;
using placement::ExtenderScore;
using placement::ExtenderVictims;

namespace {

tl::unexpected<Error> mistyped(std::string_view field, std::string_view expected, const Value& value) {
  return failure(fmt::format("{}: expected {}, got {}", field, expected, value.type_name()));
}

Result<Value> parse(std::string_view json) {
  document::Reading reading = document::read_json(json, "");
  if (!reading.problems.empty()) return failure("not JSON: " + reading.problems.front().message);
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) return failure("it is empty");
  if (reading.documents.empty()) return Value();  // null, which the reader skips
  return std::move(reading.documents.front());
}

/// The member of that name, in any case if none is spelt so; null if there is none, or it is null.
const Value* find(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  if (found == nullptr) {
    for (const Member& member : object.object()) {
      if (kube::lower_case(member.key) == kube::lower_case(name)) found = &member.value;
    }
  }
  return found == nullptr || found->is_null() ? nullptr : found;
}

Result<std::string> read_text(const Value& object, std::string_view name) {
  const Value* value = find(object, name);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return mistyped(name, "a string", *value);
  return value->string();
}

Result<std::int64_t> read_integer(const Value& object, std::string_view name) {
  const Value* value = find(object, name);
  if (value == nullptr) return std::int64_t{0};
  if (!value->is_integer()) return mistyped(name, "a whole number", *value);
  return value->integer();
}

/// Null is an empty object.
Result<Value> parse_result(std::string_view json) {
  Result<Value> value = parse(json);
  if (!value) return value;
  if (value->is_null()) return Value(document::Object());
  if (!value->is_object()) return mistyped("the answer", "an object", *value);
  return value;
}

Result<ExtenderFilterAnswer::Rejections> read_rejections(const Value& result, std::string_view name) {
  ExtenderFilterAnswer::Rejections rejections;
  const Value* value = find(result, name);
  if (value == nullptr) return rejections;
  if (!value->is_object()) return mistyped(name, "an object", *value);
  for (const Member& member : value->object()) {
    if (!member.value.is_string() && !member.value.is_null()) return mistyped(name, "strings", member.value);
    rejections[member.key] = member.value.is_string() ? member.value.string() : "";
  }
  return rejections;
}

Result<std::vector<std::string>> read_names(const Value& list) {
  std::vector<std::string> names;
  if (!list.is_array()) return mistyped("NodeNames", "a list of strings", list);
  for (const Value& name : list.array()) {
    if (!name.is_string()) return mistyped("NodeNames", "a list of strings", name);
    names.push_back(name.string());
  }
  return names;
}

/// The names in a NodeList.
Result<std::vector<std::string>> read_nodes(const Value& list) {
  std::vector<std::string> names;
  if (!list.is_object()) return mistyped("Nodes", "an object", list);
  const Value* items = find(list, "items");
  if (items == nullptr) return names;
  if (!items->is_array()) return mistyped("Nodes.items", "a list", *items);
  for (const Value& node : items->array()) {
    if (!node.is_object()) return mistyped("Nodes.items", "objects", node);
    const Value* metadata = find(node, "metadata");
    if (metadata != nullptr && !metadata->is_object()) return mistyped("Nodes.items.metadata", "an object", *metadata);
    Result<std::string> name = metadata == nullptr ? std::string() : read_text(*metadata, "name");
    if (!name) return tl::unexpected(name.error());
    names.push_back(*std::move(name));
  }
  return names;
}

Result<ExtenderVictims> read_victims(const Value& value) {
  ExtenderVictims victims;
  if (value.is_null()) return victims;
  if (!value.is_object()) return mistyped("NodeNameToMetaVictims", "objects", value);
  const Result<std::int64_t> violations = read_integer(value, "NumPDBViolations");
  if (!violations) return tl::unexpected(violations.error());
  victims.budget_violations = *violations;
  const Value* pods = find(value, "Pods");
  if (pods == nullptr) return victims;
  if (!pods->is_array()) return mistyped("Pods", "a list", *pods);
  for (const Value& pod : pods->array()) {
    if (!pod.is_object()) return mistyped("Pods", "objects", pod);
    Result<std::string> uid = read_text(pod, "UID");
    if (!uid) return tl::unexpected(uid.error());
    victims.uids.push_back(*std::move(uid));
  }
  return victims;
}

}  // namespace

Result<FilterResult> decode_filter_answer(std::string_view json, NodeCache cache) {
  const Result<Value> result = parse_result(json);
  if (!result) return tl::unexpected(result.error());
  FilterResult decoded;
  ExtenderFilterAnswer& answer = decoded.answer;
  const Value* names = find(*result, "NodeNames");
  const Value* nodes = find(*result, "Nodes");
  Result<std::vector<std::string>> kept;
  if (cache == NodeCache::kCapable && names != nullptr) {
    kept = read_names(*names);
  } else if (nodes != nullptr) {
    kept = read_nodes(*nodes);
    answer.whole_nodes = true;
  }
  Result<ExtenderFilterAnswer::Rejections> failed = read_rejections(*result, "FailedNodes");
  Result<ExtenderFilterAnswer::Rejections> unresolvable = read_rejections(*result, "FailedAndUnresolvableNodes");
  Result<std::string> error = read_text(*result, "Error");
  if (!kept) return tl::unexpected(kept.error());
  if (!failed) return tl::unexpected(failed.error());
  if (!unresolvable) return tl::unexpected(unresolvable.error());
  if (!error) return tl::unexpected(error.error());
  answer.nodes = *std::move(kept);
  answer.failed = *std::move(failed);
  answer.failed_and_unresolvable = *std::move(unresolvable);
  decoded.error = *std::move(error);
  return decoded;
}

Result<std::vector<ExtenderScore>> decode_prioritize_answer(std::string_view json) {
  const Result<Value> list = parse(json);
  if (!list) return tl::unexpected(list.error());
  std::vector<ExtenderScore> scores;
  if (list->is_null()) return scores;
  if (!list->is_array()) return mistyped("the answer", "a list", *list);
  for (const Value& entry : list->array()) {
    if (!entry.is_object()) return mistyped("the answer", "a list of objects", entry);
    Result<std::string> host = read_text(entry, "Host");
    const Result<std::int64_t> score = read_integer(entry, "Score");
    if (!host) return tl::unexpected(host.error());
    if (!score) return tl::unexpected(score.error());
    scores.push_back({*std::move(host), *score});
  }
  return scores;
}

Result<std::map<std::string, ExtenderVictims>> decode_preemption_answer(std::string_view json) {
  const Result<Value> result = parse_result(json);
  if (!result) return tl::unexpected(result.error());
  std::map<std::string, ExtenderVictims> answer;
  const Value* nodes = find(*result, "NodeNameToMetaVictims");
  if (nodes == nullptr) return answer;
  if (!nodes->is_object()) return mistyped("NodeNameToMetaVictims", "an object", *nodes);
  for (const Member& member : nodes->object()) {
    Result<ExtenderVictims> victims = read_victims(member.value);
    if (!victims) return tl::unexpected(victims.error());
    answer[member.key] = *std::move(victims);
  }
  return answer;
}

Result<std::string> decode_binding_answer(std::string_view json) {
  const Result<Value> result = parse_result(json);
  if (!result) return tl::unexpected(result.error());
  return read_text(*result, "Error");
}

}  // namespace loadline::extension
