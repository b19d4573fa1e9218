#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/spellings/group_rules.h"
#include "foundation/base/symbol.h"
#include "objects/kube/meta.h"

namespace loadline::cluster::spellings {

/// The annotation of a group's object, of whatever spelling, that says which of its pods are created later than others,
/// as whoever creates them knows: "workers: 2 of leaderworkerset.sigs.k8s.io/worker-index!=0".
/// The grammar: PART[; PART…], and each `NAME: PODS of LABEL[&LABEL…][, COPIES by LABELKEY]`, where LABEL is KEY=VALUE
/// or KEY!=VALUE. Of what cannot be read nothing counts.
inline constexpr std::string_view kLaterParts = "loadline.dev/later-parts";

/// The annotation that names the groups of the same workload that start before this one: "jobset-train-driver".
inline constexpr std::string_view kStartsAfter = "loadline.dev/starts-after";

/// A requirement on a label of pods.
struct PartLabel {
  std::string key;
  std::string value;
  bool is_other = false;  ///< any other value, or none
  friend bool operator==(const PartLabel&, const PartLabel&) = default;
};

/// A LaterPart as it is written.
struct WrittenPart {
  std::string name;
  std::int32_t pods = 0;
  std::vector<PartLabel> labels;
  std::string copy_label = {};  ///< empty: there is one copy
  std::int32_t copies = 1;
  friend bool operator==(const WrittenPart&, const WrittenPart&) = default;
};

/// The annotation's text.
[[nodiscard]] std::string write_later_parts(std::span<const WrittenPart> parts);
/// Errors: nothing, if any of it cannot be read.
[[nodiscard]] std::optional<std::vector<WrittenPart>> read_later_parts(std::string_view text);

/// Has the object say these by the two annotations; an annotation that has nothing to say is not there.
void note_order_of_creation(std::span<const WrittenPart> later, std::span<const std::string> starts_after,
                            kube::ObjectMeta& object);

/// What the two annotations of a group's object say, into its rules. A part with the name of a subgroup has its pods.
void add_order_of_creation(const kube::ObjectMeta& object, SymbolTable& symbols, GroupRules& rules);

}  // namespace loadline::cluster::spellings
