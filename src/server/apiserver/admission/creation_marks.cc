#include "server/apiserver/admission/creation_marks.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kNoSchedule = "NoSchedule";

constexpr std::pair<std::string_view, std::string_view> kFinalizers[] = {
    {"persistentvolumeclaims", "kubernetes.io/pvc-protection"},
    {"persistentvolumes", "kubernetes.io/pv-protection"},
    {"volumeattributesclasses.storage.k8s.io", "kubernetes.io/vac-protection"}};

bool creates(const AdmissionRequest& request) {
  return request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty();
}

bool is_not_ready_taint(const Value& taint) {
  return document::text_at(taint, {"key"}) == kNotReady && document::text_at(taint, {"effect"}) == kNoSchedule;
}

}  // namespace

Answer<Value> TaintNodesByCondition::complete(const AdmissionRequest& request, Value object) {
  if (!creates(request) || request.call.served->store_name != "nodes") return object;
  if (object.find("spec") == nullptr) object = object.with("spec", Value(document::Object{}));
  const Value* written = document::find_at(object, {"spec", "taints"});
  document::Array taints;
  if (written != nullptr && written->is_array()) taints = written->array();
  if (std::any_of(taints.begin(), taints.end(), is_not_ready_taint)) return object;
  taints.push_back(Value(document::Object{{"key", Value(kNotReady), {}}, {"effect", Value(kNoSchedule), {}}}));
  return with_spec(object, {{"taints", Value(std::move(taints))}});
}

Answer<Value> StorageObjectInUseProtection::complete(const AdmissionRequest& request, Value object) {
  if (!creates(request)) return object;
  for (const auto& [resource, finalizer] : kFinalizers) {
    if (request.call.served->store_name != resource) continue;
    std::vector<std::string_view> names = finalizers_of(object);
    if (std::find(names.begin(), names.end(), finalizer) != names.end()) return object;
    names.push_back(finalizer);
    return with_finalizers(object, names);
  }
  return object;
}

}  // namespace loadline::apiserver
