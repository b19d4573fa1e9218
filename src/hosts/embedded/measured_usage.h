#pragma once

#include "foundation/base/event_loop.h"
#include "hosts/controllers/caches.h"
#include "server/apiserver/http/metrics_api.h"

namespace loadline::embedded {

/// What virtual nodes and their pods use, as metrics-server would have measured it: see kubelet/usage.h.
class MeasuredUsage final : public apiserver::UsageSource {
 public:
  /// All outlive it. `caches` belong to the thread of `control_loop`; null: to this one.
  MeasuredUsage(const EventLoop& loop, const controllers::Caches& caches, EventLoop* control_loop)
      : loop_(loop), caches_(caches), control_loop_(control_loop) {}

  void hold_still(const std::function<void()>& read) const override;
  [[nodiscard]] std::optional<apiserver::NodeUsage> node(std::string_view name) const override;
  [[nodiscard]] std::optional<apiserver::PodUsage> pod(std::string_view name_space,
                                                       std::string_view name) const override;

 private:
  const EventLoop& loop_;
  const controllers::Caches& caches_;
  EventLoop* control_loop_;
  mutable bool is_still_ = false;  // within hold_still(); while the other thread looks at it, this one waits
};

}  // namespace loadline::embedded
