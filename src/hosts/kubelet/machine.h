#pragma once

#include <optional>
#include <string>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// Which nodes are virtual.
enum class Claim : std::uint8_t {
  kAnnotated,  ///< those that say so: loadline.dev/node=virtual, kwok.x-k8s.io/node=fake
  kAll,        ///< but for those that say otherwise: loadline.dev/node=real
};

[[nodiscard]] bool is_virtual(const kube::Node& node, Claim claim);

/// The virtual machine behind a node, at one point in time.
struct Machine {
  bool is_up = true;
  double slowness = 1;
  Instant since;                       ///< when it last went up or down, as far as that is known
  std::optional<Instant> next_change;  ///< when it will go down, or up again, by itself
};

/// As the node's annotations say: unready, flaky, slow.
[[nodiscard]] Machine machine_of(const kube::Node& node, Instant now);

/// The node's InternalIP; empty: it has none.
[[nodiscard]] std::string internal_ip(const document::Value& node);

}  // namespace loadline::kubelet
