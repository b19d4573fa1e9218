#include "brain/gang/search/packing_state.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "brain/gang/search/room_flow.h"
#include "foundation/base/contract.h"

namespace loadline::gang {
namespace {

constexpr std::int64_t kUnit = 1024;
constexpr std::size_t kPairsToCompare = 16;    // kinds, at most, whose pairs are looked at
constexpr std::size_t kEdgesInPassing = 4096;  // of a flow that is looked at in every node of the search tree

void append(std::string& key, std::int64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

bool excludes(const PackingKind& a, const PackingKind& b) {
  return (a.excludes & b.is) != 0 || (b.excludes & a.is) != 0;
}

}  // namespace

PackingState::PackingState(const Packing& packing) : packing_(packing), demand_(packing.demand) {
  const std::size_t dimensions = packing.nodes.empty() ? 0 : packing.nodes.front().free.size();
  for (const PackingKind& kind : packing.kinds) left_.push_back(kind.count);
  scale_.assign(dimensions, 1);
  std::map<std::vector<bool>, std::size_t> admits;
  for (const PackingNode& node : packing.nodes) {
    for (std::size_t d = 0; d < dimensions; ++d) scale_[d] = std::max(scale_[d], node.free[d]);
    if (admits.try_emplace(node.admits, admitted_.size()).second) admitted_.push_back(node.admits);
  }
  for (const PackingNode& node : packing.nodes) {
    const std::size_t id = intern(node.free, admits.at(node.admits), node.holds);
    class_of_node_.push_back(id);
    ++nodes_[id];
  }
  first_classes_ = classes_.size();
}

bool PackingState::is_met() const {
  return demand_.total <= 0 && std::ranges::all_of(demand_.parts, [](const auto& part) { return part.least <= 0; });
}

std::int64_t PackingState::total_left() const { return std::accumulate(left_.begin(), left_.end(), std::int64_t{0}); }

bool PackingState::asks_for_all() const { return demand_.total >= total_left(); }

std::vector<std::size_t> PackingState::kinds_left() const {
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (left_[k] > 0) kinds.push_back(k);
  }
  return kinds;
}

// ---- classes --------------------------------------------------------------------------------------------------------

std::vector<std::size_t> PackingState::classes() const {
  std::vector<std::size_t> live;
  for (std::size_t c = 0; c < first_classes_; ++c) {
    if (nodes_[c] > 0) live.push_back(c);
  }
  for (auto entry = changed_.lower_bound(first_classes_); entry != changed_.end(); ++entry)
    live.push_back(entry->first);
  return live;
}

std::size_t PackingState::intern(std::vector<std::int64_t> free, std::size_t admits, std::uint64_t holds) {
  const auto [entry, is_new] = ids_.try_emplace({admits, holds, std::move(free)}, classes_.size());
  if (!is_new) return entry->second;
  RoomClass& made = classes_.emplace_back();
  made.free = std::get<2>(entry->first);
  made.admits = admits;
  made.holds = holds;
  made.then.assign(left_.size(), -1);
  measure(made);
  nodes_.push_back(0);
  return entry->second;
}

void PackingState::measure(RoomClass& room_class) const {
  const std::vector<bool>& admits = admitted_[room_class.admits];
  for (std::size_t k = 0; k < packing_.kinds.size(); ++k) {
    const PackingKind& kind = packing_.kinds[k];
    std::int64_t fit = kind.count;
    if (!admits[k] || (kind.excludes & room_class.holds) != 0) fit = 0;
    if (excludes(kind, kind)) fit = std::min<std::int64_t>(fit, 1);
    for (std::size_t d = 0; d < kind.request.size() && fit > 0; ++d) {
      const std::int64_t request = kind.request[d];
      if (request > 0) fit = std::min(fit, std::max<std::int64_t>(room_class.free[d], 0) / request);
    }
    room_class.fit.push_back(fit);
  }
  std::vector<std::size_t> all(packing_.kinds.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  room_class.most = most_members(room_class, all);
}

/// How many members of these kinds a node of the class takes at most.
std::int64_t PackingState::most_members(const RoomClass& room_class, const std::vector<std::size_t>& kinds) const {
  std::int64_t most = 0;
  for (const std::size_t k : kinds) most += room_class.fit[k];
  if (most <= 1) return most;
  for (std::size_t d = 0; d < room_class.free.size(); ++d) {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t k : kinds) {
      if (room_class.fit[k] > 0) smallest = std::min(smallest, packing_.kinds[k].request[d]);
    }
    if (smallest > 0) most = std::min(most, room_class.free[d] / smallest);
  }
  return most > 1 && takes_one_at_most(room_class, kinds) ? 1 : most;
}

/// Whether no two members of these kinds fit on such a node together. False: some do, or there are too many kinds to
/// tell.
bool PackingState::takes_one_at_most(const RoomClass& room_class, const std::vector<std::size_t>& kinds) const {
  std::vector<std::size_t> fitting;
  for (const std::size_t k : kinds) {
    if (room_class.fit[k] > 1) return false;
    if (room_class.fit[k] > 0) fitting.push_back(k);
  }
  if (fitting.size() > kPairsToCompare) return false;
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    for (std::size_t j = i + 1; j < fitting.size(); ++j) {
      const PackingKind& a = packing_.kinds[fitting[i]];
      const PackingKind& b = packing_.kinds[fitting[j]];
      bool share = !excludes(a, b);
      for (std::size_t d = 0; d < room_class.free.size() && share; ++d) {
        if (a.request[d] > 0 && b.request[d] > 0) share = a.request[d] + b.request[d] <= room_class.free[d];
      }
      if (share) return false;
    }
  }
  return true;
}

std::int64_t PackingState::left_over(std::size_t room_class, std::size_t kind) const {
  const std::vector<std::int64_t>& request = packing_.kinds[kind].request;
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < request.size(); ++d) {
    if (request[d] > 0) sum += (classes_[room_class].free[d] - request[d]) * kUnit / scale_[d];
  }
  return sum;
}

std::int64_t PackingState::size(std::size_t kind) const {
  const std::vector<std::int64_t>& request = packing_.kinds[kind].request;
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < request.size(); ++d) {
    sum += std::min(std::max<std::int64_t>(request[d], 0), scale_[d]) * kUnit / scale_[d];
  }
  return sum;
}

// ---- steps ----------------------------------------------------------------------------------------------------------

void PackingState::count(std::size_t room_class, std::int64_t nodes) {
  nodes_[room_class] += nodes;
  const auto entry = changed_.try_emplace(room_class, 0).first;
  entry->second += nodes;
  if (entry->second == 0) changed_.erase(entry);
}

/// A member has a node (`sign` -1), or has none any more.
void PackingState::ask(std::size_t kind, std::int64_t sign) {
  left_[kind] += sign;
  demand_.total += sign;
  for (PackingDemand::Part& part : demand_.parts) {
    if (std::ranges::find(part.kinds, kind) != part.kinds.end()) part.least += sign;
  }
}

std::size_t PackingState::put(std::size_t kind, std::size_t room_class) {
  REQUIRES_SLOW(nodes_[room_class] > 0 && left_[kind] > 0 && fit(room_class, kind) > 0);
  if (classes_[room_class].then[kind] < 0) {
    std::vector<std::int64_t> free = classes_[room_class].free;
    const PackingKind& member = packing_.kinds[kind];
    for (std::size_t d = 0; d < free.size(); ++d) free[d] -= std::max<std::int64_t>(member.request[d], 0);
    const std::uint64_t holds = classes_[room_class].holds | member.is;
    const std::size_t then = intern(std::move(free), classes_[room_class].admits, holds);
    classes_[room_class].then[kind] = static_cast<std::int64_t>(then);
  }
  const auto then = static_cast<std::size_t>(classes_[room_class].then[kind]);
  count(room_class, -1);
  count(then, 1);
  ask(kind, -1);
  return then;
}

void PackingState::take_back(std::size_t kind, std::size_t room_class, std::size_t then) {
  ask(kind, 1);
  count(then, -1);
  count(room_class, 1);
}

std::int64_t PackingState::leave_out(std::size_t kind) { return std::exchange(left_[kind], 0); }

std::string PackingState::key() const {
  std::string key;
  for (const std::int64_t members : left_) append(key, members);
  append(key, std::max<std::int64_t>(demand_.total, 0));
  for (const PackingDemand::Part& part : demand_.parts) append(key, std::max<std::int64_t>(part.least, 0));
  for (const auto& [room_class, nodes] : changed_) {
    append(key, static_cast<std::int64_t>(room_class));
    append(key, nodes);
  }
  return key;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

std::optional<Shortage> PackingState::shortage(bool is_thorough) const {
  const std::vector<std::size_t> live = classes();
  if (std::optional<Shortage> found = alone(live)) return found;
  // What says more to a reader comes first, or else what costs less.
  std::optional<Shortage> found = is_thorough ? shared(live, true) : sums(live);
  if (found) return found;
  return is_thorough ? sums(live) : shared(live, false);
}

std::size_t PackingState::nodes_for(const std::vector<std::size_t>& kinds, const std::vector<std::size_t>& live) const {
  std::int64_t nodes = 0;
  for (const std::size_t c : live) {
    if (std::ranges::any_of(kinds, [&](std::size_t k) { return fit(c, k) > 0; })) nodes += nodes_[c];
  }
  return static_cast<std::size_t>(nodes);
}

/// Room for each kind as if there were no other.
std::optional<Shortage> PackingState::alone(const std::vector<std::size_t>& live) const {
  std::vector<std::int64_t> room(left_.size());
  std::int64_t all = 0;
  std::int64_t members = 0;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (left_[k] == 0) continue;
    for (const std::size_t c : live) room[k] += nodes_[c] * fit(c, k);
    members += left_[k];
    all += std::min(left_[k], room[k]);
  }
  const std::vector<std::size_t> kinds = kinds_left();
  for (const std::size_t k : kinds) {
    // So many of the kind are asked for even if all others find room.
    const std::int64_t needed = demand_.total - (members - left_[k]);
    if (needed > room[k]) return Shortage{Shortage::Cause::kAlone, {k}, 0, needed, room[k], nodes_for({k}, live)};
  }
  if (demand_.total > all) {
    return Shortage{Shortage::Cause::kShared, kinds, 0, demand_.total, all, nodes_for(kinds, live)};
  }
  for (const PackingDemand::Part& part : demand_.parts) {
    std::int64_t here = 0;
    for (const std::size_t k : part.kinds) here += std::min(left_[k], room[k]);
    if (part.least <= here) continue;
    const auto cause = part.kinds.size() == 1 ? Shortage::Cause::kAlone : Shortage::Cause::kShared;
    return Shortage{cause, part.kinds, 0, part.least, here, nodes_for(part.kinds, live)};
  }
  return std::nullopt;
}

/// What those ask for together, at least, of whom so many have to be placed: the least demanding ones.
std::int64_t PackingState::least_sum(std::size_t dimension) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;  // how much, how many
  for (const std::size_t k : kinds_left()) {
    requests.emplace_back(std::max<std::int64_t>(packing_.kinds[k].request[dimension], 0), left_[k]);
  }
  std::sort(requests.begin(), requests.end());
  std::int64_t sum = 0;
  std::int64_t missing = demand_.total;
  for (const auto& [request, members] : requests) {
    const std::int64_t taken = std::min(members, std::max<std::int64_t>(missing, 0));
    sum += taken * request;
    missing -= taken;
  }
  return sum;
}

std::optional<Shortage> PackingState::sums(const std::vector<std::size_t>& live) const {
  const std::vector<std::size_t> kinds = kinds_left();
  for (std::size_t d = 0; d < scale_.size(); ++d) {
    const std::int64_t needed = least_sum(d);
    if (needed == 0) continue;
    std::int64_t divisor = 0;
    std::vector<std::size_t> asking;
    for (const std::size_t k : kinds) {
      if (packing_.kinds[k].request[d] <= 0) continue;
      divisor = std::gcd(divisor, packing_.kinds[k].request[d]);
      asking.push_back(k);
    }
    std::int64_t usable = 0;
    for (const std::size_t c : live) {
      std::int64_t largest = 0;
      for (const std::size_t k : asking) {
        if (fit(c, k) > 0) largest = std::max(largest, packing_.kinds[k].request[d]);
      }
      if (largest == 0) continue;
      const RoomClass& room_class = classes_[c];
      std::int64_t here = room_class.free[d] / divisor * divisor;
      if (room_class.most <= here / largest) here = room_class.most * largest;
      usable += nodes_[c] * std::min(here, needed);
      if (usable >= needed) break;
    }
    if (needed > usable) return Shortage{Shortage::Cause::kSum, asking, d, needed, usable, nodes_for(asking, live)};
  }
  return std::nullopt;
}

std::optional<Shortage> PackingState::shared(const std::vector<std::size_t>& live, bool is_thorough) const {
  const std::vector<std::size_t> kinds = kinds_left();
  if (kinds.size() < 2) return std::nullopt;  // alone() is exact
  if (!is_thorough && kinds.size() * live.size() > kEdgesInPassing) return std::nullopt;
  if (std::optional<Shortage> found = flow_of(kinds, demand_.total, live, is_thorough)) return found;
  for (const PackingDemand::Part& part : demand_.parts) {
    if (std::optional<Shortage> found = flow_of(part.kinds, part.least, live, is_thorough)) return found;
  }
  if (!is_thorough) return std::nullopt;
  // Small members hide how few large ones a node takes.
  const std::vector<std::size_t> large = large_kinds(live);
  std::int64_t small = total_left();
  for (const std::size_t k : large) small -= left_[k];
  return flow_of(large, demand_.total - small, live, true);
}

/// The kinds that take more than half of what is free of something, wherever they fit.
std::vector<std::size_t> PackingState::large_kinds(const std::vector<std::size_t>& live) const {
  std::vector<std::size_t> large;
  for (const std::size_t k : kinds_left()) {
    const std::vector<std::int64_t>& request = packing_.kinds[k].request;
    const bool is_large = std::ranges::all_of(live, [&](std::size_t c) {
      bool takes_half = fit(c, k) == 0;
      for (std::size_t d = 0; d < request.size(); ++d) {
        takes_half = takes_half || request[d] > classes_[c].free[d] - request[d];
      }
      return takes_half;
    });
    if (is_large) large.push_back(k);
  }
  return large;
}

std::optional<Shortage> PackingState::flow_of(const std::vector<std::size_t>& kinds, std::int64_t needed,
                                              const std::vector<std::size_t>& live, bool is_thorough) const {
  if (needed <= 0) return std::nullopt;
  std::vector<std::int64_t> members;
  std::vector<std::int64_t> room;
  for (const std::size_t k : kinds) members.push_back(left_[k]);
  for (const std::size_t c : live) {
    room.push_back(nodes_[c] * (is_thorough ? most_members(classes_[c], kinds) : classes_[c].most));
  }
  RoomFlow flow(members, room);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::size_t c = 0; c < live.size(); ++c) {
      if (fit(live[c], kinds[k]) > 0) flow.allow(k, c, nodes_[live[c]] * fit(live[c], kinds[k]));
    }
  }
  const std::int64_t placed = flow.run();
  if (placed >= needed) return std::nullopt;
  // Those that are starved find too little together. Of the others every one finds room.
  std::vector<std::size_t> starved;
  std::int64_t of_starved = 0;
  std::int64_t all = 0;
  for (const std::int64_t each : members) all += each;
  for (const std::size_t k : flow.starved()) {
    starved.push_back(kinds[k]);
    of_starved += members[k];
  }
  const std::int64_t of_others = all - of_starved;
  return Shortage{Shortage::Cause::kShared, starved, 0, needed - of_others, placed - of_others,
                  nodes_for(starved, live)};
}

std::optional<std::vector<PackedMember>> PackingState::matching() const {
  const std::vector<std::size_t> live = classes();
  const bool is_one_each = std::ranges::all_of(live, [&](std::size_t c) { return classes_[c].most <= 1; });
  if (!is_one_each || !asks_for_all()) return std::nullopt;
  std::vector<std::int64_t> room;
  for (const std::size_t c : live) room.push_back(nodes_[c] * classes_[c].most);
  RoomFlow flow(left_, room);
  for (std::size_t k = 0; k < left_.size(); ++k) {
    for (std::size_t c = 0; c < live.size(); ++c) {
      if (fit(live[c], k) > 0) flow.allow(k, c, nodes_[live[c]]);
    }
  }
  flow.run();
  std::vector<PackedMember> members;
  for (const RoomFlow::Sent& sent : flow.sent()) {
    for (std::int64_t i = 0; i < sent.members; ++i) members.push_back({sent.kind, live[sent.room_class]});
  }
  return members;
}

std::optional<Shortage> shortage_of(const Packing& packing) { return PackingState(packing).shortage(true); }

}  // namespace loadline::gang
