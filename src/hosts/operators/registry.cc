#include "hosts/operators/registry.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hosts/operators/grove/operator.h"
#include "hosts/operators/jobset/operator.h"
#include "hosts/operators/kuberay/operator.h"
#include "hosts/operators/kueue/operator.h"
#include "hosts/operators/lws/operator.h"
#include "hosts/operators/mpi_operator/operator.h"
#include "hosts/operators/scheduler_plugins/operator.h"
#include "hosts/operators/training_operator/operator.h"
#include "hosts/operators/volcano/operator.h"

namespace loadline::operators {
namespace {

const Operator kOperators[] = {
    jobset_operator(),  lws_operator(),   training_operator(),          mpi_operator(),   kuberay_operator(),
    volcano_operator(), grove_operator(), scheduler_plugins_operator(), kueue_operator(),
};

bool is_disabled(const Operator& each, const std::vector<std::string>& disabled) {
  return std::ranges::find(disabled, each.name) != disabled.end();
}

}  // namespace

std::span<const Operator> all_operators() { return kOperators; }

Controllers make_controllers(const std::vector<std::string>& disabled) {
  Controllers all;
  for (const Operator& each : kOperators) {
    if (is_disabled(each, disabled)) continue;
    Controllers made = each.make_controllers();
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  return all;
}

apiserver::Webhooks make_webhooks(const std::vector<std::string>& disabled) {
  apiserver::Webhooks all;
  for (const Operator& each : kOperators) {
    if (each.make_webhooks == nullptr || is_disabled(each, disabled)) continue;
    apiserver::Webhooks made = each.make_webhooks();
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string_view> scheduler_names(const std::vector<std::string>& disabled) {
  std::vector<std::string_view> names;
  for (const Operator& each : kOperators) {
    if (!each.scheduler.empty() && !is_disabled(each, disabled)) names.push_back(each.scheduler);
  }
  return names;
}

}  // namespace loadline::operators
