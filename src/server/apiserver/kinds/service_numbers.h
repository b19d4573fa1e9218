#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/store/store.h"

namespace loadline::apiserver {

// Services get their addresses from 10.96.0.0/16, and their node ports from 30000 to 32767.
inline constexpr std::string_view kServiceRange = "10.96.0.0/16";
inline constexpr std::string_view kFirstServiceAddress = "10.96.0.1";  ///< of the service "kubernetes"

/// The addresses and ports of nodes that services have, but one. Read from the store when the first question needs it:
/// O(text of all services). A headless service, which needs no number, costs nothing. What a service has is what its
/// document says, so nothing needs to be given back. Source: pkg/registry/core/service/{ipallocator,portallocator},
/// v1.36.
class ServiceNumbers {
 public:
  /// `own` names the service that is not counted.
  ServiceNumbers(const store::Store& store, store::Key own) : store_(store), own_(std::move(own)) {}

  /// A free one, taken from now on; nothing if there is none. The lower end of either range is left to clients that ask
  /// for a certain number, as long as there is another.
  std::optional<std::string> take_address(Rng& rng);
  std::optional<std::int64_t> take_port(Rng& rng);
  void take_port(std::int64_t port) { taken().ports.insert(port); }

  /// Why a service cannot have it; empty if it can.
  [[nodiscard]] std::string address_problem(std::string_view address) const;
  [[nodiscard]] std::string port_problem(std::int64_t port) const;

 private:
  struct Taken {
    std::set<std::string, std::less<>> addresses;
    std::set<std::int64_t> ports;
  };

  [[nodiscard]] Taken& taken() const;

  const store::Store& store_;
  store::Key own_;
  mutable std::optional<Taken> taken_;  // nothing: not asked for yet
};

}  // namespace loadline::apiserver
