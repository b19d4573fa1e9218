#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "objects/kube/scalars.h"
#include "objects/kube/string_map.h"

namespace loadline::kube {

/// Amounts by resource name ("cpu", "nvidia.com/gpu"), ordered by name.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

/// metav1.ObjectMeta, the part that decisions read. Ours are `source`, where the object was
/// read from, and `name_was_generated`.
struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string namespace_;  ///< empty for kinds that have none
  StringMap labels;
  StringMap annotations;
  std::string uid;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
  std::optional<Instant> creation_timestamp;
  std::optional<Instant> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  std::int64_t generation = 0;

  SourcePosition source;
  bool name_was_generated = false;  ///< of its generateName, as it was read: the manifest names it nowhere

  /// True for an object that an API server has admitted before: read from a live cluster, not from a manifest.
  [[nodiscard]] bool from_cluster() const { return !uid.empty() || creation_timestamp.has_value(); }
  /// The reference with `controller: true`, or null.
  [[nodiscard]] const OwnerReference* controller() const;
};

enum class LabelSelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist };

struct LabelSelectorRequirement {
  std::string key;
  LabelSelectorOperator op = LabelSelectorOperator::kIn;
  std::vector<std::string> values;

  friend auto operator<=>(const LabelSelectorRequirement&, const LabelSelectorRequirement&) = default;
};

/// metav1.LabelSelector. A default-constructed one selects everything; an absent one (nullopt) selects nothing.
struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;

  [[nodiscard]] bool empty() const { return match_labels.empty() && match_expressions.empty(); }
  friend auto operator<=>(const LabelSelector&, const LabelSelector&) = default;
};

/// metav1.LabelSelectorAsSelector(selector).Matches(labels). NotIn and DoesNotExist match absent keys.
[[nodiscard]] bool matches(const LabelSelector& selector, const StringMap& labels);

/// metav1.Condition.
struct MetaCondition {
  std::string type;
  std::string status;
  std::int64_t observed_generation = 0;
  std::optional<Instant> last_transition_time = {};
  std::string reason;
  std::string message;
  friend bool operator==(const MetaCondition&, const MetaCondition&) = default;
};

/// An int or a percentage ("25%"), as in Deployments' maxSurge and PodDisruptionBudgets.
struct IntOrString {
  std::optional<std::int32_t> integer;
  std::string text;
};

}  // namespace loadline::kube
