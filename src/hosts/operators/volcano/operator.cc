#include "hosts/operators/volcano/operator.h"

#include "hosts/operators/volcano/volcano_job_controller.h"
#include "hosts/operators/volcano/volcano_rules.h"

namespace loadline::operators {
namespace {

Controllers make_volcano_controllers() {
  Controllers all;
  all.push_back(make_volcano_job_controller());
  return all;
}

}  // namespace

Operator volcano_operator() { return {"volcano", make_volcano_controllers, make_volcano_webhooks, "volcano"}; }

}  // namespace loadline::operators
