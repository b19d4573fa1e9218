#include "brain/cluster/topology_annotations.h"

#include <charconv>
#include <string>

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
  wish.required = annotation(pod, "kueue.x-k8s.io/podset-required-topology");
  wish.preferred = annotation(pod, "kueue.x-k8s.io/podset-preferred-topology");
  wish.slice_required = annotation(pod, "kueue.x-k8s.io/podset-slice-required-topology");
  const std::string size = annotation(pod, "kueue.x-k8s.io/podset-slice-size");
  std::from_chars(size.data(), size.data() + size.size(), wish.slice_size);
  if (!wish.empty()) wish.topology = kTopologyWithTheseLevels;
  return wish;
}

}  // namespace loadline::cluster
