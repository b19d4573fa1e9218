#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::kube {

/// A version that no API server of v1.36 serves any more. Of kinds that decisions read, the version that took its place
/// has the same fields.
/// Source: the deprecated API migration guide of Kubernetes' documentation.
struct RetiredKind {
  std::string_view api_version;
  std::string_view kind;
  std::string_view unavailable_since;  ///< "v1.16"
  std::string_view successor;          ///< the apiVersion to write now; empty: the kind is gone
};

/// The retired version of that name, or null.
const RetiredKind* find_retired_kind(std::string_view api_version, std::string_view kind);

/// The versions of a kind whose place `successor` took, the newest first: policy/v1 PodDisruptionBudget,
/// policy/v1beta1.
std::vector<std::string_view> retired_versions(std::string_view successor, std::string_view kind);

/// Upstream's words: "batch/v1beta1 CronJob is unavailable in v1.25+; use batch/v1 CronJob".
std::string retired_message(const RetiredKind& retired);

/// What the author of the object has to write.
std::string retired_hint(const RetiredKind& retired, const document::Value& object);

/// The object in the version that took its place; a selector that the old one filled in is written out.
/// REQUIRES: `object` is an object, and of that kind; the kind is one that decisions read.
document::Value as_successor(const document::Value& object, const RetiredKind& retired);

}  // namespace loadline::kube
