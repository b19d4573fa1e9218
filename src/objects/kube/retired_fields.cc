#include "objects/kube/retired_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::kube {
namespace {

using document::find_at;
using document::Object;
using document::text_at;
using document::Value;

/// A field that is retired, and the object with what took its place.
struct MendedField {
  RetiredField field;
  Value object;
};

using Mend = std::optional<MendedField> (*)(const Value& object);

struct RetiredRow {
  std::string_view api_version;
  std::string_view kind;
  Mend mend;
};

// ---- NodePools of Karpenter ----------------------------------------------------------------------------------------

/// The kind of a provider's classes of nodes.
struct NodeClass {
  std::string_view group;
  std::string_view kind;
};

constexpr NodeClass kAws{"karpenter.k8s.aws", "EC2NodeClass"};
constexpr std::array kNodeClasses = {kAws, NodeClass{"karpenter.azure.com", "AKSNodeClass"},
                                     NodeClass{"karpenter.k8s.gcp", "GCENodeClass"}};

/// Of the provider whose labels the pool's requirements name; AWS', the first one, if they name none.
NodeClass node_class_of(const Value& pool) {
  for (const Value& requirement : document::items_at(pool, {"spec", "template", "spec", "requirements"})) {
    const std::string_view key = text_at(requirement, {"key"});
    for (const NodeClass& each : kNodeClasses) {
      if (key.starts_with(each.group) && key.substr(each.group.size()).starts_with('/')) return each;
    }
  }
  return kAws;
}

std::optional<MendedField> mend_consolidation_policy(const Value& pool) {
  constexpr std::string_view kNow = "WhenEmptyOrUnderutilized";
  if (text_at(pool, {"spec", "disruption", "consolidationPolicy"}) != "WhenUnderutilized") return std::nullopt;
  return MendedField{{"spec.disruption.consolidationPolicy", fmt::format("write {}, its name since v1", kNow),
                      fmt::format("read as {}", kNow)},
                     document::with_at(pool, {"spec", "disruption", "consolidationPolicy"}, Value(kNow))};
}

std::optional<MendedField> mend_missing_node_class(const Value& pool) {
  const Value* spec = find_at(pool, {"spec", "template", "spec"});
  if (spec == nullptr || !spec->is_object() || spec->find("nodeClassRef") != nullptr) return std::nullopt;
  const NodeClass made = node_class_of(pool);
  const std::string reference = fmt::format("{{group: {}, kind: {}, name: default}}", made.group, made.kind);
  Value value(Object{{"group", Value(made.group), {}}, {"kind", Value(made.kind), {}}, {"name", Value("default"), {}}});
  return MendedField{{"spec.template.spec.nodeClassRef",
                      fmt::format("add nodeClassRef: {}, or another class that your cluster has", reference),
                      fmt::format("read as nodeClassRef: {}", reference)},
                     document::with_at(pool, {"spec", "template", "spec", "nodeClassRef"}, std::move(value))};
}

std::optional<MendedField> mend_versioned_node_class(const Value& pool) {
  const Value* reference = find_at(pool, {"spec", "template", "spec", "nodeClassRef"});
  if (reference == nullptr || !reference->is_object() || reference->find("group") != nullptr) return std::nullopt;
  const std::string_view version = text_at(*reference, {"apiVersion"});
  const std::string group(version.substr(0, version.find('/')));
  if (group.empty() || group.size() == version.size()) return std::nullopt;
  Value mended = reference->without("apiVersion").with("group", Value(group));
  return MendedField{
      {"spec.template.spec.nodeClassRef.group", fmt::format("write group: {} in place of apiVersion", group),
       fmt::format("read as group: {}", group)},
      document::with_at(pool, {"spec", "template", "spec", "nodeClassRef"}, std::move(mended))};
}

constexpr std::array kRetiredFieldRows = {
    RetiredRow{"karpenter.sh/v1", "NodePool", mend_missing_node_class},
    RetiredRow{"karpenter.sh/v1", "NodePool", mend_versioned_node_class},
    RetiredRow{"karpenter.sh/v1", "NodePool", mend_consolidation_policy},
};

bool is_row_about(const RetiredRow& row, const Value& object) {
  return text_at(object, {"kind"}) == row.kind && text_at(object, {"apiVersion"}) == row.api_version;
}

}  // namespace

std::vector<RetiredField> find_retired_fields(const Value& object) {
  std::vector<RetiredField> fields;
  for (const RetiredRow& row : kRetiredFieldRows) {
    if (!is_row_about(row, object)) continue;
    if (std::optional<MendedField> mended = row.mend(object)) fields.push_back(std::move(mended->field));
  }
  return fields;
}

Value without_retired_fields(Value object) {
  for (const RetiredRow& row : kRetiredFieldRows) {
    if (!is_row_about(row, object)) continue;
    if (std::optional<MendedField> mended = row.mend(object)) object = std::move(mended->object);
  }
  return object;
}

}  // namespace loadline::kube
