#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadline {

/// A set of dense ids as 64-bit words. Iterates in ascending order, so results never depend on
/// hashing or on the order of insertion. All sets that meet in one operation have the same universe.
template <class IdType>
class DenseSet {
 public:
  DenseSet() = default;
  explicit DenseSet(std::size_t universe, bool filled = false) { reset(universe, filled); }

  /// Empties (or fills) the set for ids 0 .. universe - 1.
  void reset(std::size_t universe, bool filled = false) {
    universe_ = universe;
    words_.assign((universe + 63) / 64, filled ? ~std::uint64_t{0} : 0);
    if (filled && universe % 64 != 0) words_.back() = (std::uint64_t{1} << (universe % 64)) - 1;
  }

  [[nodiscard]] std::size_t universe() const { return universe_; }
  [[nodiscard]] bool contains(IdType id) const {
    return id.index() < universe_ && (words_[id.index() / 64] >> (id.index() % 64) & 1) != 0;
  }
  void insert(IdType id) { words_[id.index() / 64] |= std::uint64_t{1} << (id.index() % 64); }
  void erase(IdType id) { words_[id.index() / 64] &= ~(std::uint64_t{1} << (id.index() % 64)); }

  [[nodiscard]] std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  DenseSet& operator&=(const DenseSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  DenseSet& operator|=(const DenseSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }

  /// Calls `visit(IdType)` for each member in ascending order. The set may lose members meanwhile, not gain any.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(IdType{i * 64 + static_cast<std::size_t>(std::countr_zero(word))});
      }
    }
  }

  friend bool operator==(const DenseSet&, const DenseSet&) = default;

 private:
  std::size_t universe_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace loadline
