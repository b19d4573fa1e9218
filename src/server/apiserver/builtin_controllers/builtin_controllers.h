#pragma once

#include <string>

#include "server/apiserver/builtin_controllers/all_objects_follower.h"
#include "server/apiserver/builtin_controllers/garbage_collector.h"
#include "server/apiserver/builtin_controllers/namespace_defaults.h"
#include "server/apiserver/builtin_controllers/namespace_sweeper.h"
#include "server/apiserver/builtin_controllers/orphaned_pods.h"

namespace loadline::apiserver {

/// What a cluster needs so that deleting works and namespaces have what they should, without kube-controller-manager.
/// Where that runs, too, neither disturbs the other.
class BuiltinControllers {
 public:
  BuiltinControllers(const ServerContext& context, std::string authority_pem)
      : collector_(context),
        sweeper_(context),
        defaults_(context, std::move(authority_pem)),
        pods_(context),
        everything_(context, [this](const store::ObjectPtr& object, bool gone) {
          collector_.on_object(object, gone);
          sweeper_.on_object(object, gone);
          defaults_.on_object(object, gone);
          pods_.on_object(object, gone);
        }) {
    everything_.refresh();
  }

  /// The catalog has changed.
  void refresh() {
    everything_.refresh();
    collector_.on_new_kinds();
  }

 private:
  GarbageCollector collector_;
  NamespaceSweeper sweeper_;
  NamespaceDefaults defaults_;
  OrphanedPods pods_;
  AllObjectsFollower everything_;
};

}  // namespace loadline::apiserver
