#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "foundation/base/rng.h"

namespace loadline::store {

/// A disk in memory for SQLite, on which faults happen when a test wants them: power that goes at any step, a disk that
/// is full, errors of input and output. For one thread.
///
/// What was written is on the disk for sure only once it was synced. When the power goes, of each write since then any
/// of its sectors may have got there, in any order, or a part of a sector. A sync that failed loses what it was to
/// bring to the disk for ever, unless it is written again, as Linux does it: a later sync that succeeds says nothing.
class CrashDisk {
 public:
  explicit CrashDisk(std::uint64_t seed);
  ~CrashDisk();
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;

  /// For LogOptions::file_system.
  [[nodiscard]] const std::string& name() const;

  /// Writes, syncs, truncations and deletions so far.
  [[nodiscard]] std::uint64_t steps() const;

  /// The power goes in the middle of that step; everything fails from there on, until `restart`.
  void lose_power_at(std::uint64_t step);
  [[nodiscard]] bool has_power() const;

  /// The power is back: the files are what got to the disk. REQUIRES: all files are closed.
  void restart();

  /// Each step fails with a probability of one in `odds`; 0: none does.
  void fail_one_in(std::uint64_t odds);

  /// Room for that many bytes in all files.
  void set_size(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t used() const;

  /// Faults that happened since the disk was made, so that a test can see that it tests something.
  [[nodiscard]] std::uint64_t faults() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace loadline::store
