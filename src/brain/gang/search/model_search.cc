#include "brain/gang/search/model_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/search/alike_nodes.h"
#include "brain/gang/search/quick_shortage.h"
#include "brain/gang/search/state_key.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::size_t kLooksInAStep = 64;                       // members × nodes; more make a step dearer
constexpr std::size_t kMemoryOfStates = std::size_t{64} << 20;  // bytes, at most

std::int32_t highest_priority(const cluster::Cluster& cluster, const MemberKinds& kinds) {
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();
  for (const MemberKind& kind : kinds.kinds) highest = std::max(highest, cluster.pod(kind.pods.front()).priority);
  return highest;
}

}  // namespace

ModelSearch::ModelSearch(cluster::Cluster& cluster, placement::Scheduler& scheduler, const MemberKinds& kinds,
                         std::span<const NodeId> nodes, std::uint64_t budget)
    : cluster_(cluster),
      scheduler_(scheduler),
      kinds_(kinds),
      nodes_(nodes),
      budget_(budget),
      demand_(kinds.demand),
      content_(nodes.size()) {
  for (const MemberKind& kind : kinds.kinds) left_.push_back(std::ssize(kind.pods));
  for (const MemberKind& kind : kinds.kinds) room_kinds_.push_back(&kind.room);
  used_.resize(kinds.kinds.size());
  const std::int32_t priority = highest_priority(cluster, kinds);
  for (const NodeId node : nodes) room_.push_back(room_on(cluster, kinds, node, priority));
  if (has_left(Concern::kOrder) || has_left(Concern::kNeighbours)) alike_ = alike_nodes(cluster, kinds, nodes);
}

ModelSearch::Outcome ModelSearch::run() {
  room_only_ = look(Concern::kRoom);
  return descend(has_left(Concern::kOrder) ? Concern::kOrder : Concern::kNeighbours);
}

// ---- the tree -------------------------------------------------------------------------------------------------------

/// From the state that the cluster is in: `phase` says which members may come next.
ModelSearch::Outcome ModelSearch::descend(Concern phase) {
  if (is_met()) return Outcome::kFound;
  if (!enter(phase)) return Outcome::kFailed;
  const Admissions fits = look(phase);
  if (steps_ > budget_) return Outcome::kBudget;
  const Admissions reaches = reach(fits);
  if (is_short({room_kinds_, left_, room_, reaches, demand_})) {
    if (path_.empty()) shortage_ = shortage_of(remaining(reaches)).value_or(Shortage{});
    return Outcome::kFailed;
  }
  // What costs more is looked at once for all that follows.
  if (path_.empty()) {
    if (std::optional<Shortage> found = shortage_of(remaining(reaches))) {
      shortage_ = *std::move(found);
      return Outcome::kFailed;
    }
  }
  if (phase == Concern::kOrder && has_left(Concern::kOrder)) return try_order(fits);
  if (has_left(Concern::kNeighbours)) return try_neighbours(fits);
  return pack_rest(remaining(reaches));
}

ModelSearch::Outcome ModelSearch::try_order(const Admissions& fits) {
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> scarcest_first;  // on how many nodes, which kind
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (left_[k] == 0 || kinds_.kinds[k].concern != Concern::kOrder) continue;
    scarcest_first.emplace_back(std::ranges::count(fits[k], true), k);
  }
  std::ranges::sort(scarcest_first);
  for (const auto& [nodes, k] : scarcest_first) {
    if (const Outcome outcome = try_kind(k, fits[k], Concern::kOrder); outcome != Outcome::kFailed) return outcome;
  }
  if (asks_for_all()) return Outcome::kFailed;
  // No further one of them has a place.
  const std::vector<std::int64_t> left = left_;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (kinds_.kinds[k].concern == Concern::kOrder) left_[k] = 0;
  }
  const Outcome outcome = descend(Concern::kNeighbours);
  if (outcome == Outcome::kFailed) left_ = left;
  return outcome;
}

ModelSearch::Outcome ModelSearch::try_neighbours(const Admissions& fits) {
  std::size_t scarcest = left_.size();
  std::ptrdiff_t fewest = 0;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (left_[k] == 0 || kinds_.kinds[k].concern != Concern::kNeighbours) continue;
    const std::ptrdiff_t nodes = std::ranges::count(fits[k], true);
    if (scarcest != left_.size() && nodes >= fewest) continue;
    scarcest = k;
    fewest = nodes;
  }
  const Outcome outcome = try_kind(scarcest, fits[scarcest], Concern::kNeighbours);
  if (outcome != Outcome::kFailed || asks_for_all()) return outcome;
  return leave_out(scarcest, Concern::kNeighbours);
}

/// One more member of the kind on each of the nodes in turn.
ModelSearch::Outcome ModelSearch::try_kind(std::size_t kind, const std::vector<bool>& fits, Concern phase) {
  for (const std::size_t node : tries(kind, fits)) {
    note(kind, node);
    // Most states that follow are known from another order of the same steps. Which volumes a member takes is known
    // only when it is there.
    if (!kinds_.uses_storage && is_known(phase)) {
      unnote(kind, node);
      if (!take_glance()) return Outcome::kBudget;
      continue;
    }
    const cluster::Transaction step(cluster_);
    put(kind, node);
    const Outcome outcome = descend(phase);
    if (outcome != Outcome::kFailed) return outcome;
    chosen_.pop_back();
    path_.pop_back();
    unnote(kind, node);
  }
  return Outcome::kFailed;
}

ModelSearch::Outcome ModelSearch::leave_out(std::size_t kind, Concern phase) {
  const std::int64_t left = std::exchange(left_[kind], 0);
  const Outcome outcome = descend(phase);
  if (outcome == Outcome::kFailed) left_[kind] = left;
  return outcome;
}

ModelSearch::Outcome ModelSearch::pack_rest(const Packing& packing) {
  const PackingResult packed = pack(packing, budget_ - steps_);
  steps_ += packed.steps;
  switch (packed.ending) {
    case PackingResult::Ending::kFound:
      return place_packed(packed);
    case PackingResult::Ending::kProven:
      if (path_.empty()) shortage_ = packed.shortage;
      return Outcome::kFailed;
    case PackingResult::Ending::kBudget:
      break;
  }
  return Outcome::kBudget;
}

/// Every member passes the filters, with those before it in their places.
ModelSearch::Outcome ModelSearch::place_packed(const PackingResult& packed) {
  const cluster::Transaction steps(cluster_);
  for (const PackedMember& member : packed.members) {
    const NodeId node = nodes_[member.node];
    if (scheduler_.fitting(next_pod(member.kind), {&node, 1}).empty()) return Outcome::kDisagree;
    note(member.kind, member.node);
    put(member.kind, member.node);
  }
  return Outcome::kFound;
}

// ---- what is known of a state ---------------------------------------------------------------------------------------

/// On which nodes the kinds that may come in this phase pass their filters now.
ModelSearch::Admissions ModelSearch::look(Concern phase) {
  Admissions fits(left_.size());
  std::size_t looks = 0;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    const Concern concern = kinds_.kinds[k].concern;
    const bool may_come = phase == Concern::kRoom ? concern == phase : concern != Concern::kRoom && concern <= phase;
    if (left_[k] == 0 || !may_come) continue;
    fits[k].resize(nodes_.size());
    looks += nodes_.size();
    const std::vector<NodeId> fitting = scheduler_.fitting(next_pod(k), nodes_);
    std::size_t n = 0;
    for (const NodeId node : fitting) {
      while (nodes_[n] != node) ++n;
      fits[k][n] = true;
    }
  }
  if (phase != Concern::kRoom) take_step(looks);
  return fits;
}

/// Where members may go in this state or any that follows.
ModelSearch::Admissions ModelSearch::reach(const Admissions& fits) const {
  Admissions reach = fits;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    const MemberKind& kind = kinds_.kinds[k];
    if (kind.concern == Concern::kRoom) reach[k] = room_only_[k];
    if (kind.may_open_anywhere && left_[k] > 0) reach[k].assign(nodes_.size(), true);
  }
  bool is_new = true;
  while (is_new) {
    is_new = false;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      if (left_[k] > 0) is_new = spread_reach(k, reach) || is_new;
    }
  }
  return reach;
}

/// Members of other kinds may let some of the kind in wherever they go, and in the whole domain. True: they may go to
/// more nodes than was known.
bool ModelSearch::spread_reach(std::size_t kind, Admissions& reach) const {
  bool is_new = false;
  for (const MemberKind::Follows& follows : kinds_.kinds[kind].follows) {
    if (left_[follows.kind] == 0) continue;
    const cluster::TopologyKey& key = cluster_.topology_key(follows.key);
    std::vector<bool> domains(key.values.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (reach[follows.kind][n] && key.has(nodes_[n])) domains[key.domain_of[nodes_[n].index()].index()] = true;
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (reach[kind][n] || !key.has(nodes_[n]) || !domains[key.domain_of[nodes_[n].index()].index()]) continue;
      reach[kind][n] = is_new = true;
    }
  }
  return is_new;
}

/// What is left, as far as room goes: whatever can be placed from here on is a solution of it.
Packing ModelSearch::remaining(const Admissions& admissions) const {
  Packing packing;
  packing.demand = demand_;
  packing.nodes = room_;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    packing.kinds.push_back(kinds_.kinds[k].room);
    packing.kinds.back().count = left_[k];
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::vector<bool>& admits = packing.nodes[n].admits;
    admits.resize(left_.size());
    for (std::size_t k = 0; k < left_.size(); ++k) admits[k] = !admissions[k].empty() && admissions[k][n];
  }
  return packing;
}

bool ModelSearch::is_met() const {
  return demand_.total <= 0 && std::ranges::all_of(demand_.parts, [](const auto& part) { return part.least <= 0; });
}

bool ModelSearch::asks_for_all() const {
  return demand_.total >= std::accumulate(left_.begin(), left_.end(), std::int64_t{0});
}

bool ModelSearch::has_left(Concern concern) const {
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (left_[k] > 0 && kinds_.kinds[k].concern == concern) return true;
  }
  return false;
}

PodId ModelSearch::next_pod(std::size_t kind) const { return kinds_.kinds[kind].pods[used_[kind]]; }

/// One of those nodes that are alike, also in the members on them; the fullest first.
std::vector<std::size_t> ModelSearch::tries(std::size_t kind, const std::vector<bool>& fits) const {
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> seen;
  std::vector<std::pair<std::int64_t, std::size_t>> ranked;
  const std::vector<std::int64_t>& request = kinds_.kinds[kind].room.request;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!fits[n] || !seen.try_emplace({alike_[n], content_[n]}, n).second) continue;
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    for (std::size_t d = 0; d < request.size(); ++d) {
      if (request[d] > 0) room = std::min(room, room_[n].free[d] / request[d]);
    }
    ranked.emplace_back(room, n);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> nodes;
  for (const auto& [room, n] : ranked) nodes.push_back(n);
  return nodes;
}

/// False: the state was entered before, so it failed.
bool ModelSearch::enter(Concern phase) {
  write_key(phase);
  if (memory_ > kMemoryOfStates) return !entered_.contains(key_);
  if (!entered_.insert(key_).second) return false;
  memory_ += key_.size() + sizeof key_;
  return true;
}

/// Whether the state was entered before.
bool ModelSearch::is_known(Concern phase) {
  write_key(phase);
  return entered_.contains(key_);
}

/// So many states that turn out to be known cost as much as a step.
bool ModelSearch::take_glance() {
  constexpr std::uint64_t kGlancesInAStep = 16;
  if (++glances_ % kGlancesInAStep == 0) ++steps_;
  return steps_ <= budget_;
}

bool ModelSearch::take_step(std::size_t looks) {
  steps_ += 1 + looks / kLooksInAStep;
  return steps_ <= budget_;
}

/// Equal exactly for states of which one has a solution if the other has.
void ModelSearch::write_key(Concern phase) {
  key_.assign(1, static_cast<char>(phase));
  for (const std::int64_t members : left_) append_number(key_, static_cast<std::uint64_t>(members));
  append_number(key_, static_cast<std::uint64_t>(std::max<std::int64_t>(demand_.total, 0)));
  for (const auto& part : demand_.parts)
    append_number(key_, static_cast<std::uint64_t>(std::max<std::int64_t>(part.least, 0)));
  used_nodes_.clear();
  for (std::size_t n = 0; n < content_.size(); ++n) {
    if (!content_[n].empty()) used_nodes_.push_back(n);
  }
  std::ranges::sort(used_nodes_, [&](std::size_t a, std::size_t b) {
    return alike_[a] != alike_[b] ? alike_[a] < alike_[b] : content_[a] < content_[b];
  });
  for (const std::size_t n : used_nodes_) {
    append_number(key_, alike_[n]);
    append_number(key_, content_[n].size());
    for (const std::size_t member : content_[n]) append_number(key_, member);
  }
  if (!kinds_.uses_storage) return;
  std::vector<std::string> chosen = chosen_;
  std::sort(chosen.begin(), chosen.end());
  for (const std::string& volume : chosen) key_ += volume;
}

// ---- steps ----------------------------------------------------------------------------------------------------------

/// A member of the kind is on the node, as far as numbers go.
void ModelSearch::note(std::size_t kind, std::size_t node) {
  std::vector<std::size_t>& content = content_[node];
  content.insert(std::upper_bound(content.begin(), content.end(), kind), kind);
  const PackingKind& member = kinds_.kinds[kind].room;
  for (std::size_t d = 0; d < member.request.size(); ++d)
    room_[node].free[d] -= std::max<std::int64_t>(member.request[d], 0);
  room_[node].holds |= member.is;
  ++used_[kind];
  ask(kind, -1);
}

void ModelSearch::unnote(std::size_t kind, std::size_t node) {
  std::vector<std::size_t>& content = content_[node];
  content.erase(std::lower_bound(content.begin(), content.end(), kind));
  const PackingKind& member = kinds_.kinds[kind].room;
  for (std::size_t d = 0; d < member.request.size(); ++d)
    room_[node].free[d] += std::max<std::int64_t>(member.request[d], 0);
  room_[node].holds = 0;
  for (const std::size_t other : content) room_[node].holds |= kinds_.kinds[other].room.is;
  --used_[kind];
  ask(kind, 1);
}

/// The member that was noted last is on the node in the cluster, too. The caller rolls that back.
void ModelSearch::put(std::size_t kind, std::size_t node) {
  const PodId pod = kinds_.kinds[kind].pods[used_[kind] - 1];
  std::string chosen;
  for (const cluster::ChosenVolume& volume : gang::put(cluster_, scheduler_, {pod, nodes_[node]})) {
    chosen += volume.claim + '=' + volume.volume + ';';
  }
  chosen_.push_back(std::move(chosen));
  path_.push_back({pod, nodes_[node]});
}

void ModelSearch::ask(std::size_t kind, std::int64_t sign) {
  left_[kind] += sign;
  demand_.total += sign;
  for (PackingDemand::Part& part : demand_.parts) {
    if (std::ranges::find(part.kinds, kind) != part.kinds.end()) part.least += sign;
  }
}

}  // namespace loadline::gang
