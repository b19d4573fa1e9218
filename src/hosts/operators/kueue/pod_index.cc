#include "hosts/operators/kueue/pod_index.h"

namespace loadline::operators::kueue {

void PodIndex::on_change(const watching::Change<kube::Pod>& change) {
  if (change.before != nullptr) {
    const kube::ObjectMeta& pod = change.before->metadata();
    const auto found = names_.find({pod.namespace_, std::string(name_of_(pod))});
    if (found != names_.end() && found->second.erase(pod.name) > 0 && found->second.empty()) names_.erase(found);
  }
  if (change.after == nullptr) return;
  const kube::ObjectMeta& pod = change.after->metadata();
  const std::string_view name = name_of_(pod);
  if (!name.empty()) names_[{pod.namespace_, std::string(name)}].insert(pod.name);
}

std::vector<PodPtr> PodIndex::of(std::string_view name_space, std::string_view name,
                                 const watching::Cache<kube::Pod>& pods) const {
  std::vector<PodPtr> found;
  const auto names = names_.find({std::string(name_space), std::string(name)});
  if (names == names_.end()) return found;
  for (const std::string& each : names->second) {
    if (PodPtr pod = pods.find(name_space, each)) found.push_back(std::move(pod));
  }
  return found;
}

}  // namespace loadline::operators::kueue
