#pragma once

#include <cstdint>
#include <string>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/replica_status.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct Service {
  ObjectMeta metadata;
  StringMap selector;  ///< empty: selects nothing
  std::string type;    ///< ClusterIP, NodePort, LoadBalancer, ExternalName
  std::int32_t port_count = 0;
  bool allocate_load_balancer_node_ports = true;
};

struct ReplicationController {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  StringMap selector;
  PodTemplateSpec template_;
  std::int32_t min_ready_seconds = 0;
  ReplicaSetStatus status;
};

struct ConfigMap {
  ObjectMeta metadata;
  StringMap data;
};

}  // namespace loadline::kube
