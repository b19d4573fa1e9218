#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "brain/workloads/gates.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "hosts/scheduler/scheduling_tap.h"

namespace loadline::recording {

/// Where the text of a recording goes: whole lines, some at a time.
using Write = std::function<void(std::string_view lines)>;

/// What a recording says of the program that makes it, beside what its scheduler was asked for.
struct RecordedProgram {
  std::string version;  ///< "loadline 0.1.0"
  workloads::Gates gates;
};

/// A recording that is being made (docs/recordings.md): all that the schedulers of a cluster are told and decide, one
/// after the other, each a section. Lines are gathered, and written once the loop has done what was queued before them.
///
/// It is used and destroyed on the loop's thread.
class Recording {
 public:
  Recording(Write write, RecordedProgram program);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  /// Begins a section: the tap of a scheduler that is about to be made. REQUIRES: the tap before it is gone.
  [[nodiscard]] std::unique_ptr<scheduler::SchedulingTap> tap(EventLoop& loop, kube::Client& client,
                                                              const scheduler::SchedulingOptions& options);

 private:
  class Section;

  void add(std::string_view line);
  void write_out();

  Write write_;
  RecordedProgram program_;
  std::string gathered_;
  std::size_t sections_ = 0;
  std::unique_ptr<Section> section_;  // of the tap that was made last
  std::weak_ptr<int> open_;           // expired: that tap is gone
};

/// A file to record into, which is emptied if it is there, and its owner's alone (0600). What cannot be written is
/// lost, and `complain` is told once. Errors: it cannot be opened.
Result<Write> open_recording_file(const std::string& path, std::function<void(const std::string& why)> complain);

}  // namespace loadline::recording
