#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::operators {

using CliquePod = watching::Observed<kube::Pod>;

/// Those that go first, `count` of them: without a node, not running, not ready, of an old template, the youngest.
/// `hash`: of the template that pods should have.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podclique/components/pod/deletionsort.go.
[[nodiscard]] std::vector<const CliquePod*> first_to_go(std::vector<const CliquePod*> pods, std::size_t count,
                                                        std::string_view hash);

/// One step of replacing pods of old templates: those that are not ready go at once, and then the ready ones, the
/// oldest first, each once the one before has been replaced and as many are ready as are needed. `update` notes how far
/// it is, and that it has ended. Source: rollingupdate.go, ibidem.
/// @param pods those that are not being deleted
/// @returns the pods that go now
[[nodiscard]] std::vector<const CliquePod*> replace_old_pods(const std::vector<const CliquePod*>& pods,
                                                             std::string_view hash, bool has_enough_ready, Instant now,
                                                             kube::CliqueUpdate& update);

}  // namespace loadline::operators
