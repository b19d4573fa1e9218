#pragma once

#include <memory>

#include "brain/placement/extender.h"
#include "foundation/base/result.h"

namespace loadline::recorded_decisions {

/// The extenders of recordings. They decide by chance, and always in the same way: what one says depends on its name,
/// the pod and the node alone. The services that the real scheduler asked compute the same: conformance/extender. They
/// filter and score; none is asked about preemption.
class ChanceExtenders final : public placement::ExtenderSource {
 public:
  /// The name of an extender is what follows the last slash of its urlPrefix.
  [[nodiscard]] Result<std::unique_ptr<placement::Extender>> make(const kube::Extender& settings) const override;
};

}  // namespace loadline::recorded_decisions
