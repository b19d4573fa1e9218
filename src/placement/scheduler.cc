#include "placement/scheduler.h"

#include <cassert>

namespace loadline::placement {

Result<Scheduler> Scheduler::make(cluster::Cluster& cluster, const kube::SchedulerConfiguration& configuration,
                                  const Extensions& extensions) {
  Scheduler scheduler(cluster);
  for (const kube::SchedulerProfile& settings : configuration.profiles) {
    Result<Profile> profile = Profile::make(configuration, settings, extensions);
    if (!profile) return tl::unexpected(profile.error());
    scheduler.profiles_.push_back(std::move(*profile));
    scheduler.searches_.push_back(std::make_unique<SearchCache>());
  }
  return scheduler;
}

const Profile* Scheduler::profile(std::string_view scheduler_name) const {
  for (const Profile& profile : profiles_) {
    if (profile.scheduler_name() == scheduler_name) return &profile;
  }
  return nullptr;
}

std::size_t Scheduler::profile_of(cluster::PodId pod) const {
  const Profile* found = profile(cluster_->symbols().text(cluster_->shape_of(pod).scheduler_name));
  assert(found != nullptr);
  return static_cast<std::size_t>(found - profiles_.data());
}

std::optional<Rejection> Scheduler::gate(const kube::Pod& pod) const {
  const Profile* found = profile(pod.spec->scheduler_name);
  if (found == nullptr) return std::nullopt;
  for (const Plugin* plugin : found->pre_enqueue()) {
    if (auto rejection = plugin->pre_enqueue(*pod.spec)) return rejection;
  }
  return std::nullopt;
}

Decision Scheduler::decide(cluster::PodId pod, Detail detail, Search preemption) {
  const std::size_t at = profile_of(pod);
  const Profile& profile = profiles_[at];
  Decision decision;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  const bool ranked = detail == Detail::kDecision && profile.scores_every_node() && profile.is_sound();
  RankedSearch* search = ranked ? searches_[at]->find(cycle, profile) : nullptr;
  decision.attempt = search != nullptr ? cycle.run(*search) : cycle.run(start_, detail);
  if (decision.attempt.scheduled()) return decision;
  if (!decision.attempt.error.empty()) {
    decision.message = decision.attempt.error;
    return decision;
  }
  if (cluster_->node_count() == 0) {
    decision.message = fit_error(decision.attempt, *rejections_, 0, "");
    return decision;
  }
  const std::string post_filter = run_post_filters(cycle, profile, decision, preemption, search);
  decision.message = fit_error(decision.attempt, *rejections_, cluster_->node_count(), post_filter);
  return decision;
}

/// Asks the PostFilter plugins in turn. Returns what they say, or nothing once one has helped.
std::string Scheduler::run_post_filters(Cycle& cycle, const Profile& profile, Decision& decision, Search search,
                                        RankedSearch* ranked) {
  std::string message;
  for (const Plugin* plugin : profile.post_filters()) {
    PostFilterVerdict verdict;
    if (plugin == profile.preemptor()) {
      decision.preemption = find_preemption(cycle, profile, decision.attempt, *rejections_, search, ranked);
      if (decision.preemption.node.valid()) return {};
      if (!decision.preemption.error.empty()) return "preemption: " + decision.preemption.error;
      verdict.message = preemption_message(decision.preemption, *rejections_, cluster_->node_count());
    } else {
      verdict = plugin->post_filter(cycle);
      if (verdict.failed) return verdict.message;
    }
    if (!message.empty() && !verdict.message.empty()) message += ", ";
    message += verdict.message;
  }
  return message;
}

void Scheduler::reserve(cluster::PodId pod, cluster::NodeId node) {
  const Profile& profile = profiles_[profile_of(pod)];
  if (profile.reserves().empty()) return;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  for (const Plugin* plugin : profile.reserves()) plugin->reserve(cycle, node);
}

}  // namespace loadline::placement
