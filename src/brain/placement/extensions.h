#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "brain/placement/extender.h"
#include "brain/placement/plugin.h"
#include "foundation/base/result.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/pod.h"

namespace loadline::placement {

/// The API objects behind the model's pods, for plugins and extenders that read more of them than the model keeps.
class PodObjects {
 public:
  virtual ~PodObjects() = default;
  /// REQUIRES: the cluster knows the pod. Valid until the next pod is added.
  [[nodiscard]] virtual const kube::Pod& at(cluster::PodId pod) const = 0;
};

/// The API objects behind the model's nodes.
class NodeObjects {
 public:
  virtual ~NodeObjects() = default;
  /// REQUIRES: the cluster knows the node. Valid until the next node is added.
  [[nodiscard]] virtual const kube::Node& at(cluster::NodeId node) const = 0;
};

/// A plugin that is not built in.
class PluginSource {
 public:
  virtual ~PluginSource() = default;
  /// The name configuration uses; lives as long as the source.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One instance for the profile, which enables it. Errors: it cannot work with these arguments.
  [[nodiscard]] virtual Result<std::unique_ptr<Plugin>> make(const kube::SchedulerProfile& profile) const = 0;
};

/// What a host adds to the built-in framework. The host reaches other processes: placement sees these interfaces only.
struct Extensions {
  std::vector<std::shared_ptr<const PluginSource>> plugins;
  std::shared_ptr<const ExtenderSource> extenders;  ///< null: those that profiles name are left out
  std::shared_ptr<const PodObjects> pods;           ///< null: the host has none to show
  std::shared_ptr<const NodeObjects> nodes;         ///< null: likewise
};

}  // namespace loadline::placement
