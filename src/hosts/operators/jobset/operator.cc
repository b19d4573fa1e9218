#include "hosts/operators/jobset/operator.h"

#include "hosts/operators/jobset/job_set.h"
#include "hosts/operators/jobset/webhooks.h"

namespace loadline::operators {
namespace {

Controllers make_jobset_controllers() {
  Controllers made;
  made.push_back(make_job_set_controller());
  return made;
}

}  // namespace

Operator jobset_operator() { return {"jobset", make_jobset_controllers, make_jobset_webhooks}; }

}  // namespace loadline::operators
