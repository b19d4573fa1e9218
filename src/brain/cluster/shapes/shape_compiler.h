#pragma once

#include <memory>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

/// Compiles what decisions read of a pod. Interns names, terms and topology keys in `cluster` as it goes.
std::unique_ptr<PodShape> compile_shape(const kube::Pod& pod, Cluster& cluster);

/// The constraint's selector over pods, its matchLabelKeys replaced by the values of `labels`.
PodSelector spread_selector(const kube::TopologySpreadConstraint& constraint, const LabelSet& labels,
                            SymbolTable& symbols);

std::vector<CompiledTaint> compile_taints(const std::vector<kube::Taint>& taints, SymbolTable& symbols);
std::vector<CompiledToleration> compile_tolerations(const std::vector<kube::Toleration>& tolerations,
                                                    SymbolTable& symbols);

/// "nginx" to "nginx:latest": the name under which nodes list an image.
std::string normalized_image(std::string_view name);

}  // namespace loadline::cluster
