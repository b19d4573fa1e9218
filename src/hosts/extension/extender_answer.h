#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/extender.h"
#include "foundation/base/result.h"

namespace loadline::extension {

// What extenders answer: k8s.io/kube-scheduler/extender/v1. Names of fields count whatever their case and unknown ones
// are passed over, as Go's decoder has it. Errors: what is wrong with the text, or a value of the wrong type.

enum class NodeCache { kCapable, kNot };

struct FilterResult {
  placement::ExtenderFilterAnswer answer;
  std::string error;  ///< set: the extender could not say
};

/// ExtenderFilterResult. Without any list of nodes, none will do. Names alone count only from an extender that is
/// capable of caching nodes, as upstream has it.
Result<FilterResult> decode_filter_answer(std::string_view json, NodeCache cache);
/// HostPriorityList.
Result<std::vector<placement::ExtenderScore>> decode_prioritize_answer(std::string_view json);
/// ExtenderPreemptionResult.
Result<std::map<std::string, placement::ExtenderVictims>> decode_preemption_answer(std::string_view json);
/// ExtenderBindingResult: why it did not bind; empty: it did.
Result<std::string> decode_binding_answer(std::string_view json);

}  // namespace loadline::extension
