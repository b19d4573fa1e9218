#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "hosts/embedded/cluster.h"
#include "server/net/exchange.h"
#include "server/net/loop.h"
#include "server/net/server.h"

namespace loadline::dump {

/// What a server does with a request before the cluster sees it: true, if it answers. An exchange that it lets go of
/// without an answer is cut.
using Intercept = std::function<bool(const std::shared_ptr<net::Exchange>& exchange)>;

/// A cluster in virtual time, of which time stands still while its API is served: what asks it a second time sees the
/// same.
class ServedCluster {
 public:
  explicit ServedCluster(std::uint64_t seed);
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;
  ~ServedCluster();

  [[nodiscard]] VirtualLoop& loop() { return loop_; }
  [[nodiscard]] kube::Client& client() { return *client_; }
  /// Creates an object of any kind, in `name_space` if its kind has namespaces. Returns the API server's refusal;
  /// empty: it is there.
  std::string create(const std::string& yaml, const std::string& name_space = "default");

  /// Ends controllers and scheduler, and listens on a port of this machine, from a thread of its own.
  void serve(Intercept intercept = {});
  /// Ends that: the cluster is the caller's thread's again.
  void stop_serving();
  /// A kubeconfig for it, as its owner, or as the user who is impersonated.
  [[nodiscard]] std::string kubeconfig(const std::string& as = "") const;

 private:
  class Gate;

  VirtualLoop loop_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
  net::Loop sockets_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
  std::uint16_t port_ = 0;
};

}  // namespace loadline::dump
