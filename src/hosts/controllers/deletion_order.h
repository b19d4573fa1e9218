#pragma once

#include <cstddef>
#include <vector>

#include "brain/workloads/deletion_order.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"

namespace loadline::controllers {

/// The `count` pods that are given up first, first in front.
inline std::vector<const Observed<kube::Pod>*> first_to_delete(const std::vector<const Observed<kube::Pod>*>& pods,
                                                               std::size_t count,
                                                               const workloads::PodsOnNodes& relatives, Instant now) {
  std::vector<const kube::Pod*> views;
  views.reserve(pods.size());
  for (const Observed<kube::Pod>* pod : pods) views.push_back(&pod->view);
  std::vector<const Observed<kube::Pod>*> first;
  for (const std::size_t place : workloads::first_to_delete(views, count, relatives, now)) first.push_back(pods[place]);
  return first;
}

}  // namespace loadline::controllers
