#include "hosts/operators/training_operator/operator.h"

#include "hosts/operators/training_operator/training_job.h"
#include "hosts/operators/training_operator/training_rules.h"

namespace loadline::operators {

Operator training_operator() { return {"training-operator", make_training_controllers, make_training_webhooks}; }

}  // namespace loadline::operators
