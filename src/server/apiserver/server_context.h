#pragma once

#include "foundation/base/event_loop.h"
#include "foundation/base/rng.h"
#include "foundation/observe/metrics.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/auth/authenticator.h"
#include "server/apiserver/auth/rbac.h"
#include "server/apiserver/auth/service_account_tokens.h"
#include "server/apiserver/bodies/bodies.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/apiserver/verbs/writer.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// What requests are answered with. The owner of the server owns these; they outlive it.
struct ServerContext {
  EventLoop& loop;
  store::Store& store;
  schema::Catalog& catalog;
  const Bodies& bodies;
  ServedResources& served;
  Writer& writer;
  Rbac& rbac;
  const ServiceAccountTokens& tokens;
  const Authenticator& authenticator;
  Rng& rng;
  observe::Metrics& metrics;
};

}  // namespace loadline::apiserver
