#include "server/apiserver/admission/spec_edit.h"

#include <string>

#include "objects/kube/encoder.h"

namespace loadline::apiserver {

using document::Member;
using document::Object;
using document::Value;

Value with_spec(Value object, std::vector<std::pair<std::string_view, Value>> changes) {
  const Value* present = object.find("spec");
  if (present == nullptr || !present->is_object()) return object;
  return std::move(object).with_changed("spec", [&changes](Value spec) {
    for (auto& [name, value] : changes) spec = std::move(spec).with(name, std::move(value));
    return spec;
  });
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
