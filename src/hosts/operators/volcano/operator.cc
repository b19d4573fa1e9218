#include "hosts/operators/volcano/operator.h"

#include <utility>

#include "hosts/operators/volcano/owner_groups.h"
#include "hosts/operators/volcano/volcano_job_controller.h"
#include "hosts/operators/volcano/volcano_rules.h"

namespace loadline::operators {
namespace {

Controllers make_volcano_controllers() {
  Controllers all;
  all.push_back(make_volcano_job_controller());
  for (auto& each : make_owner_group_controllers()) all.push_back(std::move(each));
  return all;
}

apiserver::Webhooks make_webhooks() {
  apiserver::Webhooks all = make_volcano_webhooks();
  all.push_back(make_owner_group_webhook());
  return all;
}

}  // namespace

Operator volcano_operator() { return {"volcano", make_volcano_controllers, make_webhooks, "volcano"}; }

}  // namespace loadline::operators
