#pragma once

#include "foundation/document/value.h"

namespace loadline::apiserver {

// A metric of a HorizontalPodAutoscaler, between autoscaling/v2 and the flat form that v1 keeps in annotations.
// Source: pkg/apis/autoscaling/v1/conversion.go, v1.36.

/// What a metric should be, and what it is.
document::Value flat_metric(const document::Value& metric);
document::Value flat_metric_status(const document::Value& metric);

/// The way back. REQUIRES: an object.
document::Value nested_metric(const document::Value& metric);
document::Value nested_metric_status(const document::Value& metric);

}  // namespace loadline::apiserver
