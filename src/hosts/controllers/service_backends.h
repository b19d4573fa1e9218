#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/controllers/controller.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/caches.h"
#include "objects/kube/core/service.h"

namespace loadline::controllers {

/// Pods of a Service that begin and end one after the other are one change of its endpoints.
/// Upstream: --endpoint-updates-batch-period and --endpointslice-updates-batch-period, which put each change off, and
/// are 0 unless somebody sets them.
inline constexpr Duration kEndpointsPause{100'000'000};

struct ServicePort {
  std::string name;
  std::string protocol;            ///< TCP, UDP, SCTP
  document::Value target;          ///< a number, or the name of a container's port
  document::Value protocol_above;  ///< appProtocol; null: unsaid
};

/// A Service as the controllers see it that write its Endpoints and EndpointSlices.
struct ServiceBackends {
  explicit ServiceBackends(const Observed<kube::Service>& service);

  const Observed<kube::Service>& service;
  std::vector<ServicePort> ports;
  std::vector<std::string> families;  ///< "IPv4", "IPv6": those it serves, first the one it prefers
  bool is_headless = false;
  bool publishes_not_ready = false;

  /// False for a Service without a selector, or of type ExternalName: its author writes the Endpoints, if any.
  [[nodiscard]] bool has_pods() const;
  /// Those it selects, by name.
  [[nodiscard]] std::vector<const Observed<kube::Pod>*> pods(const Caches& caches) const;
  /// The pod answers to a name of its own: "web-0.web".
  [[nodiscard]] bool names(const Observed<kube::Pod>& pod) const;
};

/// Which port of the pod is meant; nothing: none of its containers has one of that name.
std::optional<std::int64_t> target_port(const kube::Pod& pod, const ServicePort& port);

/// The pod's addresses of a family. Empty: it has none yet.
std::vector<std::string> addresses_of(const Observed<kube::Pod>& pod, std::string_view family);

/// Whether the pod stands behind services at all: it runs, or begins to, and has an address.
bool is_backend(const Observed<kube::Pod>& pod, bool with_terminating);

/// An ObjectReference of a pod, as endpoints name it.
document::Value target_reference(const Observed<kube::Pod>& pod);

/// Labels for what belongs to a Service: its own, "service.kubernetes.io/headless" where it is, and `more`.
document::Value labels_for(const ServiceBackends& backends, const kube::StringMap& more);

/// A change of a pod concerns the services that selected it before, and those that do now.
std::function<void(const Change<kube::Pod>&, Keys&)> services_of_pods(const Caches& caches);

}  // namespace loadline::controllers
