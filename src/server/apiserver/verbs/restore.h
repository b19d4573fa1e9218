#pragma once

#include "foundation/document/value.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// Puts an object of a cluster's dump back as it was: with its uid, its times, its generation and its status, so that
/// owners, claims and Jobs find theirs again. It is not judged anew, for an API server has accepted it already: no
/// admission, no quota. Only unknown fields and managedFields are dropped. A new resourceVersion is unavoidable.
///
/// Done when it returns, and durable as the store says. Refuses what has no uid; what is there already (AlreadyExists);
/// a resource that is not served; a body that does not fit its kind.
Answer<void> restore(ServerContext context, const schema::Resource& resource, const document::Value& object);

}  // namespace loadline::apiserver
