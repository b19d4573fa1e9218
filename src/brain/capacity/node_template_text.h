#pragma once

#include <string>
#include <string_view>

#include "brain/capacity/node_template.h"
#include "foundation/base/result.h"

namespace loadline::capacity {

/// Reads `COUNT[:KEY=VALUE[,KEY=VALUE…]]`, as users describe nodes to every command: `100`, `50:gpu=a100:8`,
/// `20:cpu=64,memory=256Gi,capacity-type=spot,taint=spot=true:NoSchedule,label=team=ml`, `4:like=gpu-a`. Keys: name;
/// like (NODE), with which no other but name goes; cpu, memory, storage, pods, gpu (MODEL[:COUNT]), device-plugin
/// (required), instance-type (one of instance_types.h says the rest), capacity-type, arch, label, taint. Errors are
/// sentences for the user.
Result<NodeTemplate> parse_node_template(std::string_view text);

/// Reads `MODEL[:COUNT]` into the shape: "a100:8".
Result<void> parse_gpu(std::string_view text, NodeShape& shape);

/// What stands behind the count, as parse_node_template() reads it: "gpu=a100:8,label=team=ml"; empty if nothing is
/// said of the nodes.
std::string settings_text(const NodeTemplate& nodes);

}  // namespace loadline::capacity
