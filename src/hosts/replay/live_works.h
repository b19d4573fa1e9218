#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "brain/cluster/ids.h"
#include "foundation/base/contract.h"
#include "foundation/base/time.h"
#include "hosts/trace/work.h"
#include "objects/kube/core/pod.h"

namespace loadline::replay {

/// A pod of a work that is there.
struct LivePod {
  cluster::PodId id;
  std::size_t alike = 0;  ///< index into Work::pods
  bool is_placed = false;
  bool is_leaving = false;
  bool is_done = false;
  std::uint32_t run = 0;  ///< how many of its runs were interrupted
  Duration since = {};    ///< when it got its node; or later: up to then, its time on it has been counted
};

/// A work that has arrived and is not over.
struct LiveWork {
  trace::Work work;
  std::uint64_t serial = 0;  ///< in order of arrival; no other work ever had it
  /// By index into Work::pods: what its pods are made from. Those of a gang name its group.
  std::vector<kube::Pod> templates;
  std::vector<LivePod> pods;
  std::size_t placed = 0;  ///< pods
  std::size_t done = 0;    ///< pods that have run their time
  std::uint32_t run = 0;   ///< how many of its runs were interrupted
  bool is_held = false;    ///< its queue does not let it start, or has stopped it
  bool has_started = false;
  Duration first_started;  ///< when all its pods ran for the first time
  Duration started;        ///< the same of the present run
  /// When it was first planned to start, while it waited for its first start; nullopt: never.
  std::optional<Duration> promised;

  [[nodiscard]] bool is_whole() const { return placed + done == pods.size(); }
};

/// The works that are there. A place is used again once its work is over; memory follows how many are there at one
/// time.
class LiveWorks {
 public:
  using Slot = std::uint32_t;
  struct PodPlace {
    Slot slot = 0;
    std::uint32_t pod = 0;
  };

  /// The reference is valid until the work is removed.
  Slot add(trace::Work work);
  void remove(Slot slot);
  [[nodiscard]] LiveWork& at(Slot slot) { return works_[slot]; }
  /// Null: the work of that serial is over.
  [[nodiscard]] LiveWork* find(Slot slot, std::uint64_t serial) {
    LiveWork& work = works_[slot];
    return work.serial == serial ? &work : nullptr;
  }
  /// Those that are there, in order of arrival. O(places · log).
  [[nodiscard]] std::vector<Slot> in_order() const;
  [[nodiscard]] std::size_t arrived() const { return last_serial_; }
  [[nodiscard]] std::size_t size() const { return works_.size() - free_.size(); }

  void set_id(Slot slot, std::size_t pod, cluster::PodId id);
  /// REQUIRES: set_id() was told of it last.
  [[nodiscard]] PodPlace place_of(cluster::PodId id) const {
    REQUIRES(id.index() < places_.size());
    return places_[id.index()];
  }

 private:
  std::deque<LiveWork> works_;  // those that are over have serial 0
  std::vector<Slot> free_;
  std::vector<PodPlace> places_;  // by PodId
  std::uint64_t last_serial_ = 0;
};

}  // namespace loadline::replay
