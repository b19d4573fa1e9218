#include "brain/gang/search/weight_bounds.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace loadline::gang {
namespace {

constexpr std::int64_t kHeaviest = std::int64_t{1} << 20;

std::int64_t weigh(const std::vector<std::int64_t>& weight, const NodePattern& pattern) {
  return std::inner_product(weight.begin(), weight.end(), pattern.begin(), std::int64_t{0});
}

/// The lightest members of which so many have to be placed: what they weigh.
template <class Counts>
std::int64_t lightest(const WeightBound& bound, const PackingRest& rest, std::int64_t needed, Counts&& is_counted) {
  std::int64_t sum = 0;
  for (const std::size_t k : bound.ascending) {
    if (needed <= 0) break;
    if (!is_counted(k)) continue;
    const std::int64_t taken = std::min(needed, rest.members[k]);
    sum += taken * bound.weight[k];
    needed -= taken;
  }
  return sum;
}

/// The pattern of the class that weighs most.
const NodePattern& heaviest(const std::vector<std::int64_t>& weight, const std::vector<NodePattern>& patterns) {
  return *std::ranges::max_element(patterns, {}, [&](const NodePattern& pattern) { return weigh(weight, pattern); });
}

/// Weights up to kHeaviest, in the same proportions but for what rounding takes.
void scale(std::vector<std::int64_t>& weight) {
  std::int64_t most = *std::ranges::max_element(weight);
  if (most == 0) weight.assign(weight.size(), most = 1);
  while (most > kHeaviest) {
    for (std::int64_t& each : weight) each /= 2;
    most /= 2;
  }
  for (std::int64_t& each : weight) each = each * kHeaviest / most;
}

/// By kind: how many more have to be placed than the heaviest patterns hold.
std::vector<std::int64_t> missing(const WeightBound& bound, const PackingRest& rest, const ClassPatterns& patterns) {
  std::vector<std::int64_t> missing(bound.weight.size());
  std::int64_t needed = rest.demand.total;
  for (const std::size_t k : bound.ascending) {
    missing[k] = std::clamp<std::int64_t>(needed, 0, rest.members[k]);
    needed -= missing[k];
  }
  for (std::size_t c = 0; c < patterns.size(); ++c) {
    if (rest.nodes[c] == 0) continue;
    const NodePattern& most = heaviest(bound.weight, patterns[c]);
    for (std::size_t k = 0; k < missing.size(); ++k) missing[k] -= rest.nodes[c] * most[k];
  }
  return missing;
}

}  // namespace

WeightBound weight_bound(std::vector<std::int64_t> weight, const ClassPatterns& patterns) {
  WeightBound bound;
  bound.weight = std::move(weight);
  bound.ascending.resize(bound.weight.size());
  std::iota(bound.ascending.begin(), bound.ascending.end(), std::size_t{0});
  std::ranges::stable_sort(bound.ascending, {}, [&](std::size_t k) { return bound.weight[k]; });
  for (const std::vector<NodePattern>& of_class : patterns) {
    bound.most.push_back(weigh(bound.weight, heaviest(bound.weight, of_class)));
  }
  return bound;
}

std::int64_t slack_of(const WeightBound& bound, const PackingRest& rest) {
  const std::int64_t room =
      std::inner_product(bound.most.begin(), bound.most.end(), rest.nodes.begin(), std::int64_t{0});
  std::int64_t needed = lightest(bound, rest, rest.demand.total, [](std::size_t) { return true; });
  for (const PackingDemand::Part& part : rest.demand.parts) {
    const auto is_in = [&](std::size_t k) { return std::ranges::find(part.kinds, k) != part.kinds.end(); };
    needed = std::max(needed, lightest(bound, rest, part.least, is_in));
  }
  return room - needed;
}

LearnedBound learn_weights(const PackingRest& rest, const ClassPatterns& patterns, WeightBound start,
                           std::size_t rounds) {
  scale(start.weight);
  WeightBound best = weight_bound(std::move(start.weight), patterns);
  std::int64_t least = slack_of(best, rest);
  WeightBound now = best;
  std::int64_t step = kHeaviest / 8;
  int since_better = 0;
  std::size_t round = 0;
  for (; round < rounds && least >= 0 && step > 0; ++round) {
    const std::vector<std::int64_t> more = missing(now, rest, patterns);
    std::int64_t most = 0;
    for (const std::int64_t each : more) most = std::max(most, std::abs(each));
    if (most == 0) break;
    std::vector<std::int64_t> weight = now.weight;
    for (std::size_t k = 0; k < weight.size(); ++k) {
      weight[k] = std::max<std::int64_t>(weight[k] + more[k] * step / most, 0);
    }
    scale(weight);
    now = weight_bound(std::move(weight), patterns);
    const std::int64_t slack = slack_of(now, rest);
    if (slack < least) {
      least = slack;
      best = now;
      since_better = 0;
    } else if (++since_better >= 8) {
      step /= 2;
      now = best;
      since_better = 0;
    }
  }
  return {std::move(best), round};
}

}  // namespace loadline::gang
