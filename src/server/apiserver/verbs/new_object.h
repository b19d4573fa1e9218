#pragma once

#include "foundation/base/rng.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/bodies/bodies.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"
#include "server/apiserver/kinds/strategy.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

// The steps on the way from the body of a request to a new object, in order. They look at nothing but the object: what
// a cluster has to say (admission, whether the name is taken) comes between them and after them.

/// The new object of a request, in the version that it is kept in. It shares nothing with other documents when it is
/// returned, so it can be changed in place.
Answer<document::Value> read_new(const Bodies& bodies, Call& call, const Body& body, FieldValidation validation,
                                 Instant now);

/// The object in the namespace of the path. One that names another, or a version, is refused.
Answer<document::Value> in_its_place(const Call& call, document::Value object);

/// What the server alone says of a new object.
document::Value with_system_fields(document::Value object, Instant now, Rng& rng);

bool wants_generated_name(const document::Value& object);
/// REQUIRES: wants_generated_name().
document::Value with_generated_name(const document::Value& object, Rng& rng);

/// An object as its kind's strategy prepared it, and what is wrong with it.
struct JudgedObject {
  document::Value object;
  kube::FieldErrors errors;
};

JudgedObject judge_new(const ServedResource& served, document::Value object, StrategyContext& context);

}  // namespace loadline::apiserver
