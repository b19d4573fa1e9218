#pragma once

#include <set>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::apiserver {

/// Names that the definitions of a group hold already (status.acceptedNames): plurals, singulars and short names are
/// of one kind, kinds and list kinds of another.
struct TakenNames {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> kinds;

  void add(const document::Value& definition);
};

/// The definition with the names that it may have in its status, and the conditions NamesAccepted and Established (and,
/// in Kubernetes' own groups, KubernetesAPIApprovalPolicyConformant). Names that others hold are not accepted. The same
/// document if its status says all this already.
/// Source: apiextensions-apiserver's pkg/controller/{status,establish,apiapproval}, v0.36.
document::Value with_names_settled(const document::Value& definition, const TakenNames& taken, Instant now);

/// The definition with its condition Terminating.
document::Value with_terminating(const document::Value& definition, bool is_under_way, std::string_view reason,
                                 std::string_view message, Instant now);

}  // namespace loadline::apiserver
