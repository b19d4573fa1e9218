#include <array>

#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

using document::Value;

/// Claims of a StatefulSet say their kind.
void name_kind_of_claims(Draft& spec, Instant) {
  spec.edit_elements("volumeClaimTemplates", [](Draft& claim) {
    if (claim.text("kind") != "PersistentVolumeClaim") claim.set("kind", Value("PersistentVolumeClaim"));
    if (claim.text("apiVersion") != "v1") claim.set("apiVersion", Value("v1"));
  });
}

constexpr std::array kStatefulSetRules = {
    DefaultRule{"io.k8s.api.apps.v1.StatefulSetSpec", name_kind_of_claims},
};

}  // namespace

std::span<const DefaultRule> stateful_set_rules() { return kStatefulSetRules; }

}  // namespace loadline::api
