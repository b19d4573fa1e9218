#pragma once

#include "apiserver/call.h"
#include "apiserver/parts.h"
#include "apiserver/request_info.h"
#include "apiserver/status.h"
#include "net/http.h"

namespace loadline::apiserver {

// One for each line of the registry, each in a file of its own.
Answer<Written> bind_pod(Parts& parts, Call& call, const RequestInfo& info, const net::Request& request);
Answer<Written> finalize_namespace(Parts& parts, Call& call, const RequestInfo& info, const net::Request& request);
Answer<Written> scale(Parts& parts, Call& call, const RequestInfo& info, const net::Request& request);

}  // namespace loadline::apiserver
