#pragma once

#include <memory>
#include <vector>

#include "brain/workloads/gates.h"
#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Every controller of kube-controller-manager that Loadline has. The list is in registry.cc.
std::vector<std::unique_ptr<Controller>> make_controllers(const workloads::Gates& gates = {});

}  // namespace loadline::controllers
