#pragma once

#include <set>
#include <string>
#include <string_view>

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

// The rules of resources and their names. Source: pkg/apis/core/validation and helper, v1.36.

/// A name that Kubernetes itself defines for quotas.
[[nodiscard]] bool is_standard_quota_resource(std::string_view name);

void validate_resource_name(FieldReport& report, const Path& at, std::string_view name);
void validate_container_resource_name(FieldReport& report, const Path& at, std::string_view name);
void validate_quota_resource_name(FieldReport& report, const Path& at, std::string_view name);

void validate_quantity(FieldReport& report, const Path& at, std::string_view name, const Quantity& amount);
/// "must be greater than zero".
void validate_positive(FieldReport& report, const Path& at, const Quantity& amount);

/// `resources` of a container.
/// `claim_names`: spec.resourceClaims, which `claims` must name.
void validate_container_resources(FieldReport& report, const Path& at, const ResourceRequirements& resources,
                                  const std::set<std::string, std::less<>>& claim_names);

/// What a runtime costs besides the containers, by the rules of limits. Upstream names `limits[cpu]` below `at`, where
/// no such field is.
void validate_overhead(FieldReport& report, const Path& at, const ResourceList& overhead);

/// spec.resources: its own rules, and that it covers what the containers ask for.
void validate_pod_level_resources(FieldReport& report, const Path& at, const PodSpec& spec);

}  // namespace loadline::kube
