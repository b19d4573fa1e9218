#pragma once

#include <functional>

#include "hosts/control/control_loop.h"
#include "hosts/embedded/control_questions.h"
#include "server/apiserver/http/visibility_api.h"

namespace loadline::embedded {

/// Who waits in Kueue's queues, as the scheduler's loop knows it.
class PendingWorkloads final : public apiserver::PendingSource {
 public:
  /// The loop, on its thread; null: there is none now.
  using Known = std::function<const control::ControlLoop*()>;

  /// All outlive it.
  PendingWorkloads(ControlQuestions& questions, Known known) : questions_(questions), known_(std::move(known)) {}

  void ask(apiserver::PendingQuestion question, OnWorkloads done) const override;

 private:
  ControlQuestions& questions_;
  Known known_;
};

}  // namespace loadline::embedded
