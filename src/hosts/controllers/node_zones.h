#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "foundation/base/time.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/node.h"

namespace loadline::controllers {

/// "region:zone" of a node, by its labels; empty if it has none. Source: GetZoneKey in component-helpers, v1.36.
std::string zone_of(const kube::Node& node);

/// How many nodes of each zone are ready, and so how fast nodes may lose their pods: a fault of the network must not
/// empty a cluster. Source: handleDisruption in pkg/controller/nodelifecycle, v1.36, with its default rates.
class NodeZones {
 public:
  /// Counts are kept up to date by every change of a node.
  void on_node(const Change<kube::Node>& change);

  /// No node of any zone is ready: more likely this controller is cut off than all nodes are lost.
  [[nodiscard]] bool is_all_lost() const;
  /// Whether one more node of the zone may be tainted at `now`; if so, that counts. 0.1 nodes a second; where more
  /// than 55 % of a zone are gone (and more than two), 0.01 if it has more than 50 nodes, none otherwise.
  bool may_taint(const std::string& zone, Instant now);
  /// When to ask again.
  [[nodiscard]] Duration retry_after(const std::string& zone, Instant now) const;

 private:
  struct Zone {
    std::size_t ready = 0;
    std::size_t unready = 0;
    std::optional<Instant> next;  ///< not before
  };
  struct Membership {
    std::string zone;
    bool is_ready = false;
  };
  [[nodiscard]] static std::optional<Duration> interval(const Zone& zone);
  void count(const Membership& node, bool comes);

  std::map<std::string, Zone> zones_;
  std::map<std::string, Membership> nodes_;  // by name
};

}  // namespace loadline::controllers
