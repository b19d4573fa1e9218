#include "server/apiserver/admission/namespace_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::array<std::string_view, 3> kImmortal = {"default", "kube-system", "kube-public"};

StatusError terminating(const Call& call, std::string_view name) {
  StatusError failure = forbidden(
      call.group_resource(), name,
      fmt::format("unable to create new content in namespace {} because it is being terminated", call.name_space));
  failure.causes.push_back(
      {"NamespaceTerminating", fmt::format("namespace {} is being terminated", call.name_space), "metadata.namespace"});
  return failure;
}

}  // namespace

// What is created is turned away before anything else is asked of it.
Answer<Value> NamespaceLifecycle::complete(const AdmissionRequest& request, Value object) {
  const Call& call = request.call;
  if (request.operation != AdmissionRequest::Operation::kCreate || !call.resource().is_namespaced) return object;
  const store::ObjectPtr name_space = store_.get({"namespaces", "", call.name_space});
  if (name_space == nullptr) return refuse(not_found({"", "namespaces"}, call.name_space));
  if (is_being_deleted(name_space->document())) return refuse(terminating(call, name_of(object)));
  return object;
}

Answer<void> NamespaceLifecycle::review(const AdmissionRequest& request, const Value& /*object*/) {
  const Call& call = request.call;
  if (request.operation != AdmissionRequest::Operation::kDelete || call.served->store_name != "namespaces") return {};
  if (std::find(kImmortal.begin(), kImmortal.end(), call.name) == kImmortal.end()) return {};
  return refuse(forbidden(call.group_resource(), call.name, "this namespace may not be deleted"));
}

}  // namespace loadline::apiserver
