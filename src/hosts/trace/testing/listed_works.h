#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hosts/trace/work.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/defaults.h"

namespace loadline::trace::testing {

/// Works that a test has written down.
class ListedWorks final : public WorkSource {
 public:
  explicit ListedWorks(std::vector<Work> works) : works_(std::move(works)) {}
  Result<std::optional<Work>> next() override {
    if (next_ == works_.size()) return std::nullopt;
    return works_[next_++];
  }

 private:
  std::vector<Work> works_;
  std::size_t next_ = 0;
};

/// A pod that asks for so much; without a name.
inline std::shared_ptr<const kube::Pod> pod_of(std::int64_t milli_cpu, std::int64_t gpus, std::int32_t priority = 0) {
  kube::PodSpec spec;
  kube::Container container;
  container.name = "task";
  container.resources.requests["cpu"] = kube::Quantity::of_milli(milli_cpu);
  if (gpus > 0) {
    container.resources.requests["nvidia.com/gpu"] = kube::Quantity::of(gpus);
    container.resources.limits["nvidia.com/gpu"] = kube::Quantity::of(gpus);
  }
  spec.containers.push_back(std::move(container));
  spec.priority = priority;
  kube::Pod pod;
  pod.metadata.namespace_ = "default";
  pod.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
  kube::set_defaults(pod);
  return std::make_shared<const kube::Pod>(std::move(pod));
}

/// One pod, or a gang of several, that arrives and runs for so many seconds.
inline Work work(std::string name, std::int64_t arrives, std::int64_t run_time, std::shared_ptr<const kube::Pod> pod,
                 std::size_t pods = 1) {
  Work work;
  work.name = std::move(name);
  work.arrives = Duration::seconds(arrives);
  work.run_time = Duration::seconds(run_time);
  work.pods.push_back({std::move(pod), pods});
  work.is_gang = pods > 1;
  work.tenant = "default";
  return work;
}

}  // namespace loadline::trace::testing
