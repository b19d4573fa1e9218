#pragma once

#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {

// What Kueue has against Ray's objects with a queue, beside what it has against all jobs. False: the other rules are
// not asked. Source: Kueue v0.19.2, pkg/controller/jobs/{rayjob,raycluster}.

bool check_queued_ray_job(const apiserver::CheckedField& job);
bool check_queued_ray_cluster(const apiserver::CheckedField& cluster);

}  // namespace loadline::operators::kueue
