#include "apiserver/admission/spec_edit.h"

#include <algorithm>
#include <string>

#include "kube/encoder.h"

namespace loadline::apiserver {

using document::Member;
using document::Object;
using document::Value;

Value with_spec(const Value& object, std::vector<std::pair<std::string_view, Value>> changes) {
  const Value* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return object;
  Object members;
  members.reserve(spec->object().size() + changes.size());
  members = spec->object();
  for (auto& [name, value] : changes) {
    const auto found =
        std::find_if(members.begin(), members.end(), [key = name](const Member& member) { return member.key == key; });
    if (found == members.end()) {
      members.push_back({std::string(name), std::move(value), {}});
    } else {
      found->value = std::move(value);
    }
  }
  return object.with("spec", Value(std::move(members)));
}

kube::ResourceList read_amounts(const Value* amounts) {
  kube::ResourceList result;
  if (amounts == nullptr || !amounts->is_object()) return result;
  for (const Member& member : amounts->object()) {
    std::string text;
    if (member.value.is_string()) text = member.value.string();
    if (member.value.is_integer()) text = std::to_string(member.value.integer());
    if (const auto amount = kube::Quantity::parse(text)) result.emplace(member.key, *amount);
  }
  return result;
}

Value write_amounts(const kube::ResourceList& amounts) {
  Object members;
  members.reserve(amounts.size());
  for (const auto& [name, amount] : amounts) members.push_back({name, kube::encode_scalar(amount), {}});
  return Value(std::move(members));
}

}  // namespace loadline::apiserver
