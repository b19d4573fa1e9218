#include "hosts/advice/volume_ties.h"

#include <algorithm>
#include <string>

namespace loadline::advice {
namespace {

struct Tie {
  std::string claim;
  std::string to;
};

/// "topology.kubernetes.io/zone us-east-1a"; empty if it is nothing that simple.
std::string text_of(const kube::NodeSelector& selector) {
  if (selector.terms.size() != 1 || selector.terms.front().match_expressions.size() != 1) return "";
  const kube::NodeSelectorRequirement& only = selector.terms.front().match_expressions.front();
  if (only.op != kube::NodeSelectorOperator::kIn) return "";
  std::string text = only.key;
  for (std::size_t i = 0; i < only.values.size(); ++i) text += (i == 0 ? " " : " or ") + only.values[i];
  return text;
}

std::vector<Tie> ties_of(const kube::Objects& objects, const kube::Pod& pod) {
  std::vector<Tie> ties;
  for (const kube::Volume& volume : pod.spec->volumes) {
    if (!volume.persistent_volume_claim) continue;
    const std::string& name = volume.persistent_volume_claim->claim_name;
    const auto claim = std::ranges::find_if(objects.of<kube::PersistentVolumeClaim>(), [&](const auto& each) {
      return each.metadata.name == name && each.metadata.namespace_ == pod.metadata.namespace_;
    });
    if (claim == objects.of<kube::PersistentVolumeClaim>().end()) continue;
    const auto bound = std::ranges::find_if(objects.of<kube::PersistentVolume>(), [&](const auto& each) {
      return each.metadata.name == claim->spec.volume_name;
    });
    const bool tied = bound != objects.of<kube::PersistentVolume>().end() && bound->node_affinity;
    if (tied) ties.push_back({name, text_of(*bound->node_affinity)});
  }
  return ties;
}

}  // namespace

void name_tied_volumes(const kube::Objects& objects, const kube::Pod& pod, std::vector<NodeGroup>& groups) {
  const std::vector<Tie> ties = ties_of(objects, pod);
  if (ties.size() != 1 || ties.front().to.empty()) return;
  for (NodeGroup& group : groups) {
    for (GroupObstacle& obstacle : group.obstacles) {
      if (obstacle.kind != placement::ReasonKind::kVolumeNodeAffinityConflict) continue;
      obstacle.subject = ties.front().claim;
      obstacle.wanted = ties.front().to;
    }
  }
}

}  // namespace loadline::advice
