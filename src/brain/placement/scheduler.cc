#include "brain/placement/scheduler.h"

#include <algorithm>
#include <utility>

#include "brain/placement/reserved_nodes.h"
#include "foundation/base/contract.h"

namespace loadline::placement {
namespace {

constexpr std::size_t kMostRejections = 100'000;

}  // namespace

Result<Scheduler> Scheduler::make(cluster::Cluster& cluster, PluginRegistry built_in,
                                  const kube::SchedulerConfiguration& configuration, const Extensions& extensions,
                                  const Switches& switches) {
  Scheduler scheduler(cluster, built_in);
  scheduler.switches_ = switches;
  for (const kube::SchedulerProfile& settings : configuration.profiles) {
    const Result<void> made = scheduler.set_profile(configuration, settings, extensions);
    if (!made) return tl::unexpected(made.error());
  }
  return scheduler;
}

Result<void> Scheduler::set_profile(const kube::SchedulerConfiguration& configuration,
                                    const kube::SchedulerProfile& settings, const Extensions& extensions) {
  Result<Profile> made = Profile::make(built_in_, configuration, settings, extensions);
  if (!made) return tl::unexpected(made.error());
  made->set_switches(switches_);
  remove_profile(settings.scheduler_name);
  profiles_.push_back({std::make_unique<Profile>(std::move(*made)), std::make_unique<SearchCache>()});
  return {};
}

void Scheduler::set_switches(const Switches& switches) {
  switches_ = switches;
  for (const Entry& entry : profiles_) entry.profile->set_switches(switches);
}

void Scheduler::remove_profile(std::string_view scheduler_name) {
  std::erase_if(profiles_, [&](const Entry& entry) { return entry.profile->scheduler_name() == scheduler_name; });
  demands_.clear();
}

const Profile* Scheduler::profile(std::string_view scheduler_name) const {
  for (const Entry& entry : profiles_) {
    if (entry.profile->scheduler_name() == scheduler_name) return entry.profile.get();
  }
  return nullptr;
}

const Scheduler::Entry& Scheduler::entry_of(cluster::PodId pod) const {
  const std::string_view name = cluster_->symbols().text(cluster_->shape_of(pod).scheduler_name);
  const auto found =
      std::ranges::find_if(profiles_, [&](const Entry& entry) { return entry.profile->scheduler_name() == name; });
  REQUIRES(found != profiles_.end());
  return *found;
}

const CountableDemand& Scheduler::demand_of(cluster::ShapeId id) {
  const std::uint64_t reclaims = cluster_->reclaims();
  if (std::exchange(reclaims_, reclaims) != reclaims) demands_.clear();  // ids are others' now
  if (demands_.size() <= id.index()) demands_.resize(cluster_->shape_slots());
  std::unique_ptr<const CountableDemand>& known = demands_[id.index()];
  if (known == nullptr) {
    const cluster::PodShape& shape = cluster_->shape(id);
    const Profile* found = profile(cluster_->symbols().text(shape.scheduler_name));
    known = std::make_unique<const CountableDemand>(found == nullptr ? CountableDemand{}
                                                                     : countable_demand(*cluster_, shape, *found));
  }
  return *known;
}

std::optional<Rejection> Scheduler::gate(const kube::Pod& pod) const {
  const Profile* found = profile(pod.spec->scheduler_name);
  if (found == nullptr) return std::nullopt;
  for (const Plugin* plugin : found->pre_enqueue()) {
    if (auto rejection = plugin->pre_enqueue(*pod.spec)) return rejection;
  }
  return std::nullopt;
}

std::optional<Rejection> Scheduler::gate(cluster::PodId pod) const {
  for (const Plugin* plugin : entry_of(pod).profile->pre_enqueue()) {
    if (auto rejection = plugin->pre_enqueue(*cluster_, pod)) return rejection;
  }
  return std::nullopt;
}

std::optional<Rejection> Scheduler::permit(cluster::PodId pod) const {
  for (const Plugin* plugin : entry_of(pod).profile->permits()) {
    if (auto rejection = plugin->permit(*cluster_, pod)) return rejection;
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
  Decision decision;
  decide(pod, detail, preemption, decision);
  return decision;
}

void Scheduler::decide(cluster::PodId pod, Detail detail, Search preemption, Decision& decision) {
  const Entry& entry = entry_of(pod);
  const Profile& profile = *entry.profile;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  // Extenders may say anything at any time, so nothing is kept where one is asked.
  const bool ranked = detail == Detail::kDecision && profile.scores_every_node() && profile.is_sound() &&
                      !cycle.extenders().any_interested();
  RankedSearch* search = ranked ? entry.searches->find(cycle, profile) : nullptr;
  if (search != nullptr) {
    cycle.run(*search, decision.attempt);
  } else {
    decision.attempt = cycle.run(start_, detail);
  }
  conclude(cycle, profile, decision, {preemption, search, cluster_->node_count()});
  note_extenders(cycle, decision);
  Attempt& attempt = decision.attempt;
  if (attempt.scheduled() && !attempt.consumes.valid()) attempt.consumes = waiting_placeholder(*cluster_, pod);
}

void Scheduler::decide_within(cluster::PodId pod, std::span<const cluster::NodeId> nodes, Detail detail,
                              Search preemption, Decision& decision) {
  const Profile& profile = *entry_of(pod).profile;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  cycle.confine(nodes);
  decision.attempt = cycle.run(start_, detail);
  conclude(cycle, profile, decision, {preemption, nullptr, nodes.size(), true});
  note_extenders(cycle, decision);
  Attempt& attempt = decision.attempt;
  if (attempt.scheduled() && !attempt.consumes.valid()) attempt.consumes = waiting_placeholder(*cluster_, pod);
}

std::vector<cluster::NodeId> Scheduler::fitting(cluster::PodId pod, std::span<const cluster::NodeId> nodes) {
  Cycle cycle(*cluster_, *entry_of(pod).profile, *rejections_, pod);
  return cycle.fitting(nodes);
}

std::vector<cluster::NodeId> Scheduler::resolvable(cluster::PodId pod, std::span<const cluster::NodeId> nodes) {
  Cycle cycle(*cluster_, *entry_of(pod).profile, *rejections_, pod);
  return cycle.resolvable(nodes);
}

Examination Scheduler::examine(cluster::PodId pod) {
  const Profile& profile = *entry_of(pod).profile;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  Examination examination;
  Attempt& attempt = examination.decision.attempt;
  std::size_t start = 0;
  attempt = cycle.run(start, Detail::kFull);
  conclude(cycle, profile, examination.decision, {Search::kEveryNode, nullptr, cluster_->node_count()});
  note_extenders(cycle, examination.decision);
  if (attempt.pre_filter || attempt.rejection_by_node.empty()) return examination;
  examination.obstacles.resize(attempt.rejection_by_node.size());
  for (std::size_t i = 0; i < attempt.rejection_by_node.size(); ++i) {
    const RejectionId rejection = attempt.rejection_by_node[i];
    if (!rejection.valid() || rejection == kPassed) continue;
    examination.obstacles[i] = cycle.obstacles(cluster::NodeId{i});
    // Room that is kept for nominated pods is no plugin's own rejection.
    if (examination.obstacles[i].empty()) examination.obstacles[i] = obstacles_of(rejections_->at(rejection));
  }
  return examination;
}

/// What follows a failed attempt: the search for victims, and what is told of both.
void Scheduler::conclude(Cycle& cycle, const Profile& profile, Decision& decision, const PostFiltering& how) {
  const Attempt& attempt = decision.attempt;
  if (attempt.scheduled()) return;
  FitError told{attempt.error, how.nodes, attempt.pre_filter, attempt.rejections, {}, rejections_};
  const bool is_decided = attempt.error.empty() && how.nodes > 0;
  if (is_decided) told.post_filters = run_post_filters(cycle, profile, decision, how);
  decision.fit_error = std::make_shared<const FitError>(std::move(told));
}

namespace {

/// Why preemption does not help, if it does not.
NoHelp no_help(const Preemption& found) {
  NoHelp answer{NoHelp::Kind::kNoVictimsAnywhere, {}, {}, {}};
  if (!found.error.empty()) {
    answer.kind = NoHelp::Kind::kFailed;
    answer.text = found.error;
  } else if (found.ineligible) {
    answer.kind = NoHelp::Kind::kIneligible;
    answer.ineligible = *found.ineligible;
  } else if (found.refused_by_extenders) {
    answer.kind = NoHelp::Kind::kNoCandidate;
  } else {
    answer.rejections = found.rejections;
  }
  return answer;
}

}  // namespace

/// Asks the PostFilter plugins in turn. Returns what they say, or nothing once one has helped; of one that failed, that
/// alone.
std::vector<NoHelp> Scheduler::run_post_filters(Cycle& cycle, const Profile& profile, Decision& decision,
                                                const PostFiltering& how) {
  std::vector<NoHelp> answers;
  for (const Plugin* plugin : profile.post_filters()) {
    if (plugin != profile.preemptor()) {
      PostFilterResult result = plugin->post_filter(cycle);
      NoHelp answer{NoHelp::Kind::kSaid, std::move(result.message), {}, {}};
      if (result.failed) return {std::move(answer)};
      answers.push_back(std::move(answer));
    } else if (how.search == Search::kNone) {
      continue;
    } else if (how.is_part) {
      answers.push_back({NoHelp::Kind::kTriedInPart, {}, {}, {}});
    } else {
      decision.preemption = find_preemption(cycle, profile, decision.attempt, *rejections_, how.search, how.ranked);
      if (decision.preemption.node.valid()) return {};
      answers.push_back(no_help(decision.preemption));
      if (answers.back().kind == NoHelp::Kind::kFailed) return {std::move(answers.back())};
    }
  }
  return answers;
}

void Scheduler::reserve(cluster::PodId pod, cluster::NodeId node) {
  if (cluster_->pod(pod).reservation.valid()) return;  // it holds room, and nothing else
  const Profile& profile = *entry_of(pod).profile;
  if (profile.reserves().empty()) return;
  Cycle cycle(*cluster_, profile, *rejections_, pod);
  for (const Plugin* plugin : profile.reserves()) {
    // What the plugin reserves it finds as it did for the decision: from what its PreFilter prepares.
    if (std::ranges::find(profile.pre_filters(), plugin) == profile.pre_filters().end()) continue;
    const PreFilterResult result = plugin->pre_filter(cycle);
    if (!result.skip && !result.rejection) plugin->reserve(cycle, node);
  }
}

void Scheduler::reclaim() {
  if (rejections_->size() > kMostRejections) {
    // Names of claims and of plugins' complaints come and go. Those that searches remember go with them.
    for (Entry& entry : profiles_) entry.searches = std::make_unique<SearchCache>();
    rejections_ = std::make_shared<RejectionTable>();  // what was told refers to the old one
  }
  for (const Entry& entry : profiles_) entry.searches->keep_in_use(*cluster_);
  cluster_->reclaim();
  for (const Entry& entry : profiles_) entry.searches->forget_reclaimed(*cluster_);
}

}  // namespace loadline::placement
