#include "brain/gang/search/packing.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "brain/gang/search/bin_completion.h"
#include "brain/gang/search/divisible_sizes.h"
#include "brain/gang/search/packing_state.h"

namespace loadline::gang {
namespace {

constexpr std::uint64_t kQuickSteps = 256;              // member by member, before nodes are filled
constexpr std::size_t kPairsInAStep = 256;              // kinds × classes; more make a step dearer
constexpr std::size_t kMemory = std::size_t{64} << 20;  // bytes of failed states, at most
constexpr std::size_t kDeepest = 16'384;                // members in the tree; each is a call

/// Depth first, see pack().
class PackingSearch {
 public:
  PackingSearch(const Packing& packing, std::uint64_t budget) : packing_(packing), state_(packing), budget_(budget) {}

  PackingResult run();

 private:
  enum class Outcome : std::uint8_t { kFound, kFailed, kBudget };

  Outcome descend();
  Outcome place_one_of(std::size_t kind);
  [[nodiscard]] std::size_t scarcest() const;
  [[nodiscard]] std::vector<std::size_t> fullest_first(std::size_t kind) const;
  bool take_step();
  void remember(std::string key);
  [[nodiscard]] std::vector<PackedMember> on_nodes() const;

  struct Move {
    std::size_t kind = 0;
    std::size_t from = 0, to = 0;  // classes
  };

  const Packing& packing_;
  PackingState state_;
  std::uint64_t budget_;
  std::uint64_t steps_ = 0;
  std::vector<Move> moves_;
  std::unordered_set<std::string> failed_;
  std::size_t memory_ = 0;
};

PackingResult PackingSearch::run() {
  PackingResult result;
  if (std::optional<Shortage> shortage = state_.shortage(true)) {
    result.ending = PackingResult::Ending::kProven;
    result.shortage = *std::move(shortage);
    return result;
  }
  if (const std::optional<std::vector<PackedMember>> matched = state_.matching()) {
    for (const PackedMember& member : *matched) {
      moves_.push_back({member.kind, member.node, state_.put(member.kind, member.node)});
    }
  }
  const Outcome outcome = descend();
  result.steps = steps_;
  if (outcome == Outcome::kFound) {
    result.ending = PackingResult::Ending::kFound;
    result.members = on_nodes();
  } else if (outcome == Outcome::kFailed) {
    result.ending = PackingResult::Ending::kProven;
    result.shortage.cause = Shortage::Cause::kTried;
  }
  return result;
}

PackingSearch::Outcome PackingSearch::descend() {
  if (state_.is_met()) return Outcome::kFound;
  if (!take_step()) return Outcome::kBudget;
  std::string key = state_.key();
  if (failed_.contains(key)) return Outcome::kFailed;
  if (steps_ > 1 && state_.shortage(false)) return Outcome::kFailed;
  const std::size_t kind = scarcest();
  if (kind == state_.kinds()) return Outcome::kFailed;
  Outcome outcome = place_one_of(kind);
  if (outcome == Outcome::kFailed && !state_.asks_for_all()) {
    const std::int64_t left_out = state_.leave_out(kind);
    outcome = descend();
    state_.leave_in(kind, left_out);
  }
  if (outcome == Outcome::kFailed) remember(std::move(key));
  return outcome;
}

PackingSearch::Outcome PackingSearch::place_one_of(std::size_t kind) {
  for (const std::size_t from : fullest_first(kind)) {
    const std::size_t to = state_.put(kind, from);
    moves_.push_back({kind, from, to});
    const Outcome outcome = moves_.size() > kDeepest ? Outcome::kBudget : descend();
    if (outcome != Outcome::kFailed) return outcome;
    moves_.pop_back();
    state_.take_back(kind, from, to);
  }
  return Outcome::kFailed;
}

/// The kind whose members may go to the fewest nodes; of several, the one with the largest. kinds(): none is left.
std::size_t PackingSearch::scarcest() const {
  const std::vector<std::size_t> live = state_.classes();
  std::size_t best = state_.kinds();
  std::pair<std::int64_t, std::int64_t> best_rank;
  for (std::size_t k = 0; k < state_.kinds(); ++k) {
    if (state_.left(k) == 0) continue;
    std::int64_t nodes = 0;
    for (const std::size_t c : live) nodes += state_.fit(c, k) > 0 ? state_.nodes(c) : 0;
    const std::pair rank(nodes, -state_.size(k));
    if (best == state_.kinds() || rank < best_rank) {
      best = k;
      best_rank = rank;
    }
  }
  return best;
}

std::vector<std::size_t> PackingSearch::fullest_first(std::size_t kind) const {
  std::vector<std::pair<std::int64_t, std::size_t>> ranked;
  for (const std::size_t c : state_.classes()) {
    if (state_.fit(c, kind) > 0) ranked.emplace_back(state_.left_over(c, kind), c);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> order;
  for (const auto& [left_over, c] : ranked) order.push_back(c);
  return order;
}

bool PackingSearch::take_step() {
  steps_ += 1 + state_.kinds() * state_.classes().size() / kPairsInAStep;
  return steps_ <= budget_;
}

void PackingSearch::remember(std::string key) {
  memory_ += key.size() + sizeof key;
  if (memory_ <= kMemory) failed_.insert(std::move(key));
}

/// The moves of classes as moves of nodes: any node of the class will do.
std::vector<PackedMember> PackingSearch::on_nodes() const {
  std::map<std::size_t, std::vector<std::size_t>> nodes;  // by class, the first node last
  const std::vector<std::size_t>& class_of = state_.class_of_node();
  for (std::size_t n = class_of.size(); n-- > 0;) nodes[class_of[n]].push_back(n);
  std::vector<PackedMember> members;
  for (const Move& move : moves_) {
    std::vector<std::size_t>& alike = nodes[move.from];
    members.push_back({move.kind, alike.back()});
    alike.pop_back();
    nodes[move.to].push_back(members.back().node);
  }
  return members;
}

/// Members of one kind: any node with room will do.
std::vector<PackedMember> fill(const Packing& packing, std::size_t kind) {
  const PackingState state(packing);
  std::vector<PackedMember> members;
  for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
    const std::int64_t room = state.fit(state.class_of_node()[n], kind);
    for (std::int64_t i = 0; i < room && std::ssize(members) < packing.kinds[kind].count; ++i) {
      members.push_back({kind, n});
    }
  }
  return members;
}

}  // namespace

PackingResult pack(const Packing& packing, std::uint64_t budget) {
  PackingResult result;
  if (packing.kinds.size() == 1) {
    std::optional<Shortage> shortage = shortage_of(packing);
    result.ending = shortage ? PackingResult::Ending::kProven : PackingResult::Ending::kFound;
    if (shortage) {
      result.shortage = *std::move(shortage);
    } else {
      result.members = fill(packing, 0);
    }
    return result;
  }
  if (const std::optional<std::size_t> dimension = divisible_dimension(packing)) {
    if (std::optional<Shortage> shortage = shortage_of(packing)) {
      result.ending = PackingResult::Ending::kProven;
      result.shortage = *std::move(shortage);
      return result;
    }
    std::optional<std::vector<PackedMember>> members = largest_first(packing, *dimension);
    result.ending = members ? PackingResult::Ending::kFound : PackingResult::Ending::kProven;
    if (members) result.members = *std::move(members);
    return result;
  }
  // Most packings leave room enough that one member after another finds it. Those that do not are filled node by node.
  PackingResult quick = PackingSearch(packing, std::min(budget, kQuickSteps)).run();
  if (quick.ending != PackingResult::Ending::kBudget || budget <= kQuickSteps) return quick;
  BinCompletion completion(packing, budget - kQuickSteps);
  result = completion.run();
  result.steps += kQuickSteps;
  if (result.ending != PackingResult::Ending::kBudget || result.steps >= budget) return result;
  // There are too many ways to fill a node.
  const std::uint64_t taken = result.steps;
  result = PackingSearch(packing, budget - taken).run();
  result.steps += taken;
  return result;
}

}  // namespace loadline::gang
