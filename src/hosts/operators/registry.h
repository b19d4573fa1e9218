#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// All of them; the list is in registry.cc.
[[nodiscard]] std::span<const Operator> all_operators();

/// What a cluster has of those that are not `disabled`.
[[nodiscard]] Controllers make_controllers(const std::vector<std::string>& disabled);
[[nodiscard]] apiserver::Webhooks make_webhooks(const std::vector<std::string>& disabled);
/// The names of schedulers that the cluster's own answers to in their place.
[[nodiscard]] std::vector<std::string_view> scheduler_names(const std::vector<std::string>& disabled);

}  // namespace loadline::operators
