#pragma once

#include "api/catalog.h"
#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/rbac.h"
#include "apiserver/auth/service_account_tokens.h"
#include "apiserver/bodies.h"
#include "apiserver/served.h"
#include "apiserver/verbs/writer.h"
#include "base/event_loop.h"
#include "base/rng.h"
#include "observe/metrics.h"
#include "store/store.h"

namespace loadline::apiserver {

/// What requests are answered with. Whoever owns the server owns these; they outlive it.
struct Parts {
  EventLoop& loop;
  store::Store& store;
  api::Catalog& catalog;
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
