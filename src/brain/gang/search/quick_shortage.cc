#include "brain/gang/search/quick_shortage.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace loadline::gang {
namespace {

/// How many members of the kind fit on the node, if no other comes.
std::int64_t fit(const PackingKind& kind, const PackingNode& node, std::int64_t members) {
  if ((kind.excludes & node.holds) != 0) return 0;
  std::int64_t fit = (kind.excludes & kind.is) != 0 ? std::min<std::int64_t>(members, 1) : members;
  for (std::size_t d = 0; d < kind.request.size() && fit > 0; ++d) {
    const std::int64_t request = kind.request[d];
    if (request > 0) fit = std::min(fit, std::max<std::int64_t>(node.free[d], 0) / request);
  }
  return fit;
}

/// By kind: for how many of its members there is room if no other kind comes.
std::vector<std::int64_t> rooms(const RoomLeft& left) {
  std::vector<std::int64_t> rooms(left.kinds.size());
  for (std::size_t k = 0; k < rooms.size(); ++k) {
    if (left.reaches[k].empty()) continue;
    for (std::size_t n = 0; n < left.nodes.size() && rooms[k] < left.members[k]; ++n) {
      if (left.reaches[k][n]) rooms[k] += fit(*left.kinds[k], left.nodes[n], left.members[k]);
    }
    rooms[k] = std::min(rooms[k], left.members[k]);
  }
  return rooms;
}

/// What those ask for together, at least, of whom so many have to be placed: the least demanding ones.
std::int64_t least_sum(const RoomLeft& left, std::size_t dimension) {
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;  // how much, how many
  for (std::size_t k = 0; k < left.kinds.size(); ++k) {
    requests.emplace_back(std::max<std::int64_t>(left.kinds[k]->request[dimension], 0), left.members[k]);
  }
  std::sort(requests.begin(), requests.end());
  std::int64_t sum = 0;
  std::int64_t missing = left.demand.total;
  for (const auto& [request, members] : requests) {
    const std::int64_t taken = std::min(members, std::max<std::int64_t>(missing, 0));
    sum += taken * request;
    missing -= taken;
  }
  return sum;
}

/// What is free of it where members may go that ask for it; not more than `enough` is counted.
std::int64_t usable(const RoomLeft& left, std::size_t dimension, std::int64_t enough) {
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < left.nodes.size() && sum < enough; ++n) {
    const std::int64_t free = left.nodes[n].free[dimension];
    for (std::size_t k = 0; k < left.kinds.size() && free > 0; ++k) {
      const std::int64_t request = left.kinds[k]->request[dimension];
      if (left.members[k] == 0 || left.reaches[k].empty() || !left.reaches[k][n]) continue;
      if (request <= 0 || request > free) continue;
      sum += free;
      break;
    }
  }
  return sum;
}

}  // namespace

bool is_short(const RoomLeft& left) {
  const std::vector<std::int64_t> room = rooms(left);
  if (left.demand.total > std::accumulate(room.begin(), room.end(), std::int64_t{0})) return true;
  const bool lacks_part = std::ranges::any_of(left.demand.parts, [&](const PackingDemand::Part& part) {
    std::int64_t here = 0;
    for (const std::size_t k : part.kinds) here += room[k];
    return part.least > here;
  });
  if (lacks_part) return true;
  const std::size_t dimensions = left.kinds.empty() ? 0 : left.kinds.front()->request.size();
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::int64_t needed = least_sum(left, d);
    if (needed > usable(left, d, needed)) return true;
  }
  return false;
}

}  // namespace loadline::gang
