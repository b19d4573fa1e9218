#include <algorithm>
#include <array>
#include <utility>

#include "server/apiserver/subresources/handlers.h"
#include "server/apiserver/subresources/subresource.h"

namespace loadline::apiserver {
namespace {

constexpr std::array kHandlers = {
    SubresourceHandler{"pods", "attach", open_stream},
    SubresourceHandler{"pods", "binding", bind_pod},
    SubresourceHandler{"pods", "ephemeralcontainers", nullptr, narrow_to_ephemeral_containers},
    SubresourceHandler{"pods", "eviction", evict},
    SubresourceHandler{"pods", "exec", open_stream},
    SubresourceHandler{"pods", "log", read_log},
    SubresourceHandler{"pods", "portforward", open_stream},
    SubresourceHandler{"pods", "resize", nullptr, narrow_to_resources},
    SubresourceHandler{"bindings", "", bind_pod},
    SubresourceHandler{"namespaces", "finalize", finalize_namespace},
    SubresourceHandler{"serviceaccounts", "token", issue_token},
    SubresourceHandler{"certificatesigningrequests.certificates.k8s.io", "approval", nullptr, narrow_to_approval},
    SubresourceHandler{"selfsubjectreviews.authentication.k8s.io", "", ask_self_subject},
    SubresourceHandler{"tokenreviews.authentication.k8s.io", "", ask_token},
    SubresourceHandler{"localsubjectaccessreviews.authorization.k8s.io", "", ask_local_subject_access},
    SubresourceHandler{"selfsubjectaccessreviews.authorization.k8s.io", "", ask_self_subject_access},
    SubresourceHandler{"selfsubjectrulesreviews.authorization.k8s.io", "", ask_self_subject_rules},
    SubresourceHandler{"subjectaccessreviews.authorization.k8s.io", "", ask_subject_access},
    SubresourceHandler{"", "proxy", proxy},
    SubresourceHandler{"", "scale", scale},
};

}  // namespace

const SubresourceHandler* find_subresource_handler(const schema::Resource& resource, std::string_view name) {
  const std::string of = resource.group_resource();
  const auto found = std::find_if(kHandlers.begin(), kHandlers.end(), [&](const SubresourceHandler& handler) {
    return handler.name == name && (handler.group_resource == of || (handler.group_resource.empty() && !name.empty()));
  });
  return found == kHandlers.end() ? nullptr : &*found;
}

Answer<document::Value> narrowed(const ServerContext& context, const Call& call, document::Value wanted,
                                 const document::Value& old) {
  if (call.subresource.empty()) return wanted;
  const SubresourceHandler* handler = find_subresource_handler(call.resource(), call.subresource);
  if (handler == nullptr || handler->narrow == nullptr) return wanted;
  return handler->narrow(context, call, wanted, old);
}

}  // namespace loadline::apiserver
