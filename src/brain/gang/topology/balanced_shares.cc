#include "brain/gang/topology/balanced_shares.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace loadline::gang {
namespace {

using Places = std::vector<std::size_t>;

std::int64_t room_of(const std::vector<Bin>& bins, const Places& places) {
  return std::accumulate(places.begin(), places.end(), std::int64_t{0},
                         [&](std::int64_t sum, std::size_t place) { return sum + bins[place].room; });
}

/// Bins in order of their room, the smallest first.
Places by_room(const std::vector<Bin>& bins) {
  Places places(bins.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return bins[place].room; });
  return places;
}

/// Bins that are to share the amount, none of which has members yet; none: they do not hold it.
Places choose(const std::vector<Bin>& bins, std::int64_t amount) {
  Places ascending = by_room(bins);
  std::size_t count = 0;
  std::int64_t held = 0;
  while (held < amount && count < ascending.size()) held += bins[ascending[ascending.size() - ++count]].room;
  if (held < amount) return {};
  const std::int64_t smallest = bins[ascending[ascending.size() - count]].room;
  const std::int64_t threshold = std::min(amount / static_cast<std::int64_t>(count), smallest);
  std::erase_if(ascending, [&](std::size_t place) { return bins[place].room < threshold; });
  // The first run of so many that holds the amount; the last one does.
  Places chosen(ascending.begin(), ascending.begin() + static_cast<std::ptrdiff_t>(count));
  std::int64_t spare = room_of(bins, chosen) - amount;
  std::size_t first = 0;
  for (; spare < 0; ++first) spare += bins[ascending[first + count]].room - bins[ascending[first]].room;
  std::copy_n(ascending.begin() + static_cast<std::ptrdiff_t>(first), count, chosen.begin());
  std::size_t next = 0;  // smaller ones, before the run
  for (std::size_t i = chosen.size(); i-- > 0 && next < first;) {
    const std::int64_t less = bins[chosen[i]].room - bins[ascending[next]].room;
    if (less == 0 || less > spare) continue;
    spare -= less;
    chosen[i] = ascending[next++];
  }
  return chosen;
}

/// One after another to whichever has least.
void pour(const std::vector<Bin>& bins, const Places& places, std::int64_t amount, std::vector<std::int64_t>& shares) {
  using Level = std::pair<std::int64_t, std::size_t>;  // members, place
  std::priority_queue<Level, std::vector<Level>, std::greater<>> levels;
  for (const std::size_t place : places) {
    if (shares[place] < bins[place].room) levels.emplace(bins[place].used + shares[place], place);
  }
  for (; amount > 0; --amount) {
    const std::size_t place = levels.top().second;
    levels.pop();
    if (++shares[place] < bins[place].room) levels.emplace(bins[place].used + shares[place], place);
  }
}

}  // namespace

std::vector<std::int64_t> balance(const std::vector<Bin>& bins, std::int64_t amount) {
  Places chosen;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].used > 0) chosen.push_back(i);
  }
  if (room_of(bins, chosen) < amount) chosen = choose(bins, amount);
  if (chosen.empty()) return {};
  std::vector<std::int64_t> shares(bins.size());
  pour(bins, chosen, amount, shares);
  return shares;
}

}  // namespace loadline::gang
