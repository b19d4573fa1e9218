#include "hosts/operators/host_list.h"

#include <fmt/format.h>

#include <cstdint>

namespace loadline::operators {
namespace {

/// Source: MaxSecretSize in pkg/apis/core/types.go, v1.36, which is that of ConfigMaps, too.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;

}  // namespace

std::string host_list_problem(const workloads::TrainingView& job) {
  std::int64_t workers = 0;
  for (const workloads::TrainingRole& role : workloads::roles_of(job)) {
    if (role.label() == "worker") workers += role.count();
  }
  // "bert-worker-12.bert.team-a.svc slots=8"
  constexpr std::int64_t kRest = 40;
  const auto line = static_cast<std::int64_t>(2 * job.metadata.name.size() + job.metadata.namespace_.size()) + kRest;
  if (workers <= kMostBytes / line) return {};
  return fmt::format("the list of {} workers would be larger than a ConfigMap may be ({} bytes)", workers, kMostBytes);
}

}  // namespace loadline::operators
