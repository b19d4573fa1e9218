#pragma once

#include <functional>

#include "foundation/base/event_loop.h"
#include "hosts/embedded/control_questions.h"
#include "hosts/watching/caches.h"
#include "server/apiserver/http/metrics_api.h"

namespace loadline::embedded {

/// What virtual nodes and their pods use, as metrics-server would have measured it: see kubelet/usage.h.
class MeasuredUsage final : public apiserver::UsageSource {
 public:
  /// What the controllers know, on their thread; null: there are none now.
  using Known = std::function<const watching::Caches*()>;

  /// All outlive it. The clock may be looked at by the controllers' thread, too.
  MeasuredUsage(const EventLoop& clock, ControlQuestions& questions, Known known)
      : clock_(clock), questions_(questions), known_(std::move(known)) {}

  void measure_nodes(std::vector<std::string> names, OnNodes done) const override;
  void measure_pods(std::vector<apiserver::PodName> names, OnPods done) const override;

 private:
  const EventLoop& clock_;
  ControlQuestions& questions_;
  Known known_;
};

}  // namespace loadline::embedded
