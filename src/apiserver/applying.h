#pragma once

#include "apiserver/body.h"
#include "apiserver/call.h"
#include "apiserver/options.h"
#include "apiserver/parts.h"
#include "apiserver/status.h"

namespace loadline::apiserver {

/// Server-side apply: creates the object, or merges what the manager applies into it.
/// Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatcher), v0.36.
Answer<Written> apply_patch(Parts& parts, Call& call, const Body& body, const WriteOptions& options);

}  // namespace loadline::apiserver
