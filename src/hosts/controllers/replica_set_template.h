#pragma once

#include <string>
#include <string_view>

#include "hosts/controllers/cache.h"
#include "hosts/controllers/rollout.h"
#include "objects/kube/apps/apps.h"

namespace loadline::controllers {

/// Whether the pods of a ReplicaSet come from that template, but for the label pod-template-hash. O(size).
bool has_template(const Observed<kube::ReplicaSet>& replica_set, const document::Value& pod_template);

/// The pod-template-hash for a Deployment whose template no ReplicaSet has. See deployment.h.
std::string hash_for(const Observed<kube::Deployment>& deployment, std::int32_t collisions,
                     const Cache<kube::ReplicaSet>& replica_sets);

/// "web-5d4f7c9b8b", the Deployment's name cut where it would be too long.
std::string replica_set_name(std::string_view deployment, std::string_view hash);

/// The ReplicaSet that a Deployment creates for its template.
document::Value replica_set_document(const Observed<kube::Deployment>& deployment, const Part& part,
                                     const std::string& hash);

}  // namespace loadline::controllers
