#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace loadline::cluster {

/// What a ledger has to do to be again as it was: see Ledger. A step is remembered only while a transaction is open, so
/// a change outside of one costs a comparison.
template <class Step>
class UndoLog {
 public:
  [[nodiscard]] bool is_open() const { return !begins_.empty(); }
  /// Of all open transactions.
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  /// The steps since the innermost transaction began, or last kept its steps. REQUIRES: is_open().
  [[nodiscard]] std::span<const Step> steps() const { return std::span(steps_).subspan(begins_.back()); }

  void begin() { begins_.push_back(steps_.size()); }
  void record(Step step) {
    if (is_open()) steps_.push_back(std::move(step));
  }
  void keep() { begins_.back() = steps_.size(); }
  /// Calls `undo(Step)` for steps(), last first. `undo` records nothing.
  template <class Undo>
  void roll_back(Undo&& undo) {
    while (steps_.size() > begins_.back()) {
      const Step step = std::move(steps_.back());
      steps_.pop_back();
      undo(step);
    }
  }
  /// What is left of the steps can be undone by the transaction around the innermost one.
  void end() {
    begins_.pop_back();
    if (begins_.empty()) steps_.clear();
  }

 private:
  std::vector<Step> steps_;
  std::vector<std::size_t> begins_;  // of open transactions, the outermost first
};

}  // namespace loadline::cluster
