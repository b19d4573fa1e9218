#include "server/apiserver/admission/rbac_escalation.h"

#include <optional>

#include "server/apiserver/auth/escalation.h"

namespace loadline::apiserver {

Answer<document::Value> RbacEscalation::complete(const AdmissionRequest& request, document::Value object) {
  const Call& call = request.call;
  Attributes asked;
  asked.user = &call.user;
  asked.verb = request.operation == AdmissionRequest::Operation::kCreate ? "create" : "update";
  asked.is_resource = true;
  asked.group = call.resource().kind.group;
  asked.version = call.resource().kind.version;
  asked.resource = call.resource().plural;
  asked.name = call.name;
  asked.name_space = call.name_space;
  std::optional<StatusError> refusal = check_escalation(rbac_, asked, object, request.old);
  if (refusal) return refuse(std::move(*refusal));
  return object;
}

}  // namespace loadline::apiserver
