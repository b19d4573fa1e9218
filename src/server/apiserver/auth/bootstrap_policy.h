#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::apiserver {

/// An object to create at start.
struct BootstrapObject {
  std::string resource;    ///< "clusterroles", of rbac.authorization.k8s.io
  std::string name_space;  ///< empty: cluster-wide
  std::string name;
  document::Value document;
};

/// The roles and bindings that every Kubernetes cluster has, in the order in which they can be created. Aggregated
/// roles come without rules: Rbac::stale_aggregations says what to fill in. Source:
/// k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy, v1.36.
[[nodiscard]] std::vector<BootstrapObject> bootstrap_policy();

/// Reads a table of such objects, one a line, its parts separated by ` ; `:
///   ClusterRole view ; label a/b=true ; aggregate c/d=true        kind, [namespace/]name, labels, aggregated by label
///   Role kube-public/x ; allow get,list core,apps pods,deployments named a,b ; visit get /healthz,/livez
///   ClusterRoleBinding x ; role ClusterRole y ; subject User bob ; subject ServiceAccount kube-system/z
/// `core` is the group without a name. REQUIRES: the table is one that conformance/policy has written.
[[nodiscard]] std::vector<BootstrapObject> read_bootstrap_table(std::string_view table);

}  // namespace loadline::apiserver
