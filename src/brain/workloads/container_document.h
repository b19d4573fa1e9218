#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"

namespace loadline::workloads {

/// How much of which resource: {{"cpu", "200m"}, {"memory", "256Mi"}}.
using Amounts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// A container that a controller puts beside those of a template, as a PodDraft has it.
[[nodiscard]] document::Value container_document(std::string_view name, std::string_view image, Amounts limits,
                                                 Amounts requests);

}  // namespace loadline::workloads
