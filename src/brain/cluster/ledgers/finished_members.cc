#include "brain/cluster/ledgers/finished_members.h"

#include <algorithm>

namespace loadline::cluster {

/// One pod more, or less, of its owner's roles.
void FinishedMembers::count(const Pod& pod, std::int64_t sign, const SymbolTable& symbols) {
  if (pod.owner.empty()) return;
  for (auto at = records_.lower_bound({pod.owner, {}}); at != records_.end() && at->first.first == pod.owner; ++at) {
    Record& record = at->second;
    if (!record.role.matches(pod.labels, symbols)) continue;
    beyond_pods_ -= record.beyond_pods();
    record.pods += sign;
    beyond_pods_ += record.beyond_pods();
  }
}

void FinishedMembers::add(const SucceededPod& pod, SymbolTable& symbols) {
  const auto [entry, fresh] = pods_.try_emplace(pod.name);
  if (!fresh) return;
  entry->second = {pod.owner, LabelSet(pod.labels, symbols)};
  count(entry->second, 1, symbols);
}

bool FinishedMembers::remove(std::string_view pod, const SymbolTable& symbols) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return false;
  count(found->second, -1, symbols);
  pods_.erase(found);
  return true;
}

bool FinishedMembers::record(const SuccessRecord& said, SymbolTable& symbols) {
  const std::pair key(said.owner, said.role);
  const auto known = records_.find(key);
  if (said.succeeded <= 0) {
    if (known == records_.end()) return false;
    beyond_pods_ -= known->second.beyond_pods();
    records_.erase(known);
    return true;
  }
  if (known != records_.end()) {
    if (known->second.succeeded == said.succeeded) return false;
    beyond_pods_ -= known->second.beyond_pods();
    known->second.succeeded = said.succeeded;
    beyond_pods_ += known->second.beyond_pods();
    return true;
  }
  Record& record = records_[key];
  record.labels = LabelSet(said.labels, symbols);
  record.role = PodSelector::of_labels(said.labels, symbols);
  record.succeeded = said.succeeded;
  record.pods = std::ranges::count_if(pods_, [&](const auto& entry) {
    return entry.second.owner == said.owner && record.role.matches(entry.second.labels, symbols);
  });
  beyond_pods_ += record.beyond_pods();
  return true;
}

std::int64_t FinishedMembers::count_in(const SubGroup& subgroup, const SymbolTable& symbols) const {
  std::int64_t all = 0;
  for (const auto& [name, pod] : pods_) {
    const bool is_in = subgroup.pods.empty() ? subgroup.selector.matches(pod.labels, symbols)
                                             : std::ranges::find(subgroup.pods, name) != subgroup.pods.end();
    if (is_in) ++all;
  }
  for (const auto& [key, record] : records_) {
    if (subgroup.pods.empty() && subgroup.selector.matches(record.labels, symbols)) all += record.beyond_pods();
  }
  return all;
}

}  // namespace loadline::cluster
