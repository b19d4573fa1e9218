#include "brain/queue/kueue/flavor_assigner.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace loadline::queue::kueue {
namespace {

using ReasonCode = FlavorReason::Code;

void add_use(std::vector<QuotaUse>& usage, QuotaCellId cell, std::int64_t amount) {
  for (QuotaUse& use : usage) {
    if (use.cell != cell) continue;
    use.amount = use.amount + Amount(amount);
    return;
  }
  usage.push_back({cell, Amount(amount)});
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t total = 0;
  if (!__builtin_add_overflow(a, b, &total)) return total;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

void add_requests(std::vector<ResourceAmount>& total, const std::vector<ResourceAmount>& more,
                  const SymbolTable& symbols) {
  for (const ResourceAmount& request : more) {
    const auto at = std::ranges::lower_bound(total, symbols.text(request.resource), {},
                                             [&](const ResourceAmount& it) { return symbols.text(it.resource); });
    if (at != total.end() && at->resource == request.resource) {
      at->amount = sum(at->amount, request.amount);
    } else {
      total.insert(at, request);
    }
  }
}

const FlavorGroup* find_group(const ClusterQueue& queue, Symbol resource) {
  for (const FlavorGroup& group : queue.groups) {
    if (group.place_of(resource) < group.resources.size()) return &group;
  }
  return nullptr;
}

/// FNV-1a of 64 bits.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char it : text) value = (value ^ static_cast<unsigned char>(it)) * 0x100000001b3;
  return value;
}

/// Upstream keeps requests by the hashes of the resources' names, so this says which group is searched first, and is
/// blamed.
void put_in_order_of_search(std::vector<ResourceAmount>& requests, const SymbolTable& symbols) {
  std::ranges::sort(requests, {}, [&](const ResourceAmount& it) {
    const std::string_view name = symbols.text(it.resource);
    return std::pair(hash(name), name);
  });
}

}  // namespace

/// The pod sets that get their flavors together.
struct FlavorAssigner::GroupSearch {
  WorkloadId id;
  const Workload& workload;
  const ClusterQueue& queue;
  const Assignment& assignment;       // of the pod sets before
  std::vector<std::size_t> pod_sets;  // places
  std::vector<ResourceAmount> requests = {};
  std::vector<FlavorChoice> choices = {};
  std::vector<FlavorReason> reasons = {};
  std::vector<FlavorAttempt> attempts = {};
  std::vector<FlavorReason> found = {};  // about the flavor that is looked at
};

std::vector<ResourceAmount> FlavorAssigner::scaled(const PodSetDemand& set, std::int32_t count,
                                                   const ClusterQueue& queue) const {
  std::vector<ResourceAmount> requests = set.requests;
  if (set.count != 0 && set.count != count) {
    for (ResourceAmount& request : requests) request.amount = request.amount / set.count * count;
  }
  if (!queue.covers_pods) return requests;
  const SymbolTable& symbols = quotas_.tree().symbols();
  const Symbol pods = symbols.find("pods");
  std::erase_if(requests, [&](const ResourceAmount& it) { return it.resource == pods; });
  add_requests(requests, {{pods, set.count == 0 ? 0 : count}}, symbols);
  return requests;
}

Assignment FlavorAssigner::assign(WorkloadId id, std::span<const std::int32_t> counts, std::int64_t round) {
  const Workload& workload = workloads_.at(id);
  const ClusterQueue& queue = queues_.at(workload.queue);
  const SymbolTable& symbols = quotas_.tree().symbols();
  Assignment assignment;
  assignment.progress.generation = queue.generation;
  assignment.progress.round = round;
  assignment.progress.of = workload.equivalence;
  std::vector<std::vector<ResourceAmount>> requests;
  requests.reserve(workload.pod_sets.size());
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const PodSetDemand& set = workload.pod_sets[i];
    requests.push_back(scaled(set, counts.empty() ? set.count : counts[i], queue));
  }
  const auto needs_flavor = [&](const ResourceAmount& request) {
    const bool is_ignored = settings_.quota_check == kube::QuotaCheckStrategy::kIgnoreUndeclared;
    return find_group(queue, request.resource) != nullptr || (request.amount != 0 && !is_ignored);
  };
  assignment.mode = AssignmentMode::kFit;
  std::vector<std::size_t> order;  // of pod sets, as they get their flavors: group by group
  for (std::int32_t group = 0; order.size() < workload.pod_sets.size(); ++group) {
    GroupSearch search{id, workload, queue, assignment, {}};
    for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
      if (workload.pod_sets[i].group != group) continue;
      search.pod_sets.push_back(i);
      add_requests(search.requests, requests[i], symbols);
    }
    put_in_order_of_search(search.requests, symbols);
    bool fits = true;
    for (const ResourceAmount& request : search.requests) {
      if (!needs_flavor(request)) continue;
      const FlavorGroup* covering = find_group(queue, request.resource);
      const bool is_known =
          std::ranges::find(search.choices, request.resource, &FlavorChoice::resource) != search.choices.end();
      if (is_known) continue;
      if (covering == nullptr) search.reasons = {{ReasonCode::kUndeclared, {}, request.resource}};
      fits = covering != nullptr && search_group(search, *covering, request.resource);
      if (!fits) break;
    }
    if (!fits) search.choices.clear();
    bool is_one_without = !fits;
    for (const std::size_t i : search.pod_sets) {
      order.push_back(i);
      const PodSetDemand& set = workload.pod_sets[i];
      const bool is_scaled = !counts.empty() && set.count != 0;
      PodSetAssignment it{i, is_scaled ? counts[i] : set.count, {}, search.reasons, search.attempts};
      std::vector<FlavorProgress::Tried> tried;
      for (const ResourceAmount& request : requests[i]) {
        const auto choice = std::ranges::find(search.choices, request.resource, &FlavorChoice::resource);
        if (choice == search.choices.end()) continue;
        it.choices.push_back(*choice);
        it.choices.back().amount = request.amount;
        assignment.borrowing = std::max(assignment.borrowing, choice->borrowing);
        assignment.mode = std::min(assignment.mode, choice->mode);
        add_use(assignment.usage, choice->cell, request.amount);
        tried.push_back({request.resource, choice->tried});
      }
      is_one_without = is_one_without || (it.choices.empty() && std::ranges::any_of(requests[i], needs_flavor));
      assignment.pod_sets.push_back(std::move(it));
      assignment.progress.pod_sets.push_back(std::move(tried));
    }
    if (!is_one_without) continue;
    assignment.mode = AssignmentMode::kNoFit;
    return assignment;
  }
  if (assignment.pod_sets.empty()) assignment.mode = AssignmentMode::kNoFit;
  return assignment;
}

/// Adds the choices for all requests that the group covers. False: there is none.
bool FlavorAssigner::search_group(GroupSearch& search, const FlavorGroup& group, Symbol resource) {
  const kube::FlavorFungibility& rules = search.queue.object.flavor_fungibility;
  std::vector<FlavorChoice> best;
  Rank best_rank;
  std::vector<FlavorReason> reasons;
  std::int32_t tried = -1;
  const std::optional<FlavorProgress>& progress = search.workload.progress;
  const std::size_t next = progress ? progress->next(search.pod_sets.front(), resource) : 0;
  for (std::size_t i = next < group.flavors.size() ? next : 0; i < group.flavors.size(); ++i) {
    tried = static_cast<std::int32_t>(i);
    search.found.clear();
    std::vector<FlavorChoice> choices;
    Rank rank;
    const bool is_looked_at = takes_pods(search, group.flavors[i]);
    if (is_looked_at) rank = rate_flavor(search, group, i, choices);
    reasons.insert(reasons.end(), search.found.begin(), search.found.end());
    if (tells_attempts_) note_attempt(search, group.flavors[i], rank, choices);
    if (!is_looked_at) continue;
    const bool preempts = rank.mode == Mode::kPreempt || rank.mode == Mode::kReclaim;
    const bool goes_on = rank.mode < Mode::kPreempt || (preempts && rules.tries_next_before_preempting) ||
                         (rank.borrowing != 0 && rules.tries_next_before_borrowing);
    if (!goes_on || is_preferred(rank, best_rank, rules)) {
      best = std::move(choices);
      best_rank = rank;
    }
    if (!goes_on) break;
  }
  if (tried + 1 == static_cast<std::int32_t>(group.flavors.size())) tried = -1;
  for (FlavorChoice& choice : best) choice.tried = tried;
  if (best.empty()) {
    search.reasons = std::move(reasons);
    return false;
  }
  // PreemptionOverBorrowing ranks a resource that borrows behind one for which others leave, so the rank may be of a
  // fit.
  if (!std::ranges::all_of(best, [](const FlavorChoice& it) { return it.mode == AssignmentMode::kFit; })) {
    search.reasons.insert(search.reasons.end(), reasons.begin(), reasons.end());
  }
  search.choices.insert(search.choices.end(), best.begin(), best.end());
  return true;
}

void FlavorAssigner::note_attempt(GroupSearch& search, FlavorId flavor, const Rank& rank,
                                  const std::vector<FlavorChoice>& choices) const {
  FlavorAttempt it{flavor, assignment_mode(rank.mode), {}, 0, search.found};
  if (rank.mode == Mode::kNoCandidates) it.outlook = PreemptionOutlook::kNoCandidates;
  if (rank.mode == Mode::kPreempt) it.outlook = PreemptionOutlook::kPreempt;
  if (rank.mode == Mode::kReclaim) it.outlook = PreemptionOutlook::kReclaim;
  for (const FlavorChoice& choice : choices) it.borrowing = std::max(it.borrowing, choice.borrowing);
  search.attempts.push_back(std::move(it));
}

AssignmentMode FlavorAssigner::assignment_mode(Mode mode) {
  if (mode == Mode::kNoFit) return AssignmentMode::kNoFit;
  return mode == Mode::kFit ? AssignmentMode::kFit : AssignmentMode::kPreempt;
}

bool FlavorAssigner::takes_pods(GroupSearch& search, FlavorId flavor) {
  for (const std::size_t i : search.pod_sets) {
    const FlavorMatch match = queues_.flavors().match(flavor, search.workload.pod_sets[i].shape);
    if (match.code == FlavorMatch::Code::kMatches) continue;
    const ReasonCode code = match.code == FlavorMatch::Code::kNoFlavor           ? ReasonCode::kNoFlavor
                            : match.code == FlavorMatch::Code::kUntoleratedTaint ? ReasonCode::kUntoleratedTaint
                                                                                 : ReasonCode::kNodeAffinity;
    search.found.push_back({code, flavor, {}, match.taint});
    return false;
  }
  return true;
}

FlavorAssigner::Rank FlavorAssigner::rate_flavor(GroupSearch& search, const FlavorGroup& group, std::size_t flavor,
                                                 std::vector<FlavorChoice>& choices) {
  Rank worst{Mode::kFit, 0};
  for (const ResourceAmount& request : search.requests) {
    const std::size_t place = group.place_of(request.resource);
    if (place == group.resources.size()) continue;
    const QuotaCellId cell = group.cell(flavor, place);
    const auto assumed = std::ranges::find(search.assignment.usage, cell, &QuotaUse::cell);
    const Rank rank = rate(search, cell, group.flavors[flavor], request.resource,
                           assumed == search.assignment.usage.end() ? Amount() : assumed->amount, request.amount);
    if (is_preferred(worst, rank, search.queue.object.flavor_fungibility)) worst = rank;
    choices.push_back({request.resource, group.flavors[flavor], cell, assignment_mode(rank.mode), rank.borrowing});
  }
  return worst;
}

FlavorAssigner::Rank FlavorAssigner::rate(GroupSearch& search, QuotaCellId cell, FlavorId flavor, Symbol resource,
                                          Amount assumed, std::int64_t amount) {
  const Amount all = assumed + Amount(amount);
  const Amount most = quotas_.potential(cell);
  if (all > most) {
    search.found.push_back({ReasonCode::kExceedsMaximum, flavor, resource, 0, assumed, Amount(amount), most});
    return {};
  }
  const FittingSubtree lowest = quotas_.lowest_subtree(cell, all);
  const Amount available = at_least_nothing(quotas_.available(cell));
  if (all <= available) return {Mode::kFit, lowest.height};
  search.found.push_back({ReasonCode::kLacksUnused, flavor, resource, 0, {}, {}, all - available});
  if (quotas_.nominal(cell) < all && !lowest.is_part && !may_preempt_while_borrowing(search.queue)) {
    return {Mode::kNoFit, lowest.height};
  }
  const PreemptionOracle::Answer answer = oracle_.simulate(search.id, cell, all);
  constexpr Mode kModes[] = {Mode::kNoCandidates, Mode::kPreempt, Mode::kReclaim};
  return {kModes[static_cast<std::size_t>(answer.outlook)], answer.borrowing};
}

bool FlavorAssigner::is_preferred(const Rank& a, const Rank& b, const kube::FlavorFungibility& rules) const {
  if (a.mode == Mode::kNoFit || b.mode == Mode::kNoFit) return a.mode != Mode::kNoFit;
  if ((a.mode == Mode::kNoCandidates) != (b.mode == Mode::kNoCandidates)) return b.mode == Mode::kNoCandidates;
  const bool borrowing_first = rules.preference == kube::FlavorPreference::kPreemptionOverBorrowing;
  if (borrowing_first && a.borrowing != b.borrowing) return a.borrowing < b.borrowing;
  if (a.mode != b.mode) return a.mode > b.mode;
  return a.borrowing < b.borrowing;
}

bool FlavorAssigner::may_preempt_while_borrowing(const ClusterQueue& queue) const {
  const kube::ClusterQueuePreemption& rules = queue.object.preemption;
  return rules.borrow_within_cohort != kube::QueuePreemptionPolicy::kNever ||
         (settings_.fair_sharing && rules.reclaim_within_cohort != kube::QueuePreemptionPolicy::kNever);
}

}  // namespace loadline::queue::kueue
