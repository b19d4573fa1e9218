#pragma once

#include <set>

#include "hosts/recording/journal.h"
#include "hosts/recording/recording_client.h"
#include "hosts/recording/recording_loop.h"
#include "hosts/scheduler/scheduling_tap.h"

namespace loadline::recording {

/// Writes down one scheduler's life: all that it is told, and each decision and request that it makes. The lines are
/// those of a section of a recording, see docs/recordings.md, from behind its first line to its last.
class SchedulerRecorder final : public scheduler::SchedulingTap {
 public:
  /// Everything that is named outlives it.
  SchedulerRecorder(EventLoop& loop, kube::Client& client, LineSink& sink)
      : journal_(loop, sink), loop_(loop, journal_), client_(client, journal_) {}
  /// Says that the scheduler has ended, and how many lines there were.
  ~SchedulerRecorder() override;

  [[nodiscard]] EventLoop& loop() override { return loop_; }
  [[nodiscard]] kube::Client& client() override { return client_; }
  void reads(watching::AnyCache& cache) override;
  void will_start() override { journal_.begin(journal_.input().flag("start", true)); }
  void will_wake() override { journal_.begin_if_heeded(journal_.input().flag("wake", true)); }
  void took(const decision::PodTurn& turn, scheduler::LiveClusterModel& model) override;
  void decided(const queue::kueue::Round& round, const queue::kueue::KueueScheduler& scheduler) override;

 private:
  Journal journal_;
  RecordingLoop loop_;
  RecordingClient client_;
  std::set<const watching::AnyCache*> caches_;
};

}  // namespace loadline::recording
