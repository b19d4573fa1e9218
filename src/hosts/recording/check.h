#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"

namespace loadline::recording {

/// A place where a scheduler that is told what the recording says does something else.
struct Difference {
  std::uint32_t line = 0;  ///< in the file; of something that is not recorded: where it would stand
  Instant at;
  std::string subject;   ///< whose decision it is: "pod default/web", "workload ml/job-sweep"; empty: none's
  std::string recorded;  ///< the line; empty: there is none
  std::string now;       ///< likewise; of a line that is no output: what is the matter with it
};

/// What became of a recording whose decisions were made again.
struct RecordingCheck {
  std::string version;               ///< of the program that made it
  std::vector<std::string> foreign;  ///< not empty: nothing was checked, for these decided along
  std::size_t sections = 0;
  std::size_t changes = 0;
  std::size_t decisions = 0;  ///< about pods
  std::size_t rounds = 0;     ///< of Kueue's queues, in which something was decided
  std::size_t requests = 0;
  std::size_t differences = 0;
  std::vector<Difference> first_differences;  ///< in order; no more than were asked for
  bool is_cut = false;                        ///< the last line is cut off
  bool has_ended = false;                     ///< the last scheduler has said that it ended
};

/// Makes every decision of the recording again, by the scheduler of this program, and compares what it does with what
/// is recorded, byte for byte: decisions about pods and workloads, requests, and the order of all of them. `file` is
/// the recording's name, for messages. Errors, with places: it cannot be read, or contradicts itself (Continuity). What
/// it says wrong beyond that may violate a contract of the model: a caller that does not trust the file has a
/// contract::SuspectInput, which is told of the line. Memory: of one scheduler and one line.
[[nodiscard]] tl::expected<RecordingCheck, Diagnostics> check_recording(std::istream& text, const std::string& file,
                                                                        std::size_t most_differences = 10);

}  // namespace loadline::recording
