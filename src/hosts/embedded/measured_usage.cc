#include "hosts/embedded/measured_usage.h"

#include <utility>

#include "hosts/kubelet/usage.h"
#include "objects/kube/core/node.h"

namespace loadline::embedded {
namespace {

using apiserver::NodeUsage;
using apiserver::PodName;
using apiserver::PodUsage;
using watching::Caches;

/// That of metrics-server, which asks kubelets every 15 seconds.
constexpr Duration kWindow = Duration::seconds(15);

apiserver::Usage as_served(const kubelet::ContainerUsage& usage) { return {usage.cpu, usage.memory}; }

std::optional<NodeUsage> node_usage(const Caches& caches, const std::string& name, Instant now) {
  const watching::ObjectPtr<kube::Node> node = caches.of<kube::Node>().find("", name);
  if (node == nullptr) return std::nullopt;
  return NodeUsage{as_served(kubelet::usage_of(*node, caches, now)), now, kWindow};
}

std::optional<PodUsage> pod_usage(const Caches& caches, const PodName& name, Instant now) {
  const watching::ObjectPtr<kube::Pod> pod = caches.of<kube::Pod>().find(name.name_space, name.name);
  if (pod == nullptr || pod->view.status.phase != kube::PodPhase::kRunning) return std::nullopt;
  PodUsage usage{{}, now, kWindow};
  for (const auto& [container, used] : kubelet::usage_of(*pod, now)) {
    usage.containers.emplace_back(container, as_served(used));
  }
  return usage;
}

/// What `measure` says of each, in order; of nobody, where nobody knows.
template <class Usage, class Name, class Measure>
std::vector<std::optional<Usage>> measured(const Caches* caches, const std::vector<Name>& names, Measure measure) {
  std::vector<std::optional<Usage>> usages;
  usages.reserve(names.size());
  for (const Name& name : names) usages.push_back(caches == nullptr ? std::nullopt : measure(*caches, name));
  return usages;
}

}  // namespace

void MeasuredUsage::measure_nodes(std::vector<std::string> names, OnNodes done) const {
  const auto question = [this, names = std::move(names)] {
    return measured<NodeUsage>(known_(), names, [now = clock_.now()](const Caches& caches, const std::string& name) {
      return node_usage(caches, name, now);
    });
  };
  questions_.ask(question, std::move(done));
}

void MeasuredUsage::measure_pods(std::vector<PodName> names, OnPods done) const {
  const auto question = [this, names = std::move(names)] {
    return measured<PodUsage>(known_(), names, [now = clock_.now()](const Caches& caches, const PodName& name) {
      return pod_usage(caches, name, now);
    });
  };
  questions_.ask(question, std::move(done));
}

}  // namespace loadline::embedded
