#pragma once

#include <optional>

#include "brain/cluster/cluster.h"
#include "brain/decision/turn.h"
#include "hosts/watching/action.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler {

/// What is said about a group's object after its turn, in the words of its own scheduler: of Volcano's PodGroup
/// "Unschedulable" (`2/3 tasks in gang unschedulable: …`) or "Scheduled", of KAI's "Unschedulable". Nothing: of other
/// groups, and of those that have started, their pods' events tell; or the object is not there.
/// Source: RecordJobStatusEvent, pkg/scheduler/cache/cache.go, Volcano v1.15; markPodGroupUnschedulable,
/// pkg/scheduler/cache/status_updater/default_status_updater.go, KAI.
/// REQUIRES: the turn is a group's, and subscribers have asked for the kinds of these objects.
[[nodiscard]] std::optional<watching::Event> event_about_group(const watching::Caches& caches,
                                                               const cluster::Cluster& cluster,
                                                               const decision::Turn& turn);

}  // namespace loadline::scheduler
