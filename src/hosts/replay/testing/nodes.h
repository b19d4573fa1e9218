#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "objects/kube/core/node.h"
#include "objects/kube/objects.h"

namespace loadline::replay::testing {

/// So many nodes alike.
inline kube::Objects nodes(std::size_t count, std::int64_t cpus, std::int64_t gpus) {
  kube::Objects objects;
  for (std::size_t i = 0; i < count; ++i) {
    kube::Node node;
    node.metadata.name = fmt::format("n{}", i);
    node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
    node.allocatable["cpu"] = kube::Quantity::of(cpus);
    node.allocatable["memory"] = kube::Quantity::of(std::int64_t{1} << 40);
    node.allocatable["pods"] = kube::Quantity::of(110);
    if (gpus > 0) node.allocatable["nvidia.com/gpu"] = kube::Quantity::of(gpus);
    objects.of<kube::Node>().push_back(std::move(node));
  }
  return objects;
}

}  // namespace loadline::replay::testing
