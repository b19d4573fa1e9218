#pragma once

#include <memory>

#include "server/apiserver/bodies/body.h"
#include "server/apiserver/call.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// The resource that a request is about; 404 and 405 for what is not served, or not with that verb.
Answer<std::shared_ptr<const ServedResource>> find_served(const ServerContext& context, const RequestInfo& info);

/// What a request about one object comes to, wherever it is from: get, create, update, patch and delete, of objects and
/// their subresources. The caller answers only once the result is durable. A request that there is not enough memory
/// for is refused, and nothing of it is done. REQUIRES: `call` is about what find_served said of `info`.
Answer<Written> perform(ServerContext& context, Call& call, const RequestInfo& info, const Body& body);

}  // namespace loadline::apiserver
