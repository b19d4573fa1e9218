#include "hosts/advice/lint/pod_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hosts/advice/taints.h"

namespace loadline::advice::lint {
namespace {

using Amount = std::pair<kube::Quantity, std::string>;

/// The larger of `best` and what one list of containers asks.
void raise(Amount& best, const std::vector<kube::Container>& containers, std::string_view list,
           std::string_view resource) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const kube::ResourceRequirements& asked = containers[i].resources;
    const auto request = asked.requests.find(resource);
    if (request == asked.requests.end() || request->second <= best.first) continue;
    const auto limit = asked.limits.find(resource);
    const bool by_limit = limit != asked.limits.end() && limit->second == request->second;
    best = {request->second,
            fmt::format("{}[{}].resources.{}[{}]", list, i, by_limit ? "limits" : "requests", resource)};
  }
}

}  // namespace

std::string resource_path(const JudgedWorkload& workload, std::string_view resource) {
  Amount best{kube::Quantity(), "containers"};
  raise(best, workload.written->containers, "containers", resource);
  raise(best, workload.written->init_containers, "initContainers", resource);
  return workload.path(best.second);
}

bool tolerates_every_key(const kube::Toleration& toleration) {
  return toleration.key.empty() && toleration.op == kube::TolerationOperator::kExists;
}

bool tolerates(const JudgedWorkload& workload, const kube::Taint& taint) {
  return std::ranges::any_of(workload.pod.spec->tolerations,
                             [&](const kube::Toleration& toleration) { return covers(toleration, taint); });
}

}  // namespace loadline::advice::lint
