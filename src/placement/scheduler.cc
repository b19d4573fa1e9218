#include "placement/scheduler.h"

#include <algorithm>
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

namespace {

void note_extenders(Cycle& cycle, Decision& decision) {
  decision.asked_extenders = cycle.extenders().asked();
  decision.extender_troubles = cycle.extenders().troubles();
}

}  // namespace

Decision Scheduler::decide(cluster::PodId pod, Detail detail, Search preemption) {
  const std::size_t at = profile_of(pod);
  const Profile& profile = profiles_[at];
  Decision decision;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  // Extenders may say anything at any time, so nothing is kept where one is asked.
  const bool ranked = detail == Detail::kDecision && profile.scores_every_node() && profile.is_sound() &&
                      !cycle.extenders().any_interested();
  RankedSearch* search = ranked ? searches_[at]->find(cycle, profile) : nullptr;
  decision.attempt = search != nullptr ? cycle.run(*search) : cycle.run(start_, detail);
  conclude(cycle, profile, decision, preemption, search);
  note_extenders(cycle, decision);
  return decision;
}

Examination Scheduler::examine(cluster::PodId pod) {
  const Profile& profile = profiles_[profile_of(pod)];
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  Examination examination;
  Attempt& attempt = examination.decision.attempt;
  std::size_t start = 0;
  attempt = cycle.run(start, Detail::kFull);
  conclude(cycle, profile, examination.decision, Search::kEveryNode, nullptr);
  note_extenders(cycle, examination.decision);
  if (attempt.pre_filter || attempt.verdicts.empty()) return examination;
  examination.obstacles.resize(attempt.verdicts.size());
  for (std::size_t i = 0; i < attempt.verdicts.size(); ++i) {
    const RejectionId verdict = attempt.verdicts[i];
    if (!verdict.valid() || verdict == kPassed) continue;
    examination.obstacles[i] = cycle.obstacles(cluster::NodeId{i});
    // Room that is kept for nominated pods is no plugin's own refusal.
    if (examination.obstacles[i].empty()) examination.obstacles[i] = obstacles_of(rejections_->at(verdict));
  }
  return examination;
}

/// What follows a failed attempt: the search for victims, and the message.
void Scheduler::conclude(Cycle& cycle, const Profile& profile, Decision& decision, Search search,
                         RankedSearch* ranked) {
  if (decision.attempt.scheduled()) return;
  if (!decision.attempt.error.empty()) {
    decision.message = decision.attempt.error;
    return;
  }
  std::string post_filter;
  if (cluster_->node_count() > 0) post_filter = run_post_filters(cycle, profile, decision, search, ranked);
  decision.message = fit_error(decision.attempt, *rejections_, cluster_->node_count(), post_filter);
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
  for (const Plugin* plugin : profile.reserves()) {
    // What the plugin reserves it finds as it did for the decision: from what its PreFilter prepares.
    if (std::ranges::find(profile.pre_filters(), plugin) == profile.pre_filters().end()) continue;
    const PreFilterVerdict verdict = plugin->pre_filter(cycle);
    if (!verdict.skip && !verdict.rejection) plugin->reserve(cycle, node);
  }
}

void Scheduler::reclaim() {
  for (const auto& cache : searches_) cache->keep_in_use(*cluster_);
  cluster_->reclaim();
  for (const auto& cache : searches_) cache->forget_reclaimed(*cluster_);
}

}  // namespace loadline::placement
