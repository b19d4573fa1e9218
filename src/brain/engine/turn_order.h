#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "brain/decision/unit_record.h"

namespace loadline::engine {

/// Units by rank, the lowest first; of equal rank, by unit. The units of a cluster mostly come in the order in which
/// they have their turns, the youngest last, so those that do so stand in a row, to which one adds behind and takes
/// from the front. Only who comes before the last one of the row is kept in a tree.
class TurnOrder {
 public:
  using Rank = decision::UnitRecord::Rank;
  struct Place {
    Rank rank;
    decision::Unit unit;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// Amortised O(1) behind all others, else O(log units). REQUIRES: it is not there.
  void insert(const Place& place);
  /// O(log units). REQUIRES: it is there.
  void erase(const Place& place);
  /// Takes the first one out. Amortised O(1). REQUIRES: !empty().
  decision::Unit pop();

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return row_.size() - gone_ + others_.size(); }
  /// In no order. O(units).
  [[nodiscard]] std::vector<Place> places() const;

 private:
  struct InRow {
    Place place;
    bool is_gone = false;
  };
  void drop_gone();

  std::deque<InRow> row_;  // ascending; neither the first nor the last is gone
  std::size_t gone_ = 0;   // of row_
  std::set<Place> others_;
};

}  // namespace loadline::engine
