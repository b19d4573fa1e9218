#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "hosts/controllers/controller.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

using Controllers = std::vector<std::unique_ptr<controllers::Controller>>;

/// An operator of custom resources that is built in: it does what the real one does, with objects that are written for
/// the real one.
struct Operator {
  std::string_view name;  ///< "jobset": what it is switched off by
  Controllers (*make_controllers)() = nullptr;
  apiserver::Webhooks (*make_webhooks)() = nullptr;  ///< null: it has none
  std::string_view scheduler = {};                   ///< the name that its own would answer to; empty: it has none
};

}  // namespace loadline::operators
