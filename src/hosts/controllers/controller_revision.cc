#include "hosts/controllers/controller_revision.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "brain/workloads/names.h"
#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/ownership.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::size_t kMaxPrefix = 223;

/// FNV-1 over 32 bits: multiplied first, where FNV-1a does it last.
std::uint32_t fnv1(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash * 16777619U) ^ static_cast<unsigned char>(c);
  return hash;
}

Value object_at(const Value& document, document::Names names) {
  const Value* found = document::find_at(document, names);
  return found == nullptr || found->is_null() ? Value(Object()) : *found;
}

}  // namespace

Value revision_data(const Value& object) {
  const Value pod_template = object_at(object, {"spec", "template"}).with("$patch", Value("replace"));
  return document::with_sorted_members(Value(Object{{"spec", Value(Object{{"template", pod_template, {}}}), {}}}));
}

std::string revision_hash(const Value& data, std::optional<std::int32_t> collisions) {
  std::string text = document::write_go_json(data);
  if (collisions) text += std::to_string(*collisions);
  return workloads::spell_hash(fnv1(text));
}

std::string revision_name(std::string_view parent, std::string_view hash) {
  return std::string(parent.substr(0, kMaxPrefix)) + '-' + std::string(hash);
}

Value with_revision(const Value& object, const Value& data) {
  return document::with_at(object, {"spec", "template"}, object_at(data, {"spec", "template"}).without("$patch"));
}

std::int64_t revision_number(const RevisionObject& revision) {
  const Value* number = revision.document.find("revision");
  return number != nullptr && number->is_integer() ? number->integer() : 0;
}

bool has_data(const RevisionObject& revision, const Value& data) {
  const Value* own = revision.document.find("data");
  return own != nullptr && document::same_document(*own, data);
}

void sort_revisions(std::vector<const RevisionObject*>& revisions) {
  const auto key = [](const RevisionObject* revision) {
    return std::tuple(revision_number(*revision), revision->metadata().creation_timestamp,
                      std::string_view(revision->metadata().name));
  };
  std::sort(revisions.begin(), revisions.end(),
            [&](const RevisionObject* a, const RevisionObject* b) { return key(a) < key(b); });
}

Value revision_document(const RevisionDraft& draft, const Value& object, const kube::ObjectMeta& metadata) {
  Object fields{
      {"name", Value(draft.name), {}},
      {"namespace", Value(metadata.namespace_), {}},
      {"labels",
       object_at(object, {"spec", "template", "metadata", "labels"}).with(draft.hash_label, Value(draft.hash)),
       {}}};
  if (!metadata.annotations.empty())
    fields.push_back({"annotations", object_at(object, {"metadata", "annotations"}), {}});
  fields.push_back({"ownerReferences", Value(Array{controller_reference(draft.kind, metadata)}), {}});
  return Value(Object{{"apiVersion", Value("apps/v1"), {}},
                      {"kind", Value("ControllerRevision"), {}},
                      {"metadata", Value(std::move(fields)), {}},
                      {"data", draft.data, {}},
                      {"revision", Value(draft.number), {}}});
}

}  // namespace loadline::controllers
