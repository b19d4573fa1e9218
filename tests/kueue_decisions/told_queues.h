#pragma once

#include <string_view>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/kube/custom_kinds.h"

namespace loadline::kueue_decisions {

/// Our queues, told of the objects of a trace as a host would tell them.
class ToldQueues {
 public:
  /// `settings`: of the trace. `kinds` outlives it.
  ToldQueues(const document::Value& settings, kube::CustomKinds& kinds);

  void set_time(Instant now) {
    now_ = now;
    scheduler_.elapse(now);
  }
  [[nodiscard]] Instant now() const { return now_; }
  /// An object is so now. An error: it is none that an API server would have.
  Result<void> put(const document::Value& object);
  /// "Kind/namespace/name" is gone.
  Result<void> remove(std::string_view key);

  [[nodiscard]] queue::kueue::KueueScheduler& scheduler() { return scheduler_; }

 private:
  kube::CustomKinds& kinds_;
  cluster::QuotaTree tree_;
  queue::kueue::KueueScheduler scheduler_;
  Instant now_;
};

}  // namespace loadline::kueue_decisions
