#include "hosts/operators/kueue/workload_index.h"

namespace loadline::operators::kueue {

void WorkloadIndex::on_change(const watching::Change<kube::KueueWorkload>& change) {
  const auto job_of = [this](const WorkloadPtr& version) -> std::optional<watching::ObjectKey> {
    const kube::OwnerReference* controller = version == nullptr ? nullptr : version->metadata().controller();
    if (controller == nullptr || controller->kind != kind_) return std::nullopt;
    return watching::ObjectKey{version->metadata().namespace_, controller->name};
  };
  if (const auto before = job_of(change.before)) {
    const auto found = names_.find(*before);
    if (found != names_.end() && found->second.erase(change.before->metadata().name) > 0 && found->second.empty()) {
      names_.erase(found);
    }
  }
  if (const auto now = job_of(change.after)) names_[*now].insert(change.after->metadata().name);
}

std::vector<WorkloadPtr> WorkloadIndex::of(const watching::ObjectKey& job,
                                           const watching::Cache<kube::KueueWorkload>& workloads) const {
  std::vector<WorkloadPtr> found;
  const auto names = names_.find(job);
  if (names == names_.end()) return found;
  for (const std::string& name : names->second) {
    if (WorkloadPtr each = workloads.find(job.name_space, name)) found.push_back(std::move(each));
  }
  return found;
}

}  // namespace loadline::operators::kueue
