#pragma once

#include "apiserver/metrics_api.h"
#include "base/event_loop.h"
#include "controllers/caches.h"

namespace loadline::embedded {

/// What virtual nodes and their pods use, as metrics-server would have measured it: see kubelet/usage.h.
class MeasuredUsage final : public apiserver::UsageSource {
 public:
  /// Both outlive it.
  MeasuredUsage(const EventLoop& loop, const controllers::Caches& caches) : loop_(loop), caches_(caches) {}

  [[nodiscard]] std::optional<apiserver::NodeUsage> node(std::string_view name) const override;
  [[nodiscard]] std::optional<apiserver::PodUsage> pod(std::string_view name_space,
                                                       std::string_view name) const override;

 private:
  const EventLoop& loop_;
  const controllers::Caches& caches_;
};

}  // namespace loadline::embedded
