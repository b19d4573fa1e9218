#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/apps/apps.h"

namespace loadline::workloads {

// A StatefulSet's pods: one an ordinal, `<set>-<ordinal>`, each with a claim `<template>-<set>-<ordinal>` of every
// claim template. A pod that has finished is replaced under its name, one that is being deleted holds it; those beyond
// the wanted ordinals go, the highest first. Source: pkg/controller/statefulset/stateful_set_utils.go, v1.36.

/// Ordinals from `first` on, below `end`.
struct Ordinals {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool contain(std::int64_t ordinal) const { return ordinal >= first && ordinal < end; }
};
[[nodiscard]] Ordinals wanted_ordinals(const kube::StatefulSet& set);

/// 3 of "web-3", if that is a pod of "web"; else nothing.
[[nodiscard]] std::optional<std::int32_t> ordinal_in(std::string_view pod, std::string_view stateful_set);

[[nodiscard]] std::string stateful_pod_name(const kube::StatefulSet& set, std::int64_t ordinal);
/// "data-web-3".
[[nodiscard]] std::string stateful_claim_name(const kube::StatefulSet& set, std::string_view claim_template,
                                              std::int64_t ordinal);

/// What all pods of the StatefulSet get.
[[nodiscard]] PodDraft shared_draft(const kube::StatefulSet& set);

/// What the pod of an ordinal gets besides; its revision is for the controller to say.
[[nodiscard]] PodDraft ordinal_draft(const kube::StatefulSet& set, std::int64_t ordinal);

}  // namespace loadline::workloads
