#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::kube {

/// An annotation of a List, "true": it holds all objects that a cluster has of the kinds that decisions read, for an
/// API server was asked for all of them, and kept none back. What it does not hold is not there: an account, a class.
inline constexpr std::string_view kWholeCluster = "loadline.dev/whole-cluster";

/// Whether the List says so.
[[nodiscard]] bool is_whole_cluster(const document::Value& list);

}  // namespace loadline::kube
