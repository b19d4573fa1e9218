#pragma once

#include "foundation/base/result.h"
#include "objects/schema/cel/functions.h"
#include "objects/schema/cel/value.h"

namespace loadline::schema::cel {

// Each takes a call of one of its functions. Sources: cel-go's ext, k8s.io/apiserver/pkg/cel/library, v0.36.

Result<Value> string_function(const Call& call);    ///< cel-go's strings, Kubernetes' regex, and the core's
Result<Value> list_function(const Call& call);      ///< Kubernetes' lists, cel-go's lists
Result<Value> set_function(const Call& call);       ///< cel-go's sets
Result<Value> math_function(const Call& call);      ///< cel-go's math: least, greatest, abs
Result<Value> quantity_function(const Call& call);  ///< Kubernetes' quantity
/// indexOf and the like are methods of both.
Result<Value> list_or_string_function(const Call& call);

}  // namespace loadline::schema::cel
