#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/jobset/job_set.h"

namespace loadline::operators {

/// The status of a JobSet as it will be written, and what is told once it is.
class StatusDraft {
 public:
  StatusDraft(const watching::Observed<kube::JobSet>& set, Instant now)
      : status(set.view.status), set_(set), now_(now) {}

  /// Puts the condition in the place of the one of its type. A new one that says False is left out; a change is told.
  void set_condition(std::string_view type, bool value, std::string_view reason, std::string_view message,
                     watching::Event::Type told_as = watching::Event::Type::kNormal);
  void tell(watching::Event::Type type, std::string_view reason, std::string message);

  void complete();
  void fail(std::string_view reason, std::string message);
  /// The Jobs run again; `rule` is the reason of the condition.
  void restart(bool counts_towards_max, std::string_view rule, std::string_view reason, const std::string& message);
  /// It is not being restarted any more.
  void end_restart(std::string_view reason, std::string_view message);

  /// Writes what has changed, and tells what there is to tell.
  void write(watching::Reconciliation& result);

  kube::JobSetStatus status;

 private:
  const watching::Observed<kube::JobSet>& set_;
  Instant now_;
  std::vector<watching::Event> events_;
};

}  // namespace loadline::operators
