#pragma once

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Whether Kueue's queues decide about what is in the input: it has a ClusterQueue or a LocalQueue.
[[nodiscard]] bool has_queues(const kube::Objects& objects);

/// Kueue's Configuration among the objects, or what it is without one.
[[nodiscard]] kube::KueueConfiguration kueue_configuration_in(const kube::Objects& objects);

/// Tells the scheduler of the flavors, checks, cohorts and queues among the objects, and of the namespaces of these.
void set_queues(const kube::Objects& objects, Instant now, queue::kueue::KueueScheduler& scheduler);

/// Null: there is no ResourceFlavor of that name.
[[nodiscard]] const kube::ResourceFlavor* find_flavor(const kube::Objects& objects, std::string_view name);

}  // namespace loadline::simulator
