#include "brain/gang/search/bin_completion.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "brain/gang/search/state_key.h"

namespace loadline::gang {
namespace {

constexpr std::size_t kMostPatterns = 1 << 14;          // of all classes in the beginning
constexpr std::size_t kMostInTree = 1 << 18;            // patterns that are still to be tried, of all states above
constexpr std::uint64_t kLooksInAStep = 64;             // partial patterns that are looked at
constexpr std::uint64_t kMostLooks = 1 << 18;           // in one state
constexpr std::size_t kWeighingsInAStep = 4096;         // patterns × kinds
constexpr std::size_t kMemory = std::size_t{64} << 20;  // bytes of failed states, at most
constexpr std::size_t kDeepest = 16'384;                // nodes in the tree; each is a call
constexpr std::size_t kRounds = 400;                    // of learning at the root
constexpr std::size_t kRoundsInTheTree = 64;
constexpr std::uint64_t kStepsToLearn = 1000;  // between two attempts
constexpr std::size_t kMostBounds = 64;

std::int64_t request_of(const PackingKind& kind, std::size_t dimension) {
  return std::max<std::int64_t>(kind.request[dimension], 0);
}

}  // namespace

BinCompletion::BinCompletion(const Packing& packing, std::uint64_t budget)
    : packing_(packing), budget_(budget), demand_(packing.demand) {
  using ClassKey = std::tuple<std::vector<std::int64_t>, std::vector<bool>, std::uint64_t>;
  std::map<ClassKey, std::size_t> known;
  for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
    const PackingNode& node = packing.nodes[n];
    const auto [entry, is_new] = known.try_emplace({node.free, node.admits, node.holds}, classes_.size());
    if (is_new) classes_.push_back({node.free, node.admits, node.holds, {}, {}});
    classes_[entry->second].nodes.push_back(n);
  }
  for (const PackingKind& kind : packing.kinds) left_.push_back(kind.count);
  order_.resize(left_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (const RoomClass& room_class : classes_) nodes_.push_back(std::ssize(room_class.nodes));
}

PackingResult BinCompletion::run() {
  PackingResult result;
  if (packing_.nodes.empty()) return result;
  const bool are_known = know_patterns();
  steps_ = looks_ / kLooksInAStep;
  if (are_known) know_bounds();
  if (!are_known || steps_ > budget_) {
    result.steps = std::min(steps_, budget_ + 1);
    return result;
  }
  const Outcome outcome = descend();
  result.steps = std::min(steps_, budget_ + 1);
  if (outcome == Outcome::kFound) {
    result.ending = PackingResult::Ending::kFound;
    result.members = on_nodes();
  } else if (outcome == Outcome::kFailed) {
    result.ending = PackingResult::Ending::kProven;
    result.shortage.cause = Shortage::Cause::kTried;
  }
  return result;
}

// ---- what is known from the start -----------------------------------------------------------------------------------

bool BinCompletion::know_patterns() {
  std::vector<std::int64_t> scale(classes_.front().free.size(), 1);
  for (const RoomClass& room_class : classes_) {
    for (std::size_t d = 0; d < scale.size(); ++d) scale[d] = std::max(scale[d], room_class.free[d]);
  }
  const auto size = [&](std::size_t k) {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < scale.size(); ++d) {
      sum += std::min(request_of(packing_.kinds[k], d), scale[d]) * 1024 / scale[d];
    }
    return sum;
  };
  std::ranges::stable_sort(order_, std::greater(), size);
  std::size_t listed = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    RoomClass& room_class = classes_[c];
    start_filling(room_class);
    for (std::size_t k = 0; k < left_.size(); ++k) {
      room_class.fit.push_back(most_of(k));
    }
    const bool is_listed = list_patterns(c, patterns_.emplace_back());
    listed += patterns_.back().size();
    if (!is_listed || listed > kMostPatterns || looks_ / kLooksInAStep > budget_) return false;
  }
  return true;
}

void BinCompletion::know_bounds() {
  const std::size_t kinds = left_.size();
  const auto know = [&](std::vector<std::int64_t> weight) {
    bounds_.push_back(weight_bound(std::move(weight), patterns_));
  };
  for (std::size_t d = 0; d < classes_.front().free.size(); ++d) {
    std::vector<std::int64_t> weight;
    for (const PackingKind& kind : packing_.kinds) weight.push_back(request_of(kind, d));
    know(std::move(weight));
  }
  know(std::vector<std::int64_t>(kinds, 1));
  for (std::size_t k = 0; k < kinds; ++k) {
    std::vector<std::int64_t> weight(kinds);
    weight[k] = 1;
    know(std::move(weight));
  }
  bounds_.push_back(learn(bounds_.front(), kRounds));
}

WeightBound BinCompletion::learn(const WeightBound& start, std::size_t rounds) {
  std::size_t patterns = 0;
  for (const std::vector<NodePattern>& of_class : patterns_) patterns += of_class.size();
  const std::size_t in_a_round = std::max<std::size_t>(patterns * left_.size(), 1);
  const std::uint64_t affordable = (budget_ - std::min(steps_, budget_)) * kWeighingsInAStep / in_a_round;
  LearnedBound learned = learn_weights(rest(), patterns_, start, std::min<std::uint64_t>(rounds, affordable));
  steps_ += learned.rounds * in_a_round / kWeighingsInAStep;
  last_learned_ = steps_;
  return std::move(learned.bound);
}

// ---- the tree -------------------------------------------------------------------------------------------------------

BinCompletion::Outcome BinCompletion::descend() {
  if (is_met()) return Outcome::kFound;
  if (++steps_ > budget_ || filled_.size() > kDeepest) return Outcome::kBudget;
  std::string key = this->key();
  if (failed_.contains(key)) return Outcome::kFailed;
  const bool is_hopeless = !is_possible() || is_conflict();
  const std::optional<std::size_t> next = is_hopeless ? std::nullopt : next_class();
  const Outcome outcome = next ? fill_one_of(*next) : Outcome::kFailed;
  if (outcome == Outcome::kFailed) {
    memory_ += key.size() + sizeof key;
    if (memory_ <= kMemory) failed_.insert(std::move(key));
  }
  return outcome;
}

BinCompletion::Outcome BinCompletion::fill_one_of(std::size_t room_class) {
  std::vector<NodePattern> patterns;
  const bool is_listed = list_patterns(room_class, patterns);
  steps_ += filling_.looks / kLooksInAStep;
  in_tree_ += patterns.size();
  if (!is_listed || in_tree_ > kMostInTree) return Outcome::kBudget;
  for (NodePattern& pattern : patterns) {
    filled_.push_back({room_class, std::move(pattern)});
    fill(filled_.back(), -1);
    const Outcome outcome = descend();
    if (outcome != Outcome::kFailed) return outcome;
    fill(filled_.back(), 1);
    filled_.pop_back();
  }
  in_tree_ -= patterns.size();
  return Outcome::kFailed;
}

/// Of the classes that have nodes that members fit on, the one with the fewest choices. Nullopt: there is none.
std::optional<std::size_t> BinCompletion::next_class() const {
  std::optional<std::size_t> best;
  std::int64_t fewest = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (nodes_[c] == 0) continue;
    std::int64_t choices = 1;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      choices = std::min<std::int64_t>(choices * (1 + std::min(left_[k], classes_[c].fit[k])), 1 << 20);
    }
    if (choices == 1 || (best && choices >= fewest)) continue;
    best = c;
    fewest = choices;
  }
  return best;
}

bool BinCompletion::is_possible() {
  slack_.clear();
  for (const WeightBound& bound : bounds_) {
    slack_.push_back(slack_of(bound, rest()));
    if (slack_.back() < 0) return false;
  }
  return true;
}

/// Now and then: whether a weighting proves that the state has no solution, though none that was known does. It is kept
/// then, and ends other states.
bool BinCompletion::is_conflict() {
  if (steps_ < last_learned_ + kStepsToLearn || bounds_.size() >= kMostBounds) return false;
  WeightBound learned = learn(bounds_.back(), kRoundsInTheTree);
  if (slack_of(learned, rest()) >= 0) return false;
  bounds_.push_back(std::move(learned));
  return true;
}

/// The largest kind of which a member has to be on one of the nodes of the class; as many as there are kinds: none.
std::size_t BinCompletion::required_kind(std::size_t room_class) const {
  const std::int64_t all = std::accumulate(left_.begin(), left_.end(), std::int64_t{0});
  for (const std::size_t k : order_) {
    if (left_[k] == 0 || demand_.total <= all - left_[k]) continue;
    bool is_only_here = true;
    for (std::size_t c = 0; c < classes_.size() && is_only_here; ++c) {
      is_only_here = c == room_class || nodes_[c] == 0 || classes_[c].fit[k] == 0;
    }
    if (is_only_here) return k;
  }
  return left_.size();
}

// ---- patterns -------------------------------------------------------------------------------------------------------

void BinCompletion::start_filling(const RoomClass& room_class) {
  filling_ = Filling();
  filling_.room_class = &room_class;
  filling_.required = left_.size();
  filling_.free = room_class.free;
  filling_.holds = room_class.holds;
  filling_.pattern.resize(left_.size());
}

bool BinCompletion::list_patterns(std::size_t c, std::vector<NodePattern>& patterns) {
  const RoomClass& room_class = classes_[c];
  const bool has_bounds = !bounds_.empty();
  start_filling(room_class);
  if (has_bounds) filling_.required = required_kind(c);
  for (std::size_t b = 0; b < bounds_.size(); ++b) {
    std::vector<std::int64_t>& may_add = filling_.may_add.emplace_back(order_.size() + 1);
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::size_t k = order_[i];
      may_add[i] = may_add[i + 1] + bounds_[b].weight[k] * std::min(left_[k], room_class.fit[k]);
    }
    filling_.lacks.push_back(bounds_[b].most[c] - slack_[b]);
  }
  const bool is_listed = list_from(0, patterns);
  looks_ += filling_.looks;
  if (!is_listed || !has_bounds) return is_listed;
  // What leaves least under the learned weights comes first.
  const std::vector<std::int64_t>& weight = bounds_.back().weight;
  std::ranges::stable_sort(patterns, std::greater(), [&](const NodePattern& pattern) {
    return std::inner_product(weight.begin(), weight.end(), pattern.begin(), std::int64_t{0});
  });
  return true;
}

/// Goes on with the kind that has this place in the order. False: there are too many.
bool BinCompletion::list_from(std::size_t at, std::vector<NodePattern>& patterns) {
  if (++filling_.looks > kMostLooks) return false;
  if (!may_still_suffice(at)) return true;
  if (at == order_.size()) {
    if (is_maximal()) patterns.push_back(filling_.pattern);
    return true;
  }
  const std::size_t k = order_[at];
  const PackingKind& kind = packing_.kinds[k];
  const std::int64_t most = most_of(k);
  const std::int64_t least = filling_.required == k ? 1 : 0;
  const std::uint64_t holds = filling_.holds;
  const std::uint64_t excluded = filling_.excluded;
  const auto put = [&](std::int64_t members) {
    filling_.pattern[k] += members;
    for (std::size_t d = 0; d < filling_.free.size(); ++d) filling_.free[d] -= members * request_of(kind, d);
    for (std::size_t b = 0; b < filling_.lacks.size(); ++b) filling_.lacks[b] -= members * bounds_[b].weight[k];
  };
  bool is_listed = true;
  put(most);
  for (std::int64_t members = most; members >= least && is_listed; --members) {
    filling_.holds = members > 0 ? holds | kind.is : holds;
    filling_.excluded = members > 0 ? excluded | kind.excludes : excluded;
    is_listed = list_from(at + 1, patterns);
    if (members > 0) put(-1);
  }
  put(-filling_.pattern[k]);
  filling_.holds = holds;
  filling_.excluded = excluded;
  return is_listed;
}

/// How many more members of the kind the node that is being filled takes.
std::int64_t BinCompletion::most_of(std::size_t k) const {
  const PackingKind& kind = packing_.kinds[k];
  std::int64_t most = left_[k] - filling_.pattern[k];
  if (!filling_.room_class->admits[k] || (kind.excludes & filling_.holds) != 0 || (kind.is & filling_.excluded) != 0) {
    return 0;
  }
  if ((kind.excludes & kind.is) != 0) most = std::min<std::int64_t>(most, 1 - filling_.pattern[k]);
  for (std::size_t d = 0; d < filling_.free.size() && most > 0; ++d) {
    const std::int64_t request = kind.request[d];
    if (request > 0) most = std::min(most, std::max<std::int64_t>(filling_.free[d], 0) / request);
  }
  return std::max<std::int64_t>(most, 0);
}

bool BinCompletion::is_maximal() const {
  return std::ranges::all_of(order_, [&](std::size_t k) { return most_of(k) == 0; });
}

bool BinCompletion::may_still_suffice(std::size_t at) const {
  for (std::size_t b = 0; b < filling_.lacks.size(); ++b) {
    if (filling_.lacks[b] > filling_.may_add[b][at]) return false;
  }
  return true;
}

// ---- steps ----------------------------------------------------------------------------------------------------------

void BinCompletion::fill(const Filled& filled, std::int64_t sign) {
  nodes_[filled.room_class] += sign;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    left_[k] += sign * filled.pattern[k];
    demand_.total += sign * filled.pattern[k];
  }
  for (PackingDemand::Part& part : demand_.parts) {
    for (const std::size_t k : part.kinds) part.least += sign * filled.pattern[k];
  }
}

bool BinCompletion::is_met() const {
  return demand_.total <= 0 && std::ranges::all_of(demand_.parts, [](const auto& part) { return part.least <= 0; });
}

/// Equal exactly for states of which one has a solution if the other has: what is asked for follows from what is left.
std::string BinCompletion::key() const {
  std::string key;
  for (const std::int64_t members : left_) append_number(key, static_cast<std::uint64_t>(members));
  for (const std::int64_t nodes : nodes_) append_number(key, static_cast<std::uint64_t>(nodes));
  return key;
}

std::vector<PackedMember> BinCompletion::on_nodes() const {
  std::vector<std::size_t> used(classes_.size());
  std::vector<PackedMember> members;
  for (const Filled& filled : filled_) {
    const std::size_t node = classes_[filled.room_class].nodes[used[filled.room_class]++];
    for (std::size_t k = 0; k < filled.pattern.size(); ++k) {
      for (std::int64_t i = 0; i < filled.pattern[k]; ++i) members.push_back({k, node});
    }
  }
  return members;
}

}  // namespace loadline::gang
