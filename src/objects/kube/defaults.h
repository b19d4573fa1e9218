#pragma once

#include <cstdint>

namespace loadline::kube {

struct Namespace;
struct Pod;
struct PodTemplateSpec;
struct RuntimeClass;

/// How long a pod that does not say gets to end.
inline constexpr std::int64_t kDefaultGracePeriodSeconds = 30;

/// What the API server's defaulting (SetDefaults_*) does beyond the defaults that are data (objects/schema/defaults),
/// which decoding fills in. Idempotent.
/// Source: pkg/apis/{core,apps,batch}/v1/{defaults,zz_generated.defaults}.go, v1.36.
void set_defaults(Namespace& name_space);
void set_defaults(Pod& pod);
void set_defaults(PodTemplateSpec& pod_template);
/// Rounds the overhead. An API server keeps a RuntimeClass as it is written, but rounds the overhead of pods, which is
/// copied from there.
void set_defaults(RuntimeClass& runtime_class);

/// Kinds of which no decision reads more that is filled in than their pods' templates.
template <class Kind>
void set_defaults(Kind& object) {
  if constexpr (requires { object.template_; }) set_defaults(object.template_);
  if constexpr (requires { object.spec.template_; }) set_defaults(object.spec.template_);
  if constexpr (requires { object.job_spec.template_; }) set_defaults(object.job_spec.template_);
}

/// What the API server does to a pod that is created, after defaulting: merges matchLabelKeys and mismatchLabelKeys of
/// pod affinity, and matchLabelKeys of spread constraints, into the label selectors, as `key In (value)` and
/// `key NotIn (value)`; keys that the pod has no label for are passed over, and so are absent selectors.
/// Not idempotent: call it once, and never for a pod that an API server has created.
/// Source: pkg/registry/core/pod/strategy.go, v1.36.
void prepare_for_create(Pod& pod);

}  // namespace loadline::kube
