#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"
#include "hosts/watching/caches.h"

namespace loadline::cli {

/// Where the demonstration's pods are; all other pods belong to the user.
inline constexpr std::array<std::string_view, 3> kDemoNamespaces = {"demo-serving", "demo-training",
                                                                    "demo-experiments"};

/// What a pod of the demonstration requests beside GPUs.
inline constexpr std::int64_t kWorkerCpus = 2;
inline constexpr std::int64_t kWorkerGibibytes = 8;

/// What the nodes have for a demonstration, beside the pods of others.
struct DemoRoom {
  std::int64_t workers = 0;       ///< how many pods fit by cpu and memory
  std::int64_t gpus = 0;          ///< for which there is a worker
  std::int64_t gpus_of_node = 0;  ///< of the node with most of them
};

/// O(nodes + pods). Nodes that pods are evicted from (NoExecute) do not count.
DemoRoom demo_room(const watching::Caches& caches);

/// A Job, as it is drawn.
struct DemoJob {
  enum class Kind : std::uint8_t { kTraining, kExperiment };
  Kind kind = Kind::kTraining;
  std::uint64_t pods = 1;
  std::uint64_t gpus = 0;  ///< of each pod
  std::uint64_t seconds = 60;
};

/// One of many; never one whose pods fit on no node.
DemoJob draw_job(Rng& rng, const DemoRoom& room);

/// How fast Jobs come. They are to take half of what is scarcest, GPUs or workers; services take a quarter, so that
/// mostly there is some room, and sometimes a pod waits.
struct DemoPace {
  Duration between_jobs;      ///< on average; from one second to half a minute
  std::uint64_t width = 1;    ///< how many times as many pods a Job has: in large clusters Jobs are larger, not faster
  std::size_t most_jobs = 1;  ///< there at a time, finished ones included; twice as many as if none waited
};

DemoPace demo_pace(const DemoRoom& room);

/// How long a finished Job stays.
inline constexpr std::uint64_t kFinishedSeconds = 60;

}  // namespace loadline::cli
