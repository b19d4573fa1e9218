#include "brain/engine/turn_order.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::engine {

using decision::Unit;

void TurnOrder::insert(const Place& place) {
  if (row_.empty() || row_.back().place < place) {
    row_.push_back({place});
  } else {
    others_.insert(place);
  }
}

void TurnOrder::erase(const Place& place) {
  if (others_.erase(place) > 0) return;
  const auto found = std::ranges::lower_bound(row_, place, {}, &InRow::place);
  REQUIRES(found != row_.end() && found->place == place && !found->is_gone);
  found->is_gone = true;
  ++gone_;
  drop_gone();
}

/// From both ends: what is gone in between goes when it comes to stand there.
void TurnOrder::drop_gone() {
  for (; !row_.empty() && row_.front().is_gone; --gone_) row_.pop_front();
  for (; !row_.empty() && row_.back().is_gone; --gone_) row_.pop_back();
}

Unit TurnOrder::pop() {
  REQUIRES(!empty());
  if (row_.empty() || (!others_.empty() && *others_.begin() < row_.front().place)) {
    return others_.extract(others_.begin()).value().unit;
  }
  const Unit first = row_.front().place.unit;
  row_.pop_front();
  drop_gone();
  return first;
}

std::vector<TurnOrder::Place> TurnOrder::places() const {
  std::vector<Place> places(others_.begin(), others_.end());
  for (const InRow& each : row_) {
    if (!each.is_gone) places.push_back(each.place);
  }
  return places;
}

}  // namespace loadline::engine
