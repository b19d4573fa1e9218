#pragma once

#include <span>
#include <string>
#include <vector>

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// All of them; the list is in registry.cc.
[[nodiscard]] std::span<const Operator> all_operators();

/// What a cluster has of those that are not `disabled`.
[[nodiscard]] Controllers make_controllers(const std::vector<std::string>& disabled);
[[nodiscard]] apiserver::Webhooks make_webhooks(const std::vector<std::string>& disabled);

}  // namespace loadline::operators
