#include <memory>

#include "objects/kube/volcano/volcano_job.h"

namespace loadline::kube {
namespace {

/// A template whose pods would have the Job's scheduler and priority says so itself.
void complete_template(const VolcanoJob& job, VolcanoTask& task) {
  if (task.template_.spec == nullptr) return;
  const bool lacks_scheduler = !task.names_scheduler && task.template_.spec->scheduler_name != job.scheduler_name;
  const bool lacks_priority = task.template_.spec->priority_class_name.empty() && !job.priority_class_name.empty();
  if (!lacks_scheduler && !lacks_priority) return;
  auto spec = std::make_shared<PodSpec>(*task.template_.spec);
  if (lacks_scheduler) spec->scheduler_name = job.scheduler_name;
  if (lacks_priority) spec->priority_class_name = job.priority_class_name;
  task.template_.spec = std::move(spec);
}

std::int32_t least_of(const VolcanoTask& task) {
  if (!task.partitions || task.partitions->least <= 0) return task.replicas;
  return task.partitions->least * task.partitions->size;
}

}  // namespace

void set_defaults(VolcanoJob& job) {
  if (job.queue.empty()) job.queue = "default";
  if (job.scheduler_name.empty()) job.scheduler_name = "volcano";
  std::int32_t least = 0;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    VolcanoTask& task = job.tasks[i];
    if (task.name.empty()) task.name = "default" + std::to_string(i);
    if (!task.min_available) task.min_available = least_of(task);
    complete_template(job, task);
    least += *task.min_available;
  }
  if (job.min_available == 0) job.min_available = least;
}

}  // namespace loadline::kube
