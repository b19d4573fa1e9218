#include "apiserver/admission/runtime_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/admission/refusal.h"
#include "apiserver/admission/spec_edit.h"
#include "document/at.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::find_at;
using document::text_at;
using document::Value;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

bool concerns_runtime_class(const AdmissionRequest& request) {
  return request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty() &&
         request.call.served->store_name == "pods";
}

const Value* overhead_of(const Value& pod) {
  const Value* overhead = find_at(pod, {"spec", "overhead"});
  return overhead == nullptr || overhead->is_null() ? nullptr : overhead;
}

/// A toleration, and what it says.
struct Toleration {
  explicit Toleration(const Value& written)
      : document(written),
        key(text_at(written, {"key"})),
        op(text_at(written, {"operator"})),
        value(text_at(written, {"value"})),
        effect(text_at(written, {"effect"})) {
    const Value* limit = written.find("tolerationSeconds");
    if (limit != nullptr && limit->is_integer()) seconds = limit->integer();
  }

  Value document;  // what the texts are parts of
  std::string_view key;
  std::string_view op;
  std::string_view value;
  std::string_view effect;
  std::optional<std::int64_t> seconds;

  friend bool operator==(const Toleration& a, const Toleration& b) {
    return a.key == b.key && a.op == b.op && a.value == b.value && a.effect == b.effect && a.seconds == b.seconds;
  }
};

/// Whether `wide` tolerates all that `narrow` does.
bool covers(const Toleration& wide, const Toleration& narrow) {
  if (wide == narrow) return true;
  if (wide.key != narrow.key && (!wide.key.empty() || wide.op != "Exists")) return false;
  if (wide.effect != narrow.effect && !wide.effect.empty()) return false;
  if (wide.effect == "NoExecute" && wide.seconds && (!narrow.seconds || *narrow.seconds > *wide.seconds)) return false;
  if (wide.op == "Exists") return true;
  return (wide.op == "Equal" || wide.op.empty()) && narrow.op == "Equal" && narrow.value == wide.value;
}

void append(std::vector<Toleration>& tolerations, const Value* written) {
  if (written == nullptr || !written->is_array()) return;
  for (const Value& toleration : written->array()) tolerations.emplace_back(toleration);
}

/// Both, without those that another one covers; of equal ones the first.
Array merged(const Value* first, const Value* second) {
  std::vector<Toleration> all;
  append(all, first);
  append(all, second);
  std::vector<const Toleration*> kept;
  for (std::size_t index = 0; index < all.size(); ++index) {
    const Toleration& toleration = all[index];
    const bool is_covered =
        std::any_of(kept.begin(), kept.end(), [&](const Toleration* by) { return covers(*by, toleration); }) ||
        std::any_of(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, all.end(),
                    [&](const Toleration& by) { return !(by == toleration) && covers(by, toleration); });
    if (!is_covered) kept.push_back(&toleration);
  }
  Array result;
  for (const Toleration* toleration : kept) result.push_back(toleration->document);
  return result;
}

Answer<Value> with_scheduling(const Call& call, Value pod, const Value& scheduling) {
  const Value* selector = find_at(pod, {"spec", "nodeSelector"});
  Value nodes = selector != nullptr && selector->is_object() ? *selector : Value(document::Object{});
  if (const Value* wanted = scheduling.find("nodeSelector"); wanted != nullptr && wanted->is_object()) {
    for (const document::Member& member : wanted->object()) {
      const std::string_view value = text_at(*wanted, {member.key});
      const Value* own = nodes.find(member.key);
      if (own != nullptr && own->is_string() && own->string() != value) {
        return refuse(refusal(
            call, pod,
            fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; pod.spec.nodeSelector[{}] = {}",
                        member.key, value, member.key, own->string())));
      }
      nodes = nodes.with(member.key, member.value);
    }
  }
  std::vector<std::pair<std::string_view, Value>> changes;
  if (!nodes.object().empty()) changes.emplace_back("nodeSelector", std::move(nodes));
  Array tolerations = merged(find_at(pod, {"spec", "tolerations"}), scheduling.find("tolerations"));
  if (!tolerations.empty()) changes.emplace_back("tolerations", Value(std::move(tolerations)));
  return with_spec(pod, std::move(changes));
}

}  // namespace

Answer<Value> RuntimeClass::class_of(const Call& call, const Value& pod) const {
  const Value* name = find_at(pod, {"spec", "runtimeClassName"});
  if (name == nullptr || !name->is_string()) return Value();
  const store::ObjectPtr found = store_.get({"runtimeclasses.node.k8s.io", "", name->string()});
  if (found != nullptr) return found->document();
  return refuse(refusal(call, pod, fmt::format("pod rejected: RuntimeClass \"{}\" not found", name->string())));
}

Answer<Value> RuntimeClass::complete(const AdmissionRequest& request, Value object) {
  if (!concerns_runtime_class(request)) return object;
  const Answer<Value> runtime_class = class_of(request.call, object);
  if (!runtime_class) return refuse(runtime_class.error());
  if (runtime_class->find("overhead") != nullptr) {
    const Value* fixed = find_at(*runtime_class, {"overhead", "podFixed"});
    const kube::ResourceList own = read_amounts(overhead_of(object));
    if (!own.empty() && own != read_amounts(fixed)) return refuse(refusal(request.call, object, kOtherOverhead));
    if (fixed != nullptr) object = with_spec(object, {{"overhead", *fixed}});
  }
  const Value* scheduling = runtime_class->find("scheduling");
  if (scheduling == nullptr || !scheduling->is_object()) return object;
  return with_scheduling(request.call, std::move(object), *scheduling);
}

Answer<void> RuntimeClass::review(const AdmissionRequest& request, const Value& object) {
  if (!concerns_runtime_class(request)) return {};
  const Answer<Value> runtime_class = class_of(request.call, object);
  if (!runtime_class) return refuse(runtime_class.error());
  if (runtime_class->find("overhead") == nullptr) {
    if (overhead_of(object) == nullptr) return {};
    return refuse(refusal(request.call, object,
                          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"));
  }
  if (read_amounts(overhead_of(object)) == read_amounts(find_at(*runtime_class, {"overhead", "podFixed"}))) return {};
  return refuse(refusal(request.call, object, kOtherOverhead));
}

}  // namespace loadline::apiserver
