#include "brain/queue/kueue/tournament.h"

#include <algorithm>
#include <utility>

#include "brain/queue/kueue/trial.h"
#include "foundation/base/contract.h"

namespace loadline::queue::kueue {

Tournament::Tournament(Quotas& quotas, const Workloads& workloads, const Settings& settings,
                       std::vector<Contestant> contestants)
    : quotas_(quotas), workloads_(workloads), settings_(settings), contestants_(std::move(contestants)) {
  standings_.resize(contestants_.size());
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    order_.push_back(workloads.at(contestants_[i].workload).queue);
    left_.emplace(order_.back(), i);
  }
}

std::size_t Tournament::next() {
  REQUIRES(has_next());
  const auto first = std::ranges::find_if(order_, [this](QuotaNodeId queue) { return left_.contains(queue); });
  const QuotaNodeId root = quotas_.tree().root(*first);
  std::size_t winner = left_.at(*first);
  if (root != *first) {
    compute_standings(root);
    winner = best_below(root, 0);
  }
  left_.erase(order_[winner]);
  return winner;
}

/// With its own usage added, each by itself.
void Tournament::compute_standings(QuotaNodeId node) {
  const cluster::QuotaTree& tree = quotas_.tree();
  for (const QuotaNodeId child : tree.children(node)) compute_standings(child);
  const auto found = left_.find(node);
  if (found == left_.end()) return;
  std::vector<QuotaUse> usage = contestants_[found->second].usage;
  std::vector<Standing>& standings = standings_[found->second];
  standings.clear();
  const Trial trial(quotas_.tree());
  for (const QuotaUse& use : usage) quotas_.add(use.cell, use.amount);
  for (; tree.parent(node).valid(); node = tree.parent(node)) {
    const bool borrows = std::ranges::any_of(usage, [this](const QuotaUse& use) {
      return use.amount > Amount() && quotas_.is_declared(use.cell) && !quotas_.is_within(use.cell);
    });
    standings.push_back({share_of(quotas_, node), borrows});
    for (QuotaUse& use : usage) use.cell = quotas_.parent(use.cell);
  }
}

std::size_t Tournament::best_below(QuotaNodeId node, std::size_t depth) const {
  const auto own = left_.find(node);
  if (own != left_.end()) return own->second;
  std::size_t best = kNobody;
  for (const QuotaNodeId child : quotas_.tree().children(node)) {
    const std::size_t candidate = best_below(child, depth + 1);
    if (candidate == kNobody) continue;
    if (best == kNobody || is_better(candidate, best, depth + 1)) best = candidate;
  }
  return best;
}

/// Of its node at that depth.
const Tournament::Standing& Tournament::standing(std::size_t contestant, std::size_t depth) const {
  return standings_[contestant][standings_[contestant].size() - depth];
}

bool Tournament::is_better(std::size_t a, std::size_t b, std::size_t depth) const {
  const Workload& mine = workloads_.at(contestants_[a].workload);
  const Workload& theirs = workloads_.at(contestants_[b].workload);
  const bool is_remembered = settings_.repeated_preemption == RepeatedPreemption::kRefused;
  if (is_remembered && mine.has_made_room != theirs.has_made_room) return mine.has_made_room;
  const Standing& one = standing(a, depth);
  const Standing& other = standing(b, depth);
  if (settings_.prefers_those_within_quota && one.borrows != other.borrows) return other.borrows;
  const auto shares = compare(one.share, other.share);
  if (shares != 0) return shares < 0;
  if (settings_.sorts_by_priority && mine.priority != theirs.priority) return mine.priority > theirs.priority;
  return mine.queued_at < theirs.queued_at;
}

}  // namespace loadline::queue::kueue
