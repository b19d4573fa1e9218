#pragma once

#include <memory>
#include <vector>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Every controller of kube-controller-manager that Loadline has. The list is in registry.cc.
std::vector<std::unique_ptr<Controller>> make_controllers();

}  // namespace loadline::controllers
