#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/store/store.h"

namespace loadline::apiserver {

// Services get their addresses from 10.96.0.0/16, and their node ports from 30000 to 32767.
inline constexpr std::string_view kServiceRange = "10.96.0.0/16";
inline constexpr std::string_view kFirstServiceAddress = "10.96.0.1";  ///< of the service "kubernetes"

/// The addresses and ports of nodes that services have, but one. Read from the store: O(text of all services).
/// What a service has is what its document says, so nothing needs to be given back.
/// Source: pkg/registry/core/service/{ipallocator,portallocator}, v1.36.
class ServiceNumbers {
 public:
  /// `own` names the service that is not counted.
  ServiceNumbers(const store::Store& store, const store::Key& own);

  /// A free one, taken from now on; nothing if there is none. The lower end of either range is left to clients that ask
  /// for a certain number, as long as there is another.
  std::optional<std::string> take_address(Rng& rng);
  std::optional<std::int64_t> take_port(Rng& rng);
  void take_port(std::int64_t port) { ports_.insert(port); }

  /// Why a service cannot have it; empty if it can.
  [[nodiscard]] std::string address_problem(std::string_view address) const;
  [[nodiscard]] std::string port_problem(std::int64_t port) const;

 private:
  std::set<std::string, std::less<>> addresses_;
  std::set<std::int64_t> ports_;
};

}  // namespace loadline::apiserver
