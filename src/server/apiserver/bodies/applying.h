#pragma once

#include "server/apiserver/bodies/body.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// Server-side apply: creates the object, or merges what the manager applies into it.
/// Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatcher), v0.36.
Answer<Written> apply_patch(ServerContext& context, Call& call, const Body& body, const WriteOptions& options);

}  // namespace loadline::apiserver
