#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

/// Why a pod cannot be bound, in upstream's words; empty: it can.
std::string obstacle(const Value& pod, std::string_view name) {
  if (is_being_deleted(pod)) return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  const std::string_view node = document::text_at(pod, {"spec", "nodeName"});
  if (!node.empty()) return fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  const Value* gates = document::find_at(pod, {"spec", "schedulingGates"});
  if (gates != nullptr && gates->is_array() && !gates->array().empty()) {
    return fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  }
  return {};
}

/// With the condition that a bound pod has: PodScheduled, True. It stays where it is; its time is that of the change.
Value with_scheduled_condition(const Value& pod, Instant now) {
  const Value* before = document::find_at(pod, {"status", "conditions"});
  document::Array conditions = before != nullptr && before->is_array() ? before->array() : document::Array();
  const auto found = std::find_if(conditions.begin(), conditions.end(), [](const Value& condition) {
    return document::text_at(condition, {"type"}) == "PodScheduled";
  });
  Value since(format_rfc3339(now));
  if (found != conditions.end() && document::text_at(*found, {"status"}) == "True") {
    const Value* known = found->find("lastTransitionTime");
    since = known == nullptr ? Value() : *known;
  }
  Value condition(Object{{"type", Value("PodScheduled"), {}},
                         {"status", Value("True"), {}},
                         {"lastProbeTime", Value(), {}},
                         {"lastTransitionTime", std::move(since), {}}});
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
  } else {
    *found = std::move(condition);
  }
  return document::with_at(pod, {"status", "conditions"}, Value(std::move(conditions)));
}

/// A pod that has a node needs no nomination any more.
Value without_nomination(const Value& pod) {
  const Value* status = pod.find("status");
  return status == nullptr ? pod : pod.with("status", status->without("nominatedNodeName"));
}

/// Annotations and labels of the binding go over to the pod.
Value with_members_of(Value pod, const Value& binding, std::string_view member) {
  const Value* added = document::find_at(binding, {"metadata", member});
  if (added == nullptr || !added->is_object()) return pod;
  for (const document::Member& entry : added->object()) {
    pod = document::with_at(pod, {"metadata", member, entry.key}, entry.value);
  }
  return pod;
}

kube::FieldErrors check_binding(const Value& binding) {
  kube::FieldErrors errors;
  const std::string_view kind = document::text_at(binding, {"target", "kind"});
  if (!kind.empty() && kind != "Node") {
    errors.push_back(
        {"target.kind", fmt::format("Unsupported value: \"{}\": supported values: \"Node\", \"<empty>\"", kind), {}});
  }
  if (document::text_at(binding, {"target", "name"}).empty()) errors.push_back({"target.name", "Required value", {}});
  return errors;
}

/// Upstream returns these errors as they are, which makes them the server's own: 500, without a reason.
StatusError malformed(const kube::FieldErrors& errors) {
  std::vector<std::string> sentences;
  for (const kube::FieldError& error : errors) sentences.push_back(fmt::format("{}: {}", error.path, error.message));
  StatusError failure;
  failure.message = sentences.size() == 1 ? sentences.front() : fmt::format("[{}]", joined(sentences, ", "));
  return failure;
}

}  // namespace

/// Assigns a pod to a node, once. Source: pkg/registry/core/pod/storage (BindingREST), v1.36.
Answer<Written> bind_pod(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  const schema::GroupVersionKind kind{"", "v1", "Binding"};
  const Answer<Value> binding =
      context.bodies.decode(body, {kind, context.catalog.find_type(kind)}, options->validation, call.warnings);
  if (!binding) return refuse(binding.error());
  if (call.name.empty()) call.name = name_of(*binding);
  if (!name_of(*binding).empty() && name_of(*binding) != call.name) {
    return refuse(bad_request("name in URL does not match name in Binding object"));
  }
  if (const kube::FieldErrors errors = check_binding(*binding); !errors.empty()) {
    return refuse(malformed(errors));
  }
  call.served = context.served.find("", "v1", "pods");
  const std::string name = call.name;
  const auto bound = [&](const Value& pod) -> Answer<Value> {
    if (const std::string why = obstacle(pod, name); !why.empty())
      return refuse(conflict({"", "pods/binding"}, name, why));
    const std::string_view uid = uid_of(*binding);
    if (!uid.empty() && uid != uid_of(pod)) {
      return refuse(conflict(
          {"", "pods/binding"}, name,
          fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, uid_of(pod))));
    }
    Value changed =
        document::with_at(pod, {"spec", "nodeName"}, Value(document::text_at(*binding, {"target", "name"})));
    changed = with_members_of(std::move(changed), *binding, "annotations");
    changed = with_members_of(std::move(changed), *binding, "labels");
    return with_scheduled_condition(without_nomination(changed), context.loop.now());
  };
  const Answer<Written> written =
      context.writer.change(call, bound, Writer::Target::kOther, *options, Writer::Managed::kAlready);
  if (!written) return refuse(written.error());
  return Written{success(201), nullptr, 201, true};
}

}  // namespace loadline::apiserver
