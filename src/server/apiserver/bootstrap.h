#pragma once

#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// Creates what every cluster has from the start, as far as it is not there: the four namespaces, the default roles and
/// bindings, the two system PriorityClasses. Some hundred writes.
Answer<void> bootstrap(const ServerContext& context, const std::string& authority_pem);

}  // namespace loadline::apiserver
