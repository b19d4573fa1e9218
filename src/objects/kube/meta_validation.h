#pragma once

#include <optional>
#include <string>

#include "objects/kube/field_report.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

enum class NamespaceRule : std::uint8_t { kRequired, kForbidden };

/// ValidateObjectMeta on creation.
void validate_metadata(FieldReport& report, const ObjectMeta& metadata, NamespaceRule namespace_rule, NameRule rule);

void validate_label_key(FieldReport& report, const Path& at, std::string_view key);
void validate_labels(FieldReport& report, const Path& at, const StringMap& labels);
void validate_annotations(FieldReport& report, const Path& at, const StringMap& annotations);

/// ValidateLabelSelector with strict values.
void validate_label_selector(FieldReport& report, const Path& at, const std::optional<LabelSelector>& selector);

/// As Go prints a label map in an error: `{"a":"b"}`, or `null` if there is none.
[[nodiscard]] std::string to_json(const StringMap& labels);
[[nodiscard]] std::string to_json(const LabelSelector& selector);

}  // namespace loadline::kube
