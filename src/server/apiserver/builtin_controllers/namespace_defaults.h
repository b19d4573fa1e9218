#pragma once

#include <string>

#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"

namespace loadline::apiserver {

/// Gives every namespace the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`, and restores them when they
/// are deleted or, the latter, changed.
/// Source: pkg/controller/serviceaccount, pkg/controller/certificates/rootcacertpublisher, v1.36.
class NamespaceDefaults {
 public:
  /// `authority_pem`: the certificate authority that clients in the cluster trust.
  NamespaceDefaults(const ServerContext& context, std::string authority_pem);

  /// Of every object: it is there, was changed or is gone.
  void on_object(const store::ObjectPtr& object, bool gone);

 private:
  void create_defaults(const std::string& name_space);
  void publish_authority(const std::string& name_space);

  std::string authority_pem_;
  SystemWriter accounts_;
  SystemWriter publisher_;
  WorkQueue<std::string> queue_;
};

}  // namespace loadline::apiserver
