#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::cli {

/// A cluster at a glance.
struct ClusterStatus {
  struct Amount {
    kube::Quantity allocated;  ///< requested by pods that have a node and have not ended
    kube::Quantity all;        ///< allocatable, of all nodes
  };
  /// Pods that wait for the same reason.
  struct Waiting {
    std::string reason;
    std::size_t count = 0;
    std::string example;  ///< "default/web-0", the first by name
  };
  struct Warning {
    std::optional<Instant> at;
    std::string about;  ///< "Pod default/web-0"
    std::string reason;
    std::string message;
    std::int64_t count = 1;
  };

  /// A pod group, of whatever spelling, some of whose pods have no node, or are not even created.
  struct WaitingGroup {
    std::string name;         ///< "default/train"
    std::size_t placed = 0;   ///< of its pods that have not ended
    std::size_t members = 0;  ///< likewise
    std::size_t to_come = 0;  ///< pods that are created once these run
  };

  /// A Reservation of Loadline's that holds room for pods to come, or waits for some.
  struct HeldRoom {
    std::string name;         ///< "default/spares"
    std::int64_t held = 0;    ///< of so many pods
    std::string for_whom;     ///< "replacements"; empty: for any pods that match
    bool is_waiting = false;  ///< not all of its room is held
  };

  std::size_t nodes = 0;
  std::size_t ready_nodes = 0;
  std::size_t cordoned_nodes = 0;
  std::map<std::string, Amount> resources;   ///< cpu, memory, and whatever devices there are
  std::map<std::string, std::size_t> pods;   ///< by phase; "Terminating" for those that are being deleted
  std::vector<Waiting> waiting;              ///< without a node: the most frequent reason first
  std::size_t groups = 0;                    ///< pod groups with pods that have not ended
  std::vector<WaitingGroup> waiting_groups;  ///< by name
  std::vector<HeldRoom> reservations;        ///< by name
  /// Pods and Jobs that have not ended and name a queue of another project, by the project: where Loadline is the
  /// cluster, no queue decides about them.
  std::map<std::string, std::size_t> queued;
  std::size_t on_their_way = 0;   ///< pods that are being placed, started or stopped right now
  std::vector<Warning> warnings;  ///< the latest last

  [[nodiscard]] std::size_t waiting_pods() const;
  /// Nothing waits for a node, and all nodes are ready.
  [[nodiscard]] bool is_well() const { return waiting.empty() && ready_nodes == nodes; }
};

/// An API server's documents.
struct ClusterDocuments {
  std::vector<document::Value> nodes;
  std::vector<document::Value> pods;
  std::vector<document::Value> warnings;             ///< events of type Warning
  std::vector<document::Value> reservations;         ///< of loadline.dev
  std::vector<document::Value> groups = {};          ///< PodGroups of Kubernetes
  std::vector<document::Value> volcano_groups = {};  ///< and of Volcano
  std::vector<document::Value> jobs = {};
  std::vector<document::Value> queues = {};  ///< ClusterQueues of Kueue: with any, its queues decide
};

/// What they come to; of the events the last `most_warnings`. Pods that wait because their author gated them are
/// waiting, too.
ClusterStatus summarize(const ClusterDocuments& documents, std::size_t most_warnings);

/// The same for programs.
document::Value status_document(const ClusterStatus& status);

}  // namespace loadline::cli
