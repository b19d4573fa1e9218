#pragma once

#include <string>

#include "hosts/controllers/rollout.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/cache.h"
#include "objects/kube/apps/apps.h"

namespace loadline::controllers {

/// Whether the pods of a ReplicaSet come from that template, but for the label pod-template-hash. O(size).
bool has_template(const Observed<kube::ReplicaSet>& replica_set, const document::Value& pod_template);

/// The pod-template-hash for a Deployment whose template no ReplicaSet has. See deployment.h.
std::string hash_for(const Observed<kube::Deployment>& deployment, std::int32_t collisions,
                     const Cache<kube::ReplicaSet>& replica_sets);

/// The ReplicaSet that a Deployment creates for its template.
document::Value replica_set_document(const Observed<kube::Deployment>& deployment, const Part& part,
                                     const std::string& hash);

}  // namespace loadline::controllers
