#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "bench/up/pod_watch.h"
#include "bench/up/requests.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Machines that are not there, for a cluster that brings none: nodes of 8 CPUs for 110 pods, and one client that does
/// for all of them what KWOK's fast stages do. A pod that is bound becomes Running at once, with one patch of its
/// status; one that is deleted is gone at once. It sends no heartbeats and writes no events: less than kubelets do.
class Kubelets {
 public:
  /// Makes the nodes, and follows the pods that get onto them, whenever the session's loop runs.
  static Result<std::unique_ptr<Kubelets>> start(Session& session, std::size_t nodes);

 private:
  static constexpr std::size_t kConnections = 32;
  explicit Kubelets(Session& session) : session_(session), requests_(session, kConnections) {}
  Result<void> make_nodes(std::size_t count);
  void on_pod(const PodWatch::Event& event);

  Session& session_;
  Requests requests_;
  std::unique_ptr<PodWatch> watch_;
  std::set<std::string> deleted_;  // "namespace/name", until they are gone
};

}  // namespace loadline::bench
