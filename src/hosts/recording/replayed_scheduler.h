#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/controllers/controller.h"
#include "hosts/recording/header.h"
#include "hosts/recording/recording_reader.h"
#include "hosts/recording/replayed_client.h"
#include "hosts/recording/replayed_loop.h"
#include "hosts/recording/scheduler_recorder.h"
#include "hosts/scheduler/scheduling.h"

namespace loadline::recording {

/// The scheduler of one section of a recording, anew: it is told what the recording says, and what it does is written
/// down in the recording's words.
class ReplayedScheduler {
 public:
  /// Errors: the configuration is inconsistent.
  static Result<std::unique_ptr<ReplayedScheduler>> make(const Header& header, Instant at);
  ReplayedScheduler(const ReplayedScheduler&) = delete;
  ReplayedScheduler& operator=(const ReplayedScheduler&) = delete;
  ~ReplayedScheduler() = default;

  /// Tells it of an input, and returns the outputs that follow. Errors: there is nothing that the input could be about.
  /// REQUIRES: the line is an input other than a kEnd.
  Result<std::vector<std::string>> tell(const RecordedLine& line);

 private:
  /// Keeps what it does.
  class Outputs final : public LineSink {
   public:
    void input(std::string /*line*/) override {}
    void output(std::string line) override { lines.push_back(std::move(line)); }
    std::vector<std::string> lines;
  };
  /// Has the caches of all that it reads at hand.
  class Reading final : public watching::Subscriptions {
   public:
    explicit Reading(ReplayedScheduler& replayed) : replayed_(replayed) {}
    [[nodiscard]] watching::Caches& caches() override { return replayed_.caches_; }

   protected:
    std::function<void(const watching::ObjectKey&)> adder() override {
      return [](const watching::ObjectKey&) {};
    }
    void needs(watching::AnyCache& cache) override;

   private:
    ReplayedScheduler& replayed_;
  };

  explicit ReplayedScheduler(Instant at);
  Result<watching::AnyCache*> cache_of(const std::string& resource) const;
  Result<void> take(const RecordedLine& line);

  ReplayedLoop loop_;
  ReplayedClient client_;
  watching::Caches caches_;
  std::map<std::string, watching::AnyCache*, std::less<>> by_resource_;
  Outputs outputs_;
  std::unique_ptr<SchedulerRecorder> recorder_;
  std::unique_ptr<scheduler::Scheduling> scheduling_;
};

}  // namespace loadline::recording
