#include "brain/cluster/facts/topology_annotations.h"

#include <string>

#include "brain/cluster/spellings/written_number.h"

namespace loadline::cluster {
namespace {

std::string annotation(const kube::ObjectMeta& pod, std::string_view name) {
  const auto found = pod.annotations.find(name);
  return found == pod.annotations.end() ? std::string() : found->second;
}

}  // namespace

TopologyWish topology_wish(const kube::ObjectMeta& pod) {
  TopologyWish wish;
  if (pod.annotations.empty()) return wish;
  wish.required = annotation(pod, kPodsetRequiredTopology);
  wish.preferred = annotation(pod, kPodsetPreferredTopology);
  wish.slice_required = annotation(pod, kPodsetSliceTopology);
  wish.slice_size = spellings::number_in(pod.annotations, kPodsetSliceSize).value_or(0);
  if (!wish.empty()) wish.topology = std::string(kTopologyWithTheseLevels);
  return wish;
}

}  // namespace loadline::cluster
