#include "placement/scheduler.h"

#include <cassert>

namespace loadline::placement {

Result<Scheduler> Scheduler::make(cluster::Cluster& cluster, const kube::SchedulerConfiguration& configuration) {
  Scheduler scheduler(cluster);
  for (const kube::SchedulerProfile& settings : configuration.profiles) {
    Result<Profile> profile = Profile::make(configuration, settings);
    if (!profile) return tl::unexpected(profile.error());
    scheduler.profiles_.push_back(std::move(*profile));
  }
  return scheduler;
}

const Profile* Scheduler::profile(std::string_view scheduler_name) const {
  for (const Profile& profile : profiles_) {
    if (profile.scheduler_name() == scheduler_name) return &profile;
  }
  return nullptr;
}

const Profile& Scheduler::profile_of(cluster::PodId pod) const {
  const Profile* found = profile(cluster_->symbols().text(cluster_->shape_of(pod).scheduler_name));
  assert(found != nullptr);
  return *found;
}

std::optional<Rejection> Scheduler::gate(const kube::Pod& pod) const {
  const Profile* found = profile(pod.spec->scheduler_name);
  if (found == nullptr) return std::nullopt;
  for (const Plugin* plugin : found->pre_enqueue()) {
    if (auto rejection = plugin->pre_enqueue(*pod.spec)) return rejection;
  }
  return std::nullopt;
}

Decision Scheduler::decide(cluster::PodId pod, Detail detail, Search search) {
  const Profile& profile = profile_of(pod);
  Decision decision;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  decision.attempt = cycle.run(start_, detail);
  if (decision.attempt.scheduled()) return decision;
  if (decision.attempt.error.empty() && cluster_->node_count() > 0) {
    decision.preemption = find_preemption(cycle, profile, decision.attempt, *rejections_, search);
  }
  decision.message = decision.attempt.error.empty()
                         ? fit_error(decision.attempt, *rejections_, cluster_->node_count(), decision.preemption)
                         : decision.attempt.error;
  return decision;
}

void Scheduler::reserve(cluster::PodId pod, cluster::NodeId node) {
  const Profile& profile = profile_of(pod);
  if (profile.reserves().empty()) return;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  for (const Plugin* plugin : profile.reserves()) plugin->reserve(cycle, node);
}

}  // namespace loadline::placement
