#include "hosts/embedded/measured_usage.h"

#include "foundation/base/ask.h"
#include "foundation/base/contract.h"
#include "hosts/kubelet/usage.h"
#include "objects/kube/core/node.h"

namespace loadline::embedded {
namespace {

/// That of metrics-server, which asks kubelets every 15 seconds.
constexpr Duration kWindow = Duration::seconds(15);

apiserver::Usage as_served(const kubelet::ContainerUsage& usage) { return {usage.cpu, usage.memory}; }

}  // namespace

void MeasuredUsage::hold_still(const std::function<void()>& read) const {
  is_still_ = true;
  if (control_loop_ == nullptr) {
    read();
  } else {
    ask(*control_loop_, read);
  }
  is_still_ = false;
}

std::optional<apiserver::NodeUsage> MeasuredUsage::node(std::string_view name) const {
  REQUIRES(is_still_);
  const controllers::ObjectPtr<kube::Node> node = caches_.of<kube::Node>().find("", name);
  if (node == nullptr) return std::nullopt;
  const Instant now = loop_.now();
  return apiserver::NodeUsage{as_served(kubelet::usage_of(*node, caches_, now)), now, kWindow};
}

std::optional<apiserver::PodUsage> MeasuredUsage::pod(std::string_view name_space, std::string_view name) const {
  REQUIRES(is_still_);
  const controllers::ObjectPtr<kube::Pod> pod = caches_.of<kube::Pod>().find(name_space, name);
  if (pod == nullptr || pod->view.status.phase != kube::PodPhase::kRunning) return std::nullopt;
  const Instant now = loop_.now();
  apiserver::PodUsage usage{{}, now, kWindow};
  for (const auto& [container, used] : kubelet::usage_of(*pod, now)) {
    usage.containers.emplace_back(container, as_served(used));
  }
  return usage;
}

}  // namespace loadline::embedded
