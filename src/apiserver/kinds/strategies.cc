#include "apiserver/kinds/strategies.h"

#include <array>

namespace loadline::apiserver {
namespace {

constexpr std::array kStrategies = {
    StrategyMaker{"namespaces", make_namespace_strategy},
    StrategyMaker{"pods", make_pod_strategy},
    StrategyMaker{"customresourcedefinitions.apiextensions.k8s.io", make_custom_resource_definition_strategy},
    StrategyMaker{"deployments.apps", make_deployment_strategy},
    StrategyMaker{"replicasets.apps", make_replica_set_strategy},
    StrategyMaker{"statefulsets.apps", make_stateful_set_strategy},
    StrategyMaker{"daemonsets.apps", make_daemon_set_strategy},
    StrategyMaker{"controllerrevisions.apps", make_controller_revision_strategy},
    StrategyMaker{"jobs.batch", make_job_strategy},
    StrategyMaker{"cronjobs.batch", make_cron_job_strategy},
};

}  // namespace

std::span<const StrategyMaker> own_strategies() { return kStrategies; }

}  // namespace loadline::apiserver
