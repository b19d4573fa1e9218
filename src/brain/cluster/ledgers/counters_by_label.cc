#include "brain/cluster/ledgers/counters_by_label.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::cluster {
namespace {

void insert_in_order(std::vector<CounterId>& ids, CounterId id) {
  ids.insert(std::lower_bound(ids.begin(), ids.end(), id), id);
}

/// False: it is not among them.
bool remove_from(std::vector<CounterId>& ids, CounterId id) {
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  if (found == ids.end() || *found != id) return false;
  ids.erase(found);
  return true;
}

}  // namespace

void CountersByLabel::add(CounterId id, const std::vector<Label>& needed) {
  std::vector<CounterId>* rarest = needed.empty() ? &of_any_ : nullptr;
  for (const Label& label : needed) {
    std::vector<CounterId>& listed = by_label_[label];
    if (rarest == nullptr || listed.size() < rarest->size()) rarest = &listed;
  }
  insert_in_order(*rarest, id);
  for (const Label& label : needed) {
    if (by_label_[label].empty()) by_label_.erase(label);
  }
}

void CountersByLabel::remove(CounterId id, const std::vector<Label>& needed) {
  bool is_removed = needed.empty() && remove_from(of_any_, id);
  for (const Label& label : needed) {
    const auto listed = by_label_.find(label);
    if (listed == by_label_.end() || !remove_from(listed->second, id)) continue;
    if (listed->second.empty()) by_label_.erase(listed);
    is_removed = true;
    break;
  }
  REQUIRES(is_removed);
}

std::vector<CounterId> CountersByLabel::candidates(const LabelSet& labels, std::size_t first) const {
  std::vector<CounterId> found;
  const auto add_from = [&](const std::vector<CounterId>& ids) {
    found.insert(found.end(), std::lower_bound(ids.begin(), ids.end(), CounterId{first}), ids.end());
  };
  add_from(of_any_);
  for (const Label& label : labels.pairs()) {
    const auto listed = by_label_.find(label);
    if (listed != by_label_.end()) add_from(listed->second);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace loadline::cluster
