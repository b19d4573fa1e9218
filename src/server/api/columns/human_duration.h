#pragma once

#include <string>

#include "foundation/base/time.h"

namespace loadline::api {

/// How long something took or lies back, as `kubectl get` shows ages: two or three significant figures ("119s", "2m",
/// "9m59s", "7h59m", "47h", "2d1h", "8d", "2y1d"). Up to two seconds in the future count as now, "0s"; further is
/// "<invalid>". Source: k8s.io/apimachinery/pkg/util/duration HumanDuration, v0.36.
std::string human_duration(Duration span);

}  // namespace loadline::api
