#pragma once

#include <cstddef>
#include <string>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// A pod as a controller makes it: labels, an owner's annotations, one container with resources, an environment and a
/// volume; about 1 kB of JSON.
std::string pod_json(const std::string& name);

std::string pods_path(const std::string& name_space);

net::Request create_pod(const Session& session, const std::string& name_space, const std::string& name);

/// A kubelet's report: a merge patch of the status that differs with each `turn`.
net::Request patch_status(const Session& session, const std::string& name_space, const std::string& name,
                          std::size_t turn);

Result<void> make_namespace(Session& session, const std::string& name);

}  // namespace loadline::bench
