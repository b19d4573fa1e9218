#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// How close pods are to be, by the labels of nodes.
struct GrovePackConstraint {
  std::string required;
  std::string preferred;
};

/// A part of a gang, with a minimum of its own.
struct GrovePodGroup {
  struct PodReference {
    std::string name;
  };
  std::string name;
  std::int32_t min_replicas = 0;
  std::vector<PodReference> pods;
  GrovePackConstraint pack;
};

/// Groups of a gang that are near each other, beyond what the gang as a whole asks for.
struct GroveSharedConstraint {
  std::string name;
  std::vector<std::string> groups;
  GrovePackConstraint pack;
};

/// Pods that start together, as Grove has them: those that it names, which have its name in the label grove.io/podgang
/// (scheduler.grove.io/v1alpha1).
struct PodGang {
  ObjectMeta metadata;
  std::vector<GrovePodGroup> groups;
  std::string priority_class_name;
  GrovePackConstraint pack;
  std::vector<GroveSharedConstraint> shared_constraints;  ///< topologyConstraintGroupConfigs
};

}  // namespace loadline::kube
