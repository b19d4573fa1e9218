#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::operators {

/// The status of a Job of Volcano while a look counts its pods.
class VolcanoStatusDraft {
 public:
  VolcanoStatusDraft(const watching::Observed<kube::VolcanoJob>& job, Instant now);

  void count(std::string_view task, kube::PodPhase phase);
  /// It is being deleted.
  void count_terminating() { ++now_.terminating; }

  /// What the phase is now, by the counts: it runs once as many pods run as it needs, and ends once all have ended.
  /// Source: pkg/controllers/job/state, volcano.sh/volcano v1.15.1.
  void judge();
  void set_phase(std::string_view phase) { now_.phase = phase; }

  /// The Job is over, and its remaining pods have been told to go: another version of it.
  void end(Instant created);

  /// The whole status; null: nothing has changed.
  [[nodiscard]] document::Value changed() const;

 private:
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::string_view end_phase() const;

  const kube::VolcanoJob& job_;
  const document::Value before_;
  Instant at_;
  kube::VolcanoJobStatus now_;
  document::Value duration_;  // how long it took; null: it goes on
};

}  // namespace loadline::operators
