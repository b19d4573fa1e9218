#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "linearizability/contender.h"
#include "linearizability/faulty_server.h"
#include "linearizability/history.h"
#include "linearizability/revision_watcher.h"

namespace loadline::linearizability {

/// Several runs of one API server on one disk, all drawn from a seed: contenders and watchers use it while lines break,
/// its disk fails, its power fails and the wall clock jumps. Then the faults stop, and all answers and events that
/// clients got must be consistent.
class Contest {
 public:
  explicit Contest(std::uint64_t seed);
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  void run();

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t digest() const;

  struct Counts {
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;  ///< of these, with 4xx
    std::uint64_t unknown = 0;  ///< without an answer that tells the outcome
    std::uint64_t late = 0;     ///< of these, it happened
    std::uint64_t restarts = 0;
    std::uint64_t jumps = 0;  ///< of the clock
    std::uint64_t events = 0;
    Counts& operator+=(const Counts& other);
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void step();
  void take_turns();
  void mend_lines(bool is_sound);
  void cut(std::size_t line);
  void restart();
  void jump();
  void pass(std::int64_t milliseconds);
  void settle();
  void check();
  void check_operations(const std::vector<Revision>& truth);
  [[nodiscard]] std::vector<Operation> with_outcomes(std::size_t object, const std::vector<Revision>& truth) const;
  void check_watcher(const RevisionWatcher& watcher, const std::vector<Revision>& truth);
  void check_times(const std::vector<Revision>& truth);

  Rng random_;
  FaultyServer server_;
  History history_;
  std::int64_t begin_;       // the version before the first operation
  std::int64_t passed_ = 0;  // milliseconds
  std::vector<std::unique_ptr<Contender>> contenders_;
  std::vector<std::unique_ptr<RevisionWatcher>> watchers_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<std::string> violations_;
  Counts counts_;
};

}  // namespace loadline::linearizability
