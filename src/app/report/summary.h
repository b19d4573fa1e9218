#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/report/fragmentation.h"
#include "app/report/scope.h"
#include "app/report/workloads.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// Pods by outcome.
struct Counts {
  std::size_t running = 0, placed = 0, pending = 0, gated = 0, rejected = 0, preempted = 0, evicted = 0, ignored = 0,
              failed = 0;
  std::size_t not_created = 0;
  std::size_t queued = 0;     ///< their queues hold their workloads back
  std::size_t undecided = 0;  ///< of those that are or would be on nodes, or have gates: PlannedPod::undecided
  std::size_t lost = 0;       ///< of the preempted and evicted: those that no controller brings back

  [[nodiscard]] std::size_t total() const {
    return running + placed + pending + gated + rejected + preempted + evicted + ignored + failed + not_created +
           queued;
  }
};

/// How full the whole cluster is of one resource: the sum over all nodes, cordoned ones included, of what their pods
/// request.
struct Utilisation {
  std::string resource;
  kube::Quantity allocatable;
  kube::Quantity requested;

  [[nodiscard]] int percent() const;
};

struct Summary {
  Counts counts;
  std::size_t refused = 0;             ///< objects other than pods that admission refused
  std::size_t undecided = 0;           ///< workloads without pods of which that is so
  std::size_t unreserved = 0;          ///< pods whose room reservations ask for and no node has
  std::vector<Utilisation> resources;  ///< cpu, memory, GPUs, then what else is requested, by name; pods last
  std::vector<GpuFragmentation> gpus;  ///< by resource name
  std::size_t nodes = 0;
  std::size_t cycles = 0;

  /// True if every pod that may run has a node at the end: nothing pending, rejected, failed, ignored, lost or not even
  /// created, nothing that another project's queue decides about, and no other object refused, since its pods may be
  /// missing altogether, and all room that is to be reserved is held. Gated pods wait because their author said so, and
  /// preempted ones whose replacement runs elsewhere are well.
  [[nodiscard]] bool all_placed() const { return all_would_be_placed() && !leaves_undecided(); }
  /// The same, as if queues of other projects let start what they are asked for.
  [[nodiscard]] bool all_would_be_placed() const;
  [[nodiscard]] bool leaves_undecided() const { return counts.undecided + undecided > 0; }
};

Summary summarize(const simulator::Plan& plan, const Scope& scope = {});

}  // namespace loadline::report
