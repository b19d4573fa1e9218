#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/document_difference.h"
#include "server/apiserver/kinds/pod_rules.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::FieldErrors;

constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kUpdatable =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";

// ---- annotations ---------------------------------------------------------------------------------------------------

void check_annotation(FieldErrors& errors, const std::string& key, std::string_view verb) {
  const std::string path = fmt::format("metadata.annotations[{}]", key);
  if (key.starts_with(kAppArmorPrefix)) {
    errors.push_back(forbidden_field(path, fmt::format("may not {} AppArmor annotations", verb)));
  }
  if (key == kube::kMirrorAnnotation) {
    errors.push_back(forbidden_field(path, fmt::format("may not {} mirror pod annotation", verb)));
  }
}

void check_annotations(FieldErrors& errors, const Value& pod, const Value& old) {
  const Value now = value_at(pod, {"metadata", "annotations"});
  const Value before = value_at(old, {"metadata", "annotations"});
  if (before.is_object()) {
    for (const document::Member& member : before.object()) {
      const Value* kept = now.find(member.key);
      if (kept == nullptr || *kept != member.value) check_annotation(errors, member.key, "remove or update");
    }
  }
  if (!now.is_object()) return;
  for (const document::Member& member : now.object()) {
    if (before.find(member.key) == nullptr) check_annotation(errors, member.key, "add");
  }
}

// ---- parts that may change -----------------------------------------------------------------------------------------

/// False if nothing more can be said, because the lists do not correspond.
bool check_containers(FieldErrors& errors, const Value& pod, const Value& old, std::string_view list) {
  const Array& now = items_at(pod, {"spec", list});
  if (now.size() != items_at(old, {"spec", list}).size()) {
    errors.push_back(forbidden_field(fmt::format("spec.{}", list), "pod updates may not add or remove containers"));
    return false;
  }
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string_view image = document::text_at(now[i], {"image"});
    const std::string path = fmt::format("spec.{}[{}].image", list, i);
    if (image.empty()) {
      errors.push_back(required_field(path));
    } else if (kSpace.find(image.front()) != std::string_view::npos ||
               kSpace.find(image.back()) != std::string_view::npos) {
      errors.push_back(invalid_field(path, Value(image), "must not have leading or trailing whitespace"));
    }
  }
  return true;
}

/// It may be set, and made shorter. False if nothing more is said.
bool check_deadline(FieldErrors& errors, const Value& pod, const Value& old) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int32_t>::max();
  const std::string path = "spec.activeDeadlineSeconds";
  const std::optional<std::int64_t> now = integer_at(pod, {"spec", "activeDeadlineSeconds"});
  const std::optional<std::int64_t> before = integer_at(old, {"spec", "activeDeadlineSeconds"});
  if (!now) {
    if (before) {
      errors.push_back(invalid_field(path, Value(), "must not update from a positive integer to nil value"));
    }
    return true;
  }
  if (*now < 0 || *now > kLongest) {
    errors.push_back(invalid_field(path, Value(*now), kube::range_problem(0, kLongest)));
    return false;
  }
  if (before && *before < *now) {
    errors.push_back(invalid_field(path, Value(*now), "must be less than or equal to previous value"));
    return false;
  }
  return true;
}

/// Tolerations may come, and change how long they hold.
void check_tolerations(FieldErrors& errors, const Value& pod, const Value& old) {
  constexpr std::string_view kPath = "spec.tolerations";
  const Array& now = items_at(pod, {"spec", "tolerations"});
  for (const Value& before : items_at(old, {"spec", "tolerations"})) {
    const Value wanted = before.without("tolerationSeconds");
    const bool is_kept = std::any_of(now.begin(), now.end(), [&](const Value& toleration) {
      return document::same_document(toleration.without("tolerationSeconds"), wanted);
    });
    if (is_kept) continue;
    errors.push_back(
        forbidden_field(std::string(kPath), "existing toleration can not be modified except its tolerationSeconds"));
    return;
  }
  // Upstream checks them a second time.
  FieldErrors again;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(again),
               [&](const kube::FieldError& error) { return error.path.starts_with(kPath); });
  append(errors, std::move(again));
}

void check_gates(FieldErrors& errors, const Value& pod, const Value& old) {
  const Array& now = items_at(pod, {"spec", "schedulingGates"});
  const Array& before = items_at(old, {"spec", "schedulingGates"});
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string_view name = document::text_at(now[i], {"name"});
    const bool is_kept = std::any_of(before.begin(), before.end(),
                                     [&](const Value& gate) { return document::text_at(gate, {"name"}) == name; });
    if (is_kept) continue;
    errors.push_back(
        forbidden_field(fmt::format("spec.schedulingGates[{}].name", i),
                        fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name)));
  }
}

// ---- gated pods ----------------------------------------------------------------------------------------------------

void check_node_selector(FieldErrors& errors, const Value& now, const Value& before) {
  if (!before.is_object()) return;
  for (const document::Member& member : before.object()) {
    const Value* kept = now.find(member.key);
    if (kept != nullptr && *kept == member.value) continue;
    errors.push_back(invalid_field("spec.nodeSelector", now,
                                   "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
    return;
  }
}

bool begins_with(const Array& now, const Array& before) {
  return now.size() >= before.size() && std::equal(before.begin(), before.end(), now.begin(), document::same_document);
}

bool has_only_additions(const Value& now, const Value& before) {
  const Array& expressions = items_at(before, {"matchExpressions"});
  const Array& fields = items_at(before, {"matchFields"});
  const Array& new_expressions = items_at(now, {"matchExpressions"});
  const Array& new_fields = items_at(now, {"matchFields"});
  if (expressions.empty() && fields.empty() && !(new_expressions.empty() && new_fields.empty())) return false;
  return begins_with(new_expressions, expressions) && begins_with(new_fields, fields);
}

void check_node_affinity(FieldErrors& errors, const Value& now, const Value& before) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const Array& old_terms = items_at(before, {kRequired, "nodeSelectorTerms"});
  const Array& terms = items_at(now, {kRequired, "nodeSelectorTerms"});
  const std::string path = fmt::format("spec.affinity.nodeAffinity.{}.nodeSelectorTerms", kRequired);
  if (old_terms.empty()) return;
  if (old_terms.size() != terms.size()) {
    errors.push_back(invalid_field(path, internal_terms(terms),
                                   "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (has_only_additions(terms[i], old_terms[i])) continue;
    errors.push_back(invalid_field(fmt::format("{}[{}]", path, i), internal_term(terms[i]),
                                   "only additions are allowed (no mutations or deletions)"));
  }
}

/// A pod that waits at a gate may become choosier about its node.
Value with_checked_placement(FieldErrors& errors, Value spec, const Value& old_spec) {
  if (!same_at(spec, old_spec, {"nodeSelector"})) {
    check_node_selector(errors, value_at(spec, {"nodeSelector"}), value_at(old_spec, {"nodeSelector"}));
    spec = with_or_without(spec, {"nodeSelector"}, value_at(old_spec, {"nodeSelector"}));
  }
  const Value now = value_at(spec, {"affinity", "nodeAffinity"});
  const Value before = value_at(old_spec, {"affinity", "nodeAffinity"});
  if (document::same_document(now, before)) return spec;
  check_node_affinity(errors, now, before);
  if (!before.is_null()) return document::with_at(spec, {"affinity", "nodeAffinity"}, before);
  spec = document::without_at(spec, {"affinity", "nodeAffinity"});
  // Where there was no affinity at all, none is left.
  const bool is_bare = old_spec.find("affinity") == nullptr && is_empty(value_at(spec, {"affinity"}));
  return is_bare ? spec.without("affinity") : spec;
}

// ---- everything else -----------------------------------------------------------------------------------------------

Value with_old_images(const Value& spec, const Value& old_spec, std::string_view list) {
  Array containers = items_at(spec, {list});
  if (containers.empty()) return spec;
  const Array& before = items_at(old_spec, {list});
  for (std::size_t i = 0; i < containers.size(); ++i) {
    containers[i] = with_or_without(containers[i], {"image"}, value_at(before[i], {"image"}));
  }
  return spec.with(list, Value(std::move(containers)));
}

void check_all_else(FieldErrors& errors, const Value& pod, const Value& old) {
  const Value old_spec = value_at(old, {"spec"});
  Value spec = value_at(pod, {"spec"});
  if (document::same_document(spec, old_spec)) return;
  spec = with_old_images(spec, old_spec, "containers");
  spec = with_old_images(spec, old_spec, "initContainers");
  for (const std::string_view member : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    spec = with_or_without(spec, {member}, value_at(old_spec, {member}));
  }
  const std::int64_t old_period = integer_at(old_spec, {"terminationGracePeriodSeconds"}).value_or(0);
  if (old_period < 0 && integer_at(spec, {"terminationGracePeriodSeconds"}) == 1) {
    spec = spec.with("terminationGracePeriodSeconds", Value(old_period));
  }
  if (!items_at(old_spec, {"schedulingGates"}).empty()) spec = with_checked_placement(errors, spec, old_spec);
  const std::string differences = shown_differences("spec", old_spec, spec);
  if (differences.empty()) return;
  errors.push_back(forbidden_field("spec", std::string(kUpdatable) + "\n" + differences));
}

}  // namespace

void check_pod_change(FieldErrors& errors, const Value& pod, const Value& old) {
  check_annotations(errors, pod, old);
  if (!check_containers(errors, pod, old, "containers")) return;
  if (!check_containers(errors, pod, old, "initContainers")) return;
  if (!check_deadline(errors, pod, old)) return;
  check_tolerations(errors, pod, old);
  check_gates(errors, pod, old);
  check_all_else(errors, pod, old);
}

}  // namespace loadline::apiserver
