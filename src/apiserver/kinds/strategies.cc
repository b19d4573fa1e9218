#include "apiserver/kinds/strategies.h"

#include <array>

namespace loadline::apiserver {
namespace {

constexpr std::array kStrategies = {
    StrategyMaker{"namespaces", make_namespace_strategy},
    StrategyMaker{"pods", make_pod_strategy},
    StrategyMaker{"customresourcedefinitions.apiextensions.k8s.io", make_custom_resource_definition_strategy},
};

}  // namespace

std::span<const StrategyMaker> own_strategies() { return kStrategies; }

}  // namespace loadline::apiserver
