#pragma once

#include <functional>
#include <utility>

#include "hosts/watching/informers.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::watching {

/// Has the caches fed that a controller, or the scheduler, reads, and tells it of the keys that changes concern.
class Subscriber final : public Subscriptions {
 public:
  using Add = std::function<void(const ObjectKey& key)>;
  using OnNeed = std::function<void(AnyCache& cache)>;

  /// `informers`, and what `add` refers to, outlive the caches' listeners. `on_need` (may be empty) is told of each
  /// kind that is subscribed to, as often as that happens.
  Subscriber(Informers& informers, Add add, OnNeed on_need = {})
      : informers_(informers), add_(std::move(add)), on_need_(std::move(on_need)) {}
  [[nodiscard]] Caches& caches() override { return informers_.caches(); }

 protected:
  Add adder() override { return add_; }
  void needs(AnyCache& cache) override {
    informers_.need(cache);
    if (on_need_) on_need_(cache);
  }

 private:
  Informers& informers_;
  Add add_;
  OnNeed on_need_;
};

}  // namespace loadline::watching
