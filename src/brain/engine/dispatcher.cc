#include "brain/engine/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "brain/cluster/transaction.h"
#include "brain/engine/broken_groups.h"
#include "brain/gang/group_placement.h"
#include "brain/gang/group_preemption.h"
#include "brain/gang/place.h"
#include "brain/gang/topology/close_placement.h"
#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;

// ---- pods -----------------------------------------------------------------------------------------------------------

Unit Dispatcher::unit_of(PodId pod) const {
  const cluster::GroupId group = cluster_.pod(pod).group;
  return group.valid() ? Unit(group) : Unit(pod);
}

void Dispatcher::add(PodId pod) {
  REQUIRES(scheduler_.profile(cluster_.symbols().text(cluster_.shape_of(pod).scheduler_name)) != nullptr);
  const cluster::GroupId group = cluster_.pod(pod).group;
  if (!group.valid()) return queue_.push(pod);
  promises_.forget(Unit(group));
  promises_.arrived();
  Waiting& waiting = groups_[group];
  waiting.push_back(pod);
  if (queue_.has(group)) {
    queue_.push(group, pod);
  } else {
    enqueue(group, waiting);
  }
}

void Dispatcher::withdraw(PodId pod) {
  const cluster::GroupId group = cluster_.pod(pod).group;
  promises_.forget(unit_of(pod));
  if (!group.valid()) return queue_.remove(Unit(pod));
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  std::erase(found->second, pod);
  if (!found->second.empty()) {
    if (queue_.has(group)) queue_.rank(group, found->second);
    return queue_.wake(Unit(group));  // the others may fit without it
  }
  queue_.remove(Unit(group));
  groups_.erase(found);
}

void Dispatcher::placed_elsewhere(PodId pod) {
  ++generation_;
  queue_.pod_placed(pod);
  // The rest of its group may suffice now.
  if (const Unit unit = unit_of(pod); unit.is_group()) queue_.wake(unit);
}

void Dispatcher::take_back(PodId pod) {
  cluster_.unplace(pod);
  add(pod);
  capacity_freed();
}

void Dispatcher::leaving(PodId pod, bool by_preemption) {
  cluster_.set_terminating(pod, by_preemption);
  ++generation_;
  queue_.pod_leaving(pod);
}

void Dispatcher::group_changed(cluster::GroupId group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  promises_.forget(Unit(group));
  enqueue(group, found->second);
}

/// Lets the group have a turn, unless members are missing.
void Dispatcher::enqueue(cluster::GroupId group, const Waiting& waiting) {
  if (scheduler_.gate(waiting.front())) return queue_.remove(Unit(group));
  for (const PodId pod : waiting) queue_.push(group, pod);
}

std::optional<std::string> Dispatcher::held_by_group(PodId pod) const {
  const std::optional<placement::Rejection> gate = scheduler_.gate(pod);
  if (!gate) return std::nullopt;
  return gate->reasons.front().text();
}

// ---- the model changed ----------------------------------------------------------------------------------------------

void Dispatcher::capacity_freed() {
  ++generation_;
  wake_parked();
}

void Dispatcher::wake_parked() {
  if (retries_ == Retries::kAtOnce) {
    queue_.wake_all();
  } else {
    is_room_news_ = true;
  }
}

void Dispatcher::reclaim() {
  failures_.clear();  // named by shapes
  searches_.clear();  // and pods
  room_.forget_unused();
  promises_.reclaim();
  scheduler_.reclaim();
}

bool Dispatcher::flush_unschedulable() {
  if (generation_ == retried_generation_) return false;
  retried_generation_ = generation_;
  wake_parked();
  return has_next();
}

std::vector<gang::Release> Dispatcher::overdue_starts(Instant now) {
  gang::PartialStarts::Overdue overdue = partial_starts_.overdue(cluster_, scheduler_, now);
  if (!overdue.unfinished.empty() || switches_.broken == gang::BrokenGroups::kKept) {
    return std::move(overdue.unfinished);
  }
  if (overdue.broken.empty()) return {};
  std::vector<InLine> line;
  for (const Unit& unit : queue_.first_in_line(kMostBeneficiaries)) {
    const std::span<const PodId> pods = pods_of(unit);
    if (!cluster_.pod(pods.front()).reservation.valid()) line.push_back({unit, pods});
  }
  const auto starts = [this](const Unit& unit, const std::vector<PodId>& pods) { return try_place(unit, pods); };
  return useful_releases(cluster_, std::move(overdue.broken), line, starts);
}

// ---- turns ----------------------------------------------------------------------------------------------------------

std::optional<Unit> Dispatcher::next() {
  if (std::exchange(is_room_news_, false)) queue_.wake_with_room(room_);
  while (const std::optional<Unit> unit = queue_.pop()) {
    // Members may have gone since the group entered the queue.
    if (unit->is_group() && scheduler_.gate(groups_.at(unit->group).front())) {
      queue_.remove(*unit);
      promises_.forget(*unit);
    } else if (const std::optional<Need> need = unmet_need(*unit)) {
      queue_.park(*unit, {}, need);
      if (unit->is_group()) promises_.failed(generation_);
    } else if (is_held(*unit)) {
      queue_.park(*unit, {}, unit->is_group() ? need_of(unit->group, groups_.at(unit->group)) : need_of(unit->pod));
    } else {
      return unit;
    }
  }
  return std::nullopt;
}

/// What the unit needs, if there is certainly no room for it, so that its turn would be in vain.
std::optional<Need> Dispatcher::unmet_need(const Unit& unit) {
  if (retries_ == Retries::kAtOnce) return std::nullopt;
  if (!unit.is_group() && cluster_.pod(unit.pod).nominated.valid()) return std::nullopt;
  std::optional<Need> need = unit.is_group() ? need_of(unit.group, groups_.at(unit.group)) : need_of(unit.pod);
  if (!need || room_.of(need->shape, need->priority) >= need->pods) return std::nullopt;
  return need;
}

std::span<const PodId> Dispatcher::pods_of(const Unit& unit) const {
  if (unit.is_group()) return groups_.at(unit.group);
  return {&unit.pod, 1};
}

Turn Dispatcher::take(Unit unit, placement::Detail detail) {
  Turn turn;
  take(unit, detail, turn);
  return turn;
}

void Dispatcher::take(Unit unit, placement::Detail detail, Turn& turn) {
  turn.clear();
  turn.unit = unit;
  if (plans_starts()) promises_.refresh(generation_, unit);
  if (unit.is_group()) {
    decide_group(unit, detail, turn);
  } else {
    decide(unit.pod, detail, turn.pods.emplace_back());
  }
  for (std::size_t i = 0; i < turn.pods.size() && tell_; ++i) tell_(turn.pods[i]);
}

// ---- planned starts -------------------------------------------------------------------------------------------------

StartPromises::Units Dispatcher::units() {
  return {[this](const Unit& unit) { return pods_of(unit); }, [this](Unit unit) { return least_of(unit); },
          [this](Unit unit) {
            const std::span<const PodId> pods = pods_of(unit);
            return try_place(unit, {pods.begin(), pods.end()});
          },
          [this](Unit unit) { return priority_of(unit); },
          [this](Unit unit) { return unit.is_group() && gang::has_topology_wish(cluster_.group(unit.group)); }};
}

std::size_t Dispatcher::least_of(const Unit& unit) const {
  if (!unit.is_group()) return 1;
  const cluster::PodGroup& known = cluster_.group(unit.group);
  const std::int64_t missing = known.min_count - static_cast<std::int64_t>(known.placed);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(missing, 1, std::ssize(groups_.at(unit.group))));
}

std::int32_t Dispatcher::priority_of(const Unit& unit) const {
  const std::span<const PodId> pods = pods_of(unit);
  std::int32_t best = cluster_.pod(pods.front()).priority;
  for (const PodId pod : pods) best = std::max(best, cluster_.pod(pod).priority);
  return best;
}

/// Places these pods of the unit in the cluster as it stands, in a transaction of the caller. False: it does not start.
bool Dispatcher::try_place(const Unit& unit, const std::vector<PodId>& pods) {
  constexpr gang::Effort kProbe{placement::Detail::kDecision, placement::Search::kNone, nullptr, gang::kProbeBudget};
  if (unit.is_group()) {
    if (scheduler_.gate(pods.front())) return false;
    return place_group(unit.group, pods, kProbe).verdict == gang::Verdict::kStarts;
  }
  const placement::Decision decision = scheduler_.decide(unit.pod, kProbe.detail, kProbe.preemption);
  if (!decision.attempt.scheduled()) return false;
  gang::put(cluster_, scheduler_, {unit.pod, decision.attempt.node});
  return true;
}

/// Whether the unit's turn is certain to end with its being held back, so that it need not have one.
bool Dispatcher::is_held(const Unit& unit) {
  if (retries_ == Retries::kAtOnce || !plans_starts()) return false;
  promises_.refresh(generation_, unit);
  return promises_.certain_refusal(unit) != nullptr;
}

std::string Dispatcher::held_text(const Passage& passage) const {
  const Unit& unit = passage.held_by;
  if (!unit.is_group()) {
    return fmt::format("would move the planned start of pod {} at {}", cluster_.pod_text(unit.pod),
                       format_rfc3339(passage.until));
  }
  const cluster::PodGroup& group = cluster_.group(unit.group);
  return fmt::format("would move the planned start of pod group {}/{} at {}", cluster_.symbols().text(group.name_space),
                     group.name, format_rfc3339(passage.until));
}

// ---- a pod's turn ---------------------------------------------------------------------------------------------------

void Dispatcher::decide(PodId pod, placement::Detail detail, PodTurn& turn) {
  turn.pod = pod;
  // A caller that asks for more detail gets the decision itself.
  if (const KnownFailure* known = known_failure(pod); known != nullptr && detail == placement::Detail::kDecision) {
    turn.is_repeated = true;
    turn.message = known->message;
    turn.reasons = known->reasons;
    queue_.park(Unit(pod), known->refused_by, need_of(pod));
    return;
  }
  scheduler_.decide(pod, detail, placement::Search::kAsConfigured, turn.decision);
  if (!may_start(turn)) {
    queue_.park(Unit(pod), {}, need_of(pod));
  } else if (turn.decision.attempt.scheduled()) {
    place(turn);
    promises_.started(Unit(pod), {pod}, generation_);
  } else {
    spare_groups(pod, turn.decision);
    fail(turn);
  }
}

/// False: the pod fits, but others have its room for later. Its place may be another one on return.
bool Dispatcher::may_start(PodTurn& turn) {
  if (promises_.empty()) return true;
  const Unit unit(turn.pod);
  placement::Attempt& attempt = turn.decision.attempt;
  const bool has_room_already = attempt.consumes.valid() || attempt.by_nomination;
  if (has_room_already) return true;
  Passage passage;
  if (attempt.scheduled()) passage = promises_.pass(unit, {{turn.pod, attempt.node}});
  if (!passage.is_free() && attempt.error.empty()) passage.places = promises_.due_places(unit);
  if (passage.is_free()) {
    attempt.node = passage.places.front().node;
    return true;
  }
  if (!attempt.scheduled()) {
    promises_.settle_due(unit);
    return true;
  }
  attempt.node = NodeId{};
  turn.message = held_text(passage);
  turn.held_by = passage.held_by;
  return false;
}

Need Dispatcher::need_of(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  return {record.shape, record.priority, 1};
}

/// Nothing is known of groups of different pods, or of one for which room is being made.
std::optional<Need> Dispatcher::need_of(cluster::GroupId group, const Waiting& waiting) const {
  const cluster::PodRecord& first = cluster_.pod(waiting.front());
  const bool is_uniform = std::ranges::all_of(waiting, [&](PodId pod) {
    const cluster::PodRecord& record = cluster_.pod(pod);
    return record.shape == first.shape && record.priority == first.priority && !record.nominated.valid();
  });
  const cluster::PodGroup& known = cluster_.group(group);
  if (!is_uniform || known.rules.priority) return std::nullopt;
  const std::int64_t missing = known.min_count - static_cast<std::int64_t>(known.placed);
  return Need{first.shape, first.priority, std::clamp<std::int64_t>(missing, 1, std::ssize(waiting))};
}

/// Pods of one shape and priority fail alike as long as nothing changes, so the second one need not ask again.
const Dispatcher::KnownFailure* Dispatcher::known_failure(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  if (record.nominated.valid()) return nullptr;
  const auto known = failures_.find({record.shape, record.priority, record.preemption_policy});
  return known == failures_.end() || known->second.generation != generation_ ? nullptr : &known->second;
}

void Dispatcher::place(PodTurn& turn) {
  const NodeId node = turn.decision.attempt.node;
  scheduler_.reserve(turn.pod, node);
  turn.volumes = cluster_.volumes().take_choices();
  const NodeId nominated = cluster_.pod(turn.pod).nominated;
  cluster_.nominate(turn.pod, NodeId{});
  // A nomination was taken back: pods that failed because of it may fit now.
  if (nominated.valid() && nominated != node) capacity_freed();
  if (turn.decision.attempt.consumes.valid()) cluster_.consume(turn.decision.attempt.consumes);
  settle_consumption(turn);
  cluster_.place(turn.pod, node);
  ++generation_;
  turn.node = node;
  queue_.pod_placed(turn.pod);
}

/// A placeholder that a pod has the place of does not wait. If the pod takes less, other pods may fit.
void Dispatcher::settle_consumption(PodTurn& turn) {
  turn.consumed = turn.decision.attempt.consumes;
  if (!turn.consumed.valid()) return;
  queue_.remove(Unit(turn.consumed));
  promises_.forget(Unit(turn.consumed));
  const bool had_room = turn.decision.attempt.by_reservation;
  if (had_room && cluster_.pod(turn.consumed).shape != cluster_.pod(turn.pod).shape) capacity_freed();
}

void Dispatcher::fail(PodTurn& turn) {
  describe_failure(turn);
  const placement::Decision& decision = turn.decision;
  const cluster::PodRecord& record = cluster_.pod(turn.pod);
  const placement::Preemption& preemption = decision.preemption;
  const bool stays_nominated = record.nominated.valid() && preemption.keeps_nomination();
  if (record.nominated.valid() && !stays_nominated && preemption.node != record.nominated) {
    cluster_.nominate(turn.pod, NodeId{});
    capacity_freed();
  }
  std::vector<std::string_view> refused_by = refusing_plugins(decision);
  const bool evicts = preemption.node.valid() && !promises_.needs(Unit(turn.pod), preemption.node);
  const bool has_prospect = stays_nominated || evicts;
  queue_.park(Unit(turn.pod), refused_by, has_prospect ? std::nullopt : std::optional(need_of(turn.pod)));
  if (evicts) {
    make_room(turn, preemption.node);
  } else if (!stays_nominated && decision.attempt.error.empty() && !decision.asked_extenders &&
             !record.reservation.valid()) {
    // A pod may go where a placeholder of its shape may not. What a scoring plugin that is not built in fails with may
    // depend on what the shape does not hold: annotations.
    failures_[{record.shape, record.priority, record.preemption_policy}] = {generation_, turn.message, turn.reasons,
                                                                            std::move(refused_by)};
  }
  turn.nominated = record.nominated;
}

void Dispatcher::describe_failure(PodTurn& turn) const {
  turn.message = turn.decision.message;
  turn.reasons = count_reasons(turn.decision.attempt, scheduler_.rejections(), cluster_.node_count());
  turn.is_error = !turn.decision.attempt.error.empty();
}

std::vector<std::string_view> Dispatcher::refusing_plugins(const placement::Decision& decision) const {
  // Where evictions make room, a pod affinity may still be unmet: the attempt's filters did not come so far.
  std::vector<std::string_view> plugins = decision.attempt.rejecting_plugins;
  for (const placement::RejectionCount& counted : decision.preemption.rejections) {
    plugins.push_back(scheduler_.rejections().at(counted.rejection).plugin);
  }
  return plugins;
}

/// The pod is nominated to the node, where its victims, if it chose any, have to leave.
void Dispatcher::make_room(PodTurn& turn, NodeId node) {
  const std::int32_t priority = cluster_.pod(turn.pod).priority;
  // Pods of lower priority that are nominated to this node lose their nomination.
  const std::vector<PodId> hopeful = cluster_.nominated_to(node);
  for (const PodId other : hopeful) {
    if (other == turn.pod || cluster_.pod(other).priority >= priority) continue;
    cluster_.nominate(other, NodeId{});
    turn.denominated.push_back(other);
    capacity_freed();
  }
  if (cluster_.pod(turn.pod).nominated != node) cluster_.nominate(turn.pod, node);
  ++generation_;
  turn.nominated = node;
  const placement::Candidate* chosen = turn.decision.preemption.chosen();
  if (chosen == nullptr) return;
  for (const PodId victim : chosen->victims) {
    if (!cluster_.pod(victim).terminating) turn.victims.push_back(victim);
  }
}

namespace {

std::string with_preemption(std::string message, const std::string& why_not) {
  if (why_not.empty()) return message;
  message += message.ends_with('.') ? " preemption: " : ", preemption: ";
  return message + why_not;
}

placement::Preemption as_one_candidate(const gang::GroupPreemption& found) {
  placement::Preemption preemption;
  preemption.attempted = true;
  if (found.places.empty()) return preemption;
  preemption.node = found.places.front().node;
  preemption.best = {preemption.node};
  if (found.victims.empty()) return preemption;
  placement::Candidate candidate{preemption.node, {}, 0};
  for (const gang::EvictionUnit& unit : found.victims) {
    candidate.victims.insert(candidate.victims.end(), unit.pods.begin(), unit.pods.end());
  }
  preemption.candidates.push_back(std::move(candidate));
  return preemption;
}

}  // namespace

/// A pod that would break up a group, or end what is not to end yet, looks for victims that leave nobody behind.
void Dispatcher::spare_groups(PodId pod, placement::Decision& decision) {
  const placement::Candidate* chosen = decision.preemption.chosen();
  if (chosen == nullptr || switches_.victims == gang::GroupVictims::kPodByPod) return;
  const gang::Preemptor preemptor = gang::preemptor_of(cluster_, pod);
  const gang::EvictionRules rules{switches_.victims, preemptor.group, preemptor.priority, now_};
  if (gang::may_leave(cluster_, rules, chosen->victims)) return;
  const gang::TryPlace fits = [&] { return try_place(Unit(pod), {pod}); };
  const gang::GroupPreemption found = gang::preempt(cluster_, scheduler_, preemptor, switches_.victims, now_, fits);
  decision.preemption = as_one_candidate(found);
  decision.message = with_preemption(std::move(decision.message), found.why_not);
}

// ---- a group's turn -------------------------------------------------------------------------------------------------

namespace {

using Nominations = std::vector<std::pair<PodId, NodeId>>;

Nominations nominations_of(const cluster::Cluster& cluster, const std::vector<PodId>& pods) {
  Nominations nominations;
  for (const PodId pod : pods) {
    if (const NodeId node = cluster.pod(pod).nominated; node.valid()) nominations.emplace_back(pod, node);
  }
  return nominations;
}

/// Room is no longer kept for one of the pods, where it may have stood in the way of others.
bool is_any_given_up(const cluster::Cluster& cluster, const Nominations& nominations) {
  return std::ranges::any_of(nominations, [&](const auto& nomination) {
    const cluster::PodRecord& record = cluster.pod(nomination.first);
    return record.node != nomination.second && !record.nominated.valid();
  });
}

/// Two members may make room on one node. The first of them answers for the victims they share.
void leave_each_victim_once(std::vector<PodTurn>& pods) {
  std::set<PodId> named;
  for (PodTurn& pod : pods) {
    std::erase_if(pod.victims, [&](PodId victim) { return !named.insert(victim).second; });
  }
}

bool consumes_any(const gang::GroupAttempt& attempt) {
  return std::ranges::any_of(
      attempt.members, [](const gang::MemberAttempt& member) { return member.decision.attempt.consumes.valid(); });
}

std::vector<gang::Place> places_of(const gang::GroupAttempt& attempt) {
  std::vector<gang::Place> places;
  for (const gang::MemberAttempt& member : attempt.members) {
    if (member.node.valid()) places.push_back({member.pod, member.node});
  }
  return places;
}

/// Members that had no attempt, because one before them ended in an error.
void fail_untried(Turn& turn, const std::vector<PodId>& members) {
  for (const PodId pod : members) {
    const bool was_tried = std::ranges::find(turn.pods, pod, &PodTurn::pod) != turn.pods.end();
    if (was_tried) continue;
    PodTurn& untried = turn.pods.emplace_back();
    untried.pod = pod;
    untried.message = turn.message;
    untried.is_error = untried.is_repeated = true;
  }
}

}  // namespace

void Dispatcher::decide_group(Unit unit, placement::Detail detail, Turn& turn) {
  Waiting& waiting = groups_.at(unit.group);
  const Nominations nominations = nominations_of(cluster_, waiting);
  const std::uint64_t generation = generation_;
  turn.repeats_search = known_search(unit.group, waiting) != nullptr;
  gang::GroupAttempt attempt = try_group(unit.group, waiting, detail, turn);
  turn.search = attempt.search;
  turn.verdict = attempt.verdict;
  turn.message = attempt.message;
  turn.fits = attempt.fits;
  turn.hopeful = attempt.hopeful;
  turn.stopped_by = attempt.stopped_by;
  turn.victims = attempt.victims;
  turn.pods.reserve(waiting.size());
  std::vector<std::string_view> refused_by;
  for (gang::MemberAttempt& member : attempt.members) {
    const std::vector<std::string_view> plugins = refusing_plugins(member.decision);
    refused_by.insert(refused_by.end(), plugins.begin(), plugins.end());
    conclude(member, attempt, turn.pods.emplace_back());
    if (!member.same_as) continue;
    turn.pods.back().message = turn.pods[*member.same_as].message;
    turn.pods.back().reasons = turn.pods[*member.same_as].reasons;
  }
  leave_each_victim_once(turn.pods);
  if (turn.pods.size() < waiting.size()) fail_untried(turn, waiting);
  std::erase_if(waiting, [&](PodId pod) { return cluster_.pod(pod).node.valid(); });
  if (turn.verdict == gang::Verdict::kStarts) queue_.forget_failures(unit);
  if (turn.verdict == gang::Verdict::kStarts) {
    std::vector<PodId> started;
    for (const PodTurn& pod : turn.pods) {
      if (pod.node.valid()) started.push_back(pod.pod);
    }
    promises_.started(unit, started, generation_);
  } else {
    promises_.failed(generation_);
    promises_.refresh(generation_, unit);
    if (const gang::PlannedStart* planned = promises_.of(unit)) {
      turn.planned_start = *planned;
      turn.awaits = promises_.awaited(*planned);
    }
  }
  searches_.erase(unit.group);
  if (turn.search && turn.search->ending != gang::SearchEnding::kFound) {
    searches_[unit.group] = {generation, waiting, *turn.search};
  }
  if (waiting.empty()) {
    queue_.remove(unit);
    groups_.erase(unit.group);
  } else {
    queue_.rank(unit.group, waiting);
    queue_.park(unit, refused_by, need_of(unit.group, waiting));
    if (is_any_given_up(cluster_, nominations)) queue_.wake(unit);
  }
  // That may help other units, and the rest of this one.
  for (const PodTurn& pod : turn.pods) {
    if (pod.node.valid()) queue_.pod_placed(pod.pod);
  }
}

/// What the members claim stays if the group starts. Nobody is evicted for a group that would not start then.
gang::GroupAttempt Dispatcher::try_group(cluster::GroupId group, const Waiting& members, placement::Detail detail,
                                         Turn& turn) {
  std::vector<NodeId> nominated;
  for (const PodId pod : members) nominated.push_back(cluster_.pod(pod).nominated);
  cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  const bool is_pod_by_pod = switches_.victims == gang::GroupVictims::kPodByPod;
  const placement::Search preemption = is_pod_by_pod ? placement::Search::kAsConfigured : placement::Search::kNone;
  gang::GroupAttempt attempt = place_group(group, members, {detail, preemption, known_search(group, members)});
  if (!promises_.empty() && attempt.verdict != gang::Verdict::kFailed) {
    if (attempt.verdict != gang::Verdict::kStarts || !consumes_any(attempt)) tentatively.rollback();
    if (!may_start(Unit(group), attempt, turn)) return attempt;
  }
  if (attempt.verdict == gang::Verdict::kDoesNotFit && !is_pod_by_pod) {
    tentatively.rollback();
    if (preempts_as_one(group, members)) {
      preempt_as_one(group, members, attempt);
    } else {
      preempt_one_by_one(attempt, detail);
    }
    return attempt;
  }
  if (attempt.verdict == gang::Verdict::kWaitsForRoom) {
    tentatively.rollback();
    const bool takes_planned_places = std::ranges::any_of(attempt.members, [&](const gang::MemberAttempt& member) {
      return member.nominated.valid() && promises_.needs(Unit(group), member.nominated);
    });
    if (!takes_planned_places &&
        gang::starts_after_evictions(cluster_, scheduler_, group, members, attempt, switches_.placement)) {
      return attempt;
    }
    attempt.verdict = gang::Verdict::kDoesNotFit;
    attempt.message = "pod group is unschedulable, even if the pods were gone that it may preempt";
  }
  if (attempt.verdict != gang::Verdict::kStarts) return attempt;
  tentatively.commit();
  ++generation_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const cluster::PodRecord& record = cluster_.pod(members[i]);
    if (nominated[i].valid() && record.node != nominated[i] && record.nominated != nominated[i]) capacity_freed();
  }
  if (!is_pod_by_pod) preempt_one_by_one(attempt, detail);
  return attempt;
}

/// Whether room has to be made for several members at once: the group lacks its minimum, and its profile heeds that.
bool Dispatcher::preempts_as_one(cluster::GroupId group, const Waiting& members) const {
  const cluster::PodGroup& known = cluster_.group(group);
  return static_cast<std::int64_t>(known.placed) < known.min_count && scheduler_.permit(members.front()).has_value();
}

void Dispatcher::preempt_as_one(cluster::GroupId group, const Waiting& members, gang::GroupAttempt& attempt) {
  const gang::TryPlace fits = [&] { return try_place(Unit(group), members); };
  gang::GroupPreemption found =
      gang::preempt(cluster_, scheduler_, gang::preemptor_of(cluster_, group, members), switches_.victims, now_, fits);
  gang::apply(std::move(found), attempt, cluster_);
}

/// Members that the group starts without make room for themselves, as single pods do, one after another.
void Dispatcher::preempt_one_by_one(gang::GroupAttempt& attempt, placement::Detail detail) {
  using Kind = std::tuple<cluster::ShapeId, std::int32_t, kube::PreemptionPolicy>;
  std::map<Kind, std::size_t> in_vain;  // since room was last made: the member that told
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  for (std::size_t i = 0; i < attempt.members.size(); ++i) {
    gang::MemberAttempt& member = attempt.members[i];
    if (member.node.valid()) continue;
    const cluster::PodRecord& record = cluster_.pod(member.pod);
    const Kind kind{record.shape, record.priority, record.preemption_policy};
    if (const auto known = in_vain.find(kind); known != in_vain.end() && !record.nominated.valid()) {
      member.same_as = known->second;
      continue;
    }
    placement::Decision decision = scheduler_.decide(member.pod, detail);
    if (!decision.attempt.scheduled()) spare_groups(member.pod, decision);
    if (gang::make_room(cluster_, member, std::move(decision))) {
      in_vain.clear();
    } else {
      in_vain[kind] = i;
    }
  }
  gang::count_hopeful(attempt);
}

/// Tries to place the members near each other where that is asked for, else one after another.
gang::GroupAttempt Dispatcher::place_group(cluster::GroupId group, const Waiting& members, gang::Effort effort) {
  effort.placement = switches_.placement;
  return gang::place_group(cluster_, scheduler_, trees_, group, members, effort);
}

/// False: the group fits, but others have its room for later. What it claims in the cluster stands again on return, on
/// other places maybe, if it starts.
bool Dispatcher::may_start(const Unit& unit, gang::GroupAttempt& attempt, Turn& turn) {
  if (consumes_any(attempt)) return true;
  Passage passage;
  const bool fits = attempt.verdict == gang::Verdict::kStarts;
  if (fits) passage = promises_.pass(unit, places_of(attempt));
  if (!passage.is_free()) passage.places = promises_.due_places(unit);
  if (passage.is_free()) {
    put_on(attempt, passage.places);
    return true;
  }
  if (!fits) {
    promises_.settle_due(unit);
    return true;
  }
  attempt.verdict = gang::Verdict::kDoesNotFit;
  attempt.message = held_text(passage);
  turn.held_by = passage.held_by;
  return false;
}

void Dispatcher::put_on(gang::GroupAttempt& attempt, const std::vector<gang::Place>& places) {
  attempt.verdict = gang::Verdict::kStarts;
  attempt.message.clear();
  attempt.stopped_by.reset();
  attempt.fits = places.size();
  for (const gang::Place& place : places) {
    const auto member = std::ranges::find(attempt.members, place.pod, &gang::MemberAttempt::pod);
    REQUIRES(member != attempt.members.end());
    member->same_as.reset();
    member->node = member->decision.attempt.node = place.node;
    member->nominated = NodeId{};
    member->volumes = gang::put(cluster_, scheduler_, place);
  }
}

/// What a search came to that found nothing, if nothing has changed since.
const gang::SearchReport* Dispatcher::known_search(cluster::GroupId group, const Waiting& members) const {
  const auto known = searches_.find(group);
  if (known == searches_.end() || known->second.generation != generation_) return nullptr;
  return known->second.members == members ? &known->second.report : nullptr;
}

void Dispatcher::conclude(gang::MemberAttempt& member, const gang::GroupAttempt& attempt, PodTurn& turn) {
  turn.pod = member.pod;
  turn.decision = std::move(member.decision);
  turn.is_repeated = member.same_as.has_value();
  if (attempt.verdict == gang::Verdict::kStarts && member.node.valid()) {
    turn.node = member.node;
    turn.volumes = std::move(member.volumes);
    settle_consumption(turn);
    return;
  }
  const bool is_refused_with_others =
      turn.decision.attempt.scheduled() ||
      (member.nominated.valid() && attempt.verdict == gang::Verdict::kDoesNotFit) ||
      (attempt.verdict == gang::Verdict::kFailed && turn.decision.attempt.error.empty());
  if (is_refused_with_others) {
    turn.message = attempt.message;
    turn.is_error = attempt.verdict == gang::Verdict::kFailed;
  } else {
    describe_failure(turn);
    if (!member.same_as) turn.message = with_preemption(std::move(turn.message), attempt.no_victims);
  }
  settle_nomination(turn, member, attempt.verdict);
  if (!member.victims.empty()) turn.preemptor = cluster_.pod(turn.pod).group;
  for (const PodId victim : member.victims) {
    if (!cluster_.pod(victim).terminating) turn.victims.push_back(victim);
  }
}

/// Room is made for members of a group that will start then, and for surplus members of one that starts. Nothing else
/// holds room while it waits.
void Dispatcher::settle_nomination(PodTurn& turn, const gang::MemberAttempt& member, gang::Verdict verdict) {
  const bool has_prospect = verdict == gang::Verdict::kStarts || verdict == gang::Verdict::kWaitsForRoom;
  const NodeId node = member.nominated.valid() ? member.nominated : member.node;
  const bool evicts_more = turn.decision.preemption.chosen() != nullptr || !member.victims.empty();
  if (has_prospect && node.valid() && node == cluster_.pod(turn.pod).nominated && !evicts_more) {
    turn.nominated = node;  // as before: others that hope for the node were asked when it was nominated first
    return;
  }
  if (has_prospect && node.valid()) return make_room(turn, node);
  if (!cluster_.pod(turn.pod).nominated.valid()) return;
  cluster_.nominate(turn.pod, NodeId{});
  capacity_freed();
}

}  // namespace loadline::engine
