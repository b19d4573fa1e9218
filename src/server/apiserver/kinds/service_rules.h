#pragma once

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

// What services ask of each other's fields. Documents are whole services.
bool is_headless(const document::Value& service);
bool is_external_name(const document::Value& service);
bool needs_node_ports(const document::Value& service);  ///< NodePort, LoadBalancer
bool needs_health_check(const document::Value& service);
bool is_externally_accessible(const document::Value& service);

/// ValidateServiceClusterIPsRelatedFields. `old` may be null.
kube::FieldErrors cluster_ip_errors(const document::Value& service, const document::Value& old);

/// validateService. `old` is null for a new one.
kube::FieldErrors service_errors(const document::Value& service, const document::Value& old);

/// What ValidateServiceUpdate asks besides.
kube::FieldErrors service_change_errors(const document::Value& service, const document::Value& old);

}  // namespace loadline::apiserver
