#pragma once

#include <string>

#include "server/apiserver/housekeeping/everything.h"
#include "server/apiserver/housekeeping/garbage_collector.h"
#include "server/apiserver/housekeeping/namespace_defaults.h"
#include "server/apiserver/housekeeping/namespace_sweeper.h"
#include "server/apiserver/housekeeping/orphaned_pods.h"

namespace loadline::apiserver {

/// What a cluster needs so that deleting works and namespaces have what they should, without kube-controller-manager.
/// Where that runs, too, neither disturbs the other.
class Housekeeper {
 public:
  Housekeeper(const Parts& parts, std::string authority_pem)
      : collector_(parts),
        sweeper_(parts),
        defaults_(parts, std::move(authority_pem)),
        pods_(parts),
        everything_(parts, [this](const store::ObjectPtr& object, bool gone) {
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
  Everything everything_;
};

}  // namespace loadline::apiserver
