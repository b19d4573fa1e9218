#include "server/apiserver/kinds/stored_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";

bool is_frozen(const Value& object) {
  const Value* immutable = object.find("immutable");
  return immutable != nullptr && immutable->is_boolean() && immutable->boolean();
}

}  // namespace

void check_keys(kube::FieldErrors& errors, std::string_view path, const Value& data, const Value* taken) {
  if (!data.is_object()) return;
  for (const document::Member& member : data.object()) {
    const std::string place = fmt::format("{}[{}]", path, member.key);
    for (const std::string& problem : kube::config_map_key_problems(member.key)) {
      errors.push_back(invalid_field(place, Value(member.key), problem));
    }
    if (taken != nullptr && taken->find(member.key) != nullptr) {
      errors.push_back(invalid_field(place, Value(member.key), "duplicate of key present in binaryData"));
    }
  }
}

std::size_t text_bytes(const Value& data) {
  std::size_t bytes = 0;
  if (!data.is_object()) return bytes;
  for (const document::Member& member : data.object()) {
    if (member.value.is_string()) bytes += member.value.string().size();
  }
  return bytes;
}

std::size_t decoded_bytes(const Value& data) {
  std::size_t bytes = 0;
  if (!data.is_object()) return bytes;
  for (const document::Member& member : data.object()) {
    if (!member.value.is_string()) continue;
    const std::string& text = member.value.string();
    const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
    bytes += text.size() / 4 * 3 - std::min(padding, text.size() / 4 * 3);
  }
  return bytes;
}

kube::FieldError too_much_data(std::string path) {
  return {std::move(path), fmt::format("Too long: may not be more than {} bytes", kMostDataBytes), {}};
}

void check_frozen(kube::FieldErrors& errors, const Value& object, const Value& old,
                  std::initializer_list<std::string_view> parts) {
  if (!is_frozen(old)) return;
  if (!is_frozen(object)) errors.push_back(forbidden_field("immutable", kFrozen));
  for (const std::string_view part : parts) {
    if (!same_at(object, old, {part})) errors.push_back(forbidden_field(std::string(part), kFrozen));
  }
}

}  // namespace loadline::apiserver
