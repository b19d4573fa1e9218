#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace loadline::cluster {

/// What a ledger has to do to be again as it was. A step is remembered only while a transaction is open, so a change
/// outside of one costs a comparison. Transactions nest: the steps of an inner one that was committed belong to the
/// outer one.
template <class Step>
class UndoLog {
 public:
  /// A point in the sequence of steps.
  using Mark = std::size_t;

  [[nodiscard]] bool is_open() const { return open_ > 0; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  /// A transaction begins here. Each begin() wants one end().
  Mark begin() {
    ++open_;
    return steps_.size();
  }
  void record(Step step) {
    if (open_ > 0) steps_.push_back(std::move(step));
  }
  /// Calls `undo(Step)` for the steps since `mark`, last first. `undo` records nothing.
  template <class Undo>
  void roll_back(Mark mark, Undo&& undo) {
    while (steps_.size() > mark) {
      const Step step = std::move(steps_.back());
      steps_.pop_back();
      undo(step);
    }
  }
  /// The innermost transaction ends; what is left of its steps can be undone by the one around it.
  void end() {
    if (--open_ == 0) steps_.clear();
  }

 private:
  std::vector<Step> steps_;
  std::size_t open_ = 0;
};

}  // namespace loadline::cluster
