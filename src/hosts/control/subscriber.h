#pragma once

#include <functional>
#include <utility>

#include "hosts/control/informers.h"
#include "hosts/controllers/controller.h"

namespace loadline::control {

/// Has the caches fed that a controller, or the scheduler, reads, and tells it of the keys that changes concern.
class Subscriber final : public controllers::Subscriptions {
 public:
  using Add = std::function<void(const controllers::ObjectKey& key)>;
  using OnNeed = std::function<void(controllers::AnyCache& cache)>;

  /// `informers`, and what `add` refers to, outlive the caches' listeners. `on_need` (may be empty) is told of each
  /// kind that is subscribed to, as often as that happens.
  Subscriber(Informers& informers, Add add, OnNeed on_need = {})
      : informers_(informers), add_(std::move(add)), on_need_(std::move(on_need)) {}
  [[nodiscard]] controllers::Caches& caches() override { return informers_.caches(); }

 protected:
  Add adder() override { return add_; }
  void needs(controllers::AnyCache& cache) override {
    informers_.need(cache);
    if (on_need_) on_need_(cache);
  }

 private:
  Informers& informers_;
  Add add_;
  OnNeed on_need_;
};

}  // namespace loadline::control
