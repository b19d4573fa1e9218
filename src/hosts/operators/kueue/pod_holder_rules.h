#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/kueue/known_objects.h"
#include "objects/kube/kueue/configuration.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {

// Objects that are held in their pods: StatefulSets and LeaderWorkerSets. Their templates say who holds the pods, and
// the pods wait by a scheduling gate. What Kueue's webhooks have against them, in their words and order.
// Source: Kueue v0.19.2, pkg/controller/jobs/{statefulset,leaderworkerset}, pkg/controller/jobframework/validation.go.

/// Whether the pods of the object are held: its framework is managed, and it is itself. An error: management.h.
[[nodiscard]] tl::expected<bool, std::string> holds_pods(const KnownObjects& objects,
                                                         const kube::KueueConfiguration& configuration,
                                                         std::string_view framework, const document::Value& object);

/// `gvk`: "apps/v1, Kind=StatefulSet".
void check_pod_holder(const apiserver::CheckedField& whole, std::string_view gvk);
/// `is_running`: one of its pods was ready.
void check_pod_holder_change(const document::Value& before, const apiserver::CheckedField& whole, bool is_running);
/// What of a template decides where its pods can run is fixed. `path`: "spec.template.spec".
void check_same_shape(const document::Value& before, const document::Value& after, const std::string& path,
                      const apiserver::CheckedField& whole);

}  // namespace loadline::operators::kueue
