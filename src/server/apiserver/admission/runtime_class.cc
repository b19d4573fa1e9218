#include "server/apiserver/admission/runtime_class.h"

#include <string>
#include <utility>
#include <vector>

#include "brain/admission/runtime_class.h"
#include "foundation/document/at.h"
#include "objects/kube/node/runtime_class_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/admission/spec_edit.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::find_at;
using document::text_at;
using document::Value;

bool concerns_runtime_class(const AdmissionRequest& request) {
  return request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty() &&
         request.call.served->store_name == "pods";
}

const Value* overhead_of(const Value& pod) {
  const Value* overhead = find_at(pod, {"spec", "overhead"});
  return overhead == nullptr || overhead->is_null() ? nullptr : overhead;
}

kube::RuntimeClass typed_class(const Value& runtime_class) {
  return kube::view<kube::RuntimeClass>(runtime_class, kube::kRuntimeClassSchema).object;
}

kube::StringMap selector_of(const Value& pod) {
  kube::StringMap labels;
  const Value* selector = find_at(pod, {"spec", "nodeSelector"});
  if (selector == nullptr || !selector->is_object()) return labels;
  for (const document::Member& member : selector->object()) {
    if (member.value.is_string()) labels.insert_or_assign(member.key, std::string(member.value.string()));
  }
  return labels;
}

admission::TolerationText text_of(const Value& toleration) {
  admission::TolerationText text{text_at(toleration, {"key"}),
                                 text_at(toleration, {"operator"}),
                                 text_at(toleration, {"value"}),
                                 text_at(toleration, {"effect"}),
                                 {}};
  const Value* limit = toleration.find("tolerationSeconds");
  if (limit != nullptr && limit->is_integer()) text.seconds = limit->integer();
  return text;
}

void append(Array& all, const Value* written) {
  if (written != nullptr && written->is_array())
    all.insert(all.end(), written->array().begin(), written->array().end());
}

/// The tolerations as their authors wrote them, without those that another one covers.
Array merged_documents(const Value* own, const Value* more) {
  Array all;
  append(all, own);
  append(all, more);
  std::vector<admission::TolerationText> texts;
  for (const Value& each : all) texts.push_back(text_of(each));
  Array kept;
  for (const std::size_t place : admission::merged_tolerations(texts)) kept.push_back(all[place]);
  return kept;
}

}  // namespace

Answer<Value> RuntimeClass::class_of(const Call& call, const Value& pod) const {
  const Value* name = find_at(pod, {"spec", "runtimeClassName"});
  if (name == nullptr || !name->is_string()) return Value();
  const store::ObjectPtr found = store_.get({"runtimeclasses.node.k8s.io", "", name->string()});
  if (found != nullptr) return found->document();
  return refuse(refusal(call, pod, admission::no_runtime_class(name->string())));
}

Answer<Value> RuntimeClass::complete(const AdmissionRequest& request, Value object) {
  if (!concerns_runtime_class(request)) return object;
  const Answer<Value> document = class_of(request.call, object);
  if (!document) return refuse(document.error());
  if (document->is_null()) return object;
  const kube::RuntimeClass runtime_class = typed_class(*document);
  const auto wrong = admission::judge_own_overhead(read_amounts(overhead_of(object)), runtime_class);
  if (wrong) return refuse(refusal(request.call, object, *wrong));

  std::vector<std::pair<std::string_view, Value>> changes;
  const Value* fixed = find_at(*document, {"overhead", "podFixed"});
  if (runtime_class.overhead && fixed != nullptr) changes.emplace_back("overhead", *fixed);
  if (runtime_class.scheduling) {
    kube::StringMap selector = selector_of(object);
    const auto conflict = admission::add_node_selector(selector, *runtime_class.scheduling);
    if (conflict) return refuse(refusal(request.call, object, *conflict));
    document::Object labels;
    for (const auto& [key, value] : selector) labels.push_back({key, Value(value), {}});
    if (!labels.empty()) changes.emplace_back("nodeSelector", Value(std::move(labels)));
    Array tolerations =
        merged_documents(find_at(object, {"spec", "tolerations"}), find_at(*document, {"scheduling", "tolerations"}));
    if (!tolerations.empty()) changes.emplace_back("tolerations", Value(std::move(tolerations)));
  }
  return with_spec(std::move(object), std::move(changes));
}

Answer<void> RuntimeClass::review(const AdmissionRequest& request, const Value& object) {
  if (!concerns_runtime_class(request)) return {};
  const Value* overhead = overhead_of(object);
  const Value* name = find_at(object, {"spec", "runtimeClassName"});
  if (overhead == nullptr && name == nullptr) return {};  // as with nearly every pod
  const Answer<Value> document = class_of(request.call, object);
  if (!document) return refuse(document.error());
  const kube::ResourceList amounts = read_amounts(overhead);
  const kube::RuntimeClass runtime_class = document->is_null() ? kube::RuntimeClass() : typed_class(*document);
  const auto wrong = admission::judge_overhead(overhead == nullptr ? nullptr : &amounts,
                                               document->is_null() ? nullptr : &runtime_class);
  if (wrong) return refuse(refusal(request.call, object, *wrong));
  return {};
}

}  // namespace loadline::apiserver
