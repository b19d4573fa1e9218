#include "brain/gang/topology/domain_packing.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace loadline::gang {
namespace {

/// How many each bin is given: the largest bins are filled until one holds the rest, which goes to the smallest that
/// does. Among equals the first comes first.
std::vector<std::int64_t> fill(const std::vector<Bin>& bins, std::int64_t amount) {
  std::vector<std::int64_t> shares(bins.size());
  std::vector<std::size_t> order(bins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t place) { return bins[place].room; });
  for (std::size_t i = 0; i < order.size() && amount > 0; ++i) {
    const std::int64_t room = bins[order[i]].room;
    if (room < amount) {
      shares[order[i]] = room;
      amount -= room;
      continue;
    }
    std::size_t smallest = i;
    for (std::size_t j = i + 1; j < order.size() && bins[order[j]].room >= amount; ++j) {
      if (bins[order[j]].room < bins[order[smallest]].room) smallest = j;
    }
    shares[order[smallest]] = amount;
    amount = 0;
  }
  return shares;
}

}  // namespace

DomainPacking::DomainPacking(const DomainTree& tree, NodeRoom room, Slices slices, GroupShares shares,
                             std::vector<std::int64_t> used)
    : tree_(tree), room_(std::move(room)), slicing_(std::move(slices)), shares_(shares) {
  if (!used.empty()) used_sums_.resize(used.size() + 1);
  for (std::size_t i = 0; i < used.size(); ++i) used_sums_[i + 1] = used_sums_[i] + used[i];
  sums_.resize(room_.size() + 1);
  for (std::size_t i = 0; i < room_.size(); ++i) sums_[i + 1] = sums_[i] + room_[i];
  if (slicing_.size == 0) return;
  slice_domains_ = tree_.domains_of(slicing_.level);
  missing_.resize(tree_.domains().size());
  slices_in_.resize(tree_.domains().size());
  for (const DomainIndex domain : slice_domains_) {
    missing_[domain] = begun_missing(domain);
    slices_in_[domain] = std::max<std::int64_t>(members(domain) - missing_[domain], 0) / slicing_.size;
  }
  for (DomainIndex domain = tree_.domains().size(); domain-- > 1;) {
    const DomainIndex parent = tree_.at(domain).parent;
    if (tree_.at(parent).level < slicing_.level) slices_in_[parent] += slices_in_[domain];
  }
}

/// Whether the domain is to be divided among slices: a narrower one has all members in one domain of their level.
bool DomainPacking::is_sliced(DomainIndex domain) const {
  return slicing_.size > 0 && tree_.at(domain).level < slicing_.level;
}

std::int64_t DomainPacking::begun_missing(DomainIndex domain) const {
  if (slicing_.present.empty()) return 0;
  std::int64_t present = 0;
  for (std::size_t i = tree_.at(domain).first_node; i < tree_.at(domain).end_node; ++i) present += slicing_.present[i];
  return (slicing_.size - present % slicing_.size) % slicing_.size;
}

DomainPacking::Plan DomainPacking::plan(DomainIndex domain, std::int64_t members) const {
  Plan plan;
  std::int64_t most_left = 0;
  for (const DomainIndex each : slice_domains_) {
    if (!tree_.contains(domain, each)) continue;
    const std::int64_t missing = std::min(missing_[each], members);
    if (this->members(each) < missing) plan.fits = false;
    if (missing > 0) plan.completed.push_back({each, missing});
    members -= missing;
    most_left = std::max(most_left, this->members(each) - missing - slices_in_[each] * slicing_.size);
  }
  plan.whole = members / slicing_.size;
  plan.rest = members % slicing_.size;
  const bool has_room_for_rest = plan.rest == 0 || slices_in_[domain] > plan.whole || most_left >= plan.rest;
  plan.fits = plan.fits && slices_in_[domain] >= plan.whole && has_room_for_rest;
  return plan;
}

bool DomainPacking::holds(DomainIndex domain, std::int64_t members) const {
  if (this->members(domain) < members) return false;
  return !is_sliced(domain) || plan(domain, members).fits;
}

std::optional<std::vector<Share>> DomainPacking::pack(DomainIndex domain, std::int64_t members) const {
  if (!holds(domain, members)) return std::nullopt;
  NodeRoom taken(room_.size());
  if (!is_sliced(domain)) {
    pack_members(domain, members, taken);
  } else {
    const Plan plan = this->plan(domain, members);
    std::vector<std::int64_t> given(tree_.domains().size());  // members, by domain of the slices' level
    pack_slices(domain, plan.whole, given);
    for (std::int64_t& each : given) each *= slicing_.size;
    for (const Begun& begun : plan.completed) given[begun.domain] += begun.missing;
    std::vector<Bin> left;
    for (const DomainIndex each : slice_domains_) {
      const std::int64_t room = tree_.contains(domain, each) ? this->members(each) - given[each] : 0;
      if (room >= plan.rest) left.push_back({each, room});
    }
    const std::vector<std::int64_t> shares = fill(left, plan.rest);
    for (std::size_t i = 0; i < left.size(); ++i) given[left[i].index] += shares[i];
    for (const DomainIndex each : slice_domains_) pack_members(each, given[each], taken);
  }
  std::vector<Share> shares;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] > 0) shares.push_back({i, taken[i]});
  }
  return shares;
}

/// Nodes that are in no narrower domain stand beside the narrower domains.
void DomainPacking::pack_members(DomainIndex domain, std::int64_t members, NodeRoom& taken) const {
  if (members == 0) return;
  std::vector<Bin> bins;
  const std::size_t first_of_child = tree_.domains().size();
  const std::size_t first = tree_.at(domain).first_node;
  for (std::size_t i = first; i < first + tree_.own_nodes_of(domain).size(); ++i) {
    bins.push_back({first_of_child + i, room_[i], used_sums_.empty() ? 0 : used_sums_[i + 1] - used_sums_[i]});
  }
  for (const DomainIndex child : tree_.children_of(domain)) {
    bins.push_back({child, this->members(child), used(child)});
  }
  const std::vector<std::int64_t> shares = divide(bins, members);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].index >= first_of_child) {
      taken[bins[i].index - first_of_child] += shares[i];
    } else {
      pack_members(bins[i].index, shares[i], taken);
    }
  }
}

std::vector<std::int64_t> DomainPacking::divide(const std::vector<Bin>& bins, std::int64_t amount) const {
  return shares_ == GroupShares::kBalanced ? balance(bins, amount) : fill(bins, amount);
}

std::int64_t DomainPacking::used(DomainIndex domain) const {
  if (used_sums_.empty()) return 0;
  return used_sums_[tree_.at(domain).end_node] - used_sums_[tree_.at(domain).first_node];
}

void DomainPacking::pack_slices(DomainIndex domain, std::int64_t slices, std::vector<std::int64_t>& given) const {
  if (slices == 0) return;
  if (tree_.at(domain).level >= slicing_.level) {
    given[domain] += slices;
    return;
  }
  std::vector<Bin> bins;
  for (const DomainIndex child : tree_.children_of(domain)) {
    bins.push_back({child, slices_in_[child], used(child) / slicing_.size});
  }
  const std::vector<std::int64_t> shares = divide(bins, slices);
  for (std::size_t i = 0; i < bins.size(); ++i) pack_slices(bins[i].index, shares[i], given);
}

}  // namespace loadline::gang
