#include "hosts/simulator/queue_objects.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "hosts/simulator/queued_jobs_intake.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/kueue/local_queue.h"

namespace loadline::simulator {

bool has_queues(const kube::Objects& objects) {
  return !objects.of<kube::ClusterQueue>().empty() || !objects.of<kube::LocalQueue>().empty();
}

kube::KueueConfiguration kueue_configuration_in(const kube::Objects& objects) {
  const auto& written = objects.of<kube::KueueConfiguration>();
  return written.empty() ? kube::KueueConfiguration() : written.front();
}

void set_queues(const kube::Objects& objects, Instant now, queue::kueue::KueueScheduler& scheduler) {
  for (const auto& flavor : objects.of<kube::ResourceFlavor>()) scheduler.set(flavor, now);
  for (const auto& check : objects.of<kube::AdmissionCheck>()) scheduler.set(check, now);
  for (const auto& cohort : objects.of<kube::Cohort>()) scheduler.set(cohort, now);
  for (const auto& queue : objects.of<kube::ClusterQueue>()) scheduler.set(queue, now);
  std::map<std::string_view, std::vector<const kube::LimitRange*>> ranges;
  for (const auto& range : objects.of<kube::LimitRange>()) ranges[range.metadata.namespace_].push_back(&range);
  for (const auto& [name_space, those] : ranges) scheduler.set_pod_bounds(name_space, queue::kueue::bounds_of(those));
  for (const auto& queue : objects.of<kube::LocalQueue>()) {
    scheduler.set(queue);
    scheduler.set_namespace(queue.metadata.namespace_, labels_of_namespace(objects, queue.metadata.namespace_), now);
  }
}

const kube::ResourceFlavor* find_flavor(const kube::Objects& objects, std::string_view name) {
  const auto& flavors = objects.of<kube::ResourceFlavor>();
  const auto found = std::ranges::find(flavors, name, [](const kube::ResourceFlavor& it) { return it.metadata.name; });
  return found == flavors.end() ? nullptr : &*found;
}

}  // namespace loadline::simulator
