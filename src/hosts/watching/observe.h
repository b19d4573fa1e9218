#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/meta.h"
#include "objects/kube/registry.h"
#include "objects/kube/view.h"

namespace loadline::watching {

kube::ObjectMeta read_metadata(const document::Value& document);

/// metadata.resourceVersion as a number; 0 if there is none. Revisions of one API server can be compared (KEP-5504).
std::uint64_t revision_of(const document::Value& document);

ObjectKey key_of(const document::Value& document);

/// The typed view of a document that an API server told.
template <class Kind>
Kind read_view(const document::Value& document) {
  if constexpr (std::is_base_of_v<Plain, Kind>) {
    return {read_metadata(document)};
  } else {
    return kube::view<Kind>(document, *kube::kind_of<Kind>().schema).object;
  }
}

/// A document without the metadata that need not be read.
struct UnreadMetadata {
  document::Value document;
  bool has_same_labels = false;  ///< as the object before: they are left out
  bool has_same_annotations = false;
};
/// Without the managed fields, which no decision reads though they are half of the text, and without the labels and
/// annotations that the object before (may be null) had, too.
[[nodiscard]] UnreadMetadata without_known_metadata(const document::Value& document, const document::Value* before);

/// Kinds of which one member holds all that their `spec` says, so that a version can have it from the one before: pods,
/// Jobs. Most updates are of the status.
template <class Kind>
concept HasWholeSpec = requires(Kind kind) { kind.spec; } && !std::is_base_of_v<Plain, Kind>;
/// Whether the schema reads the `spec` into that member. The answer is the same each time.
[[nodiscard]] bool reads_spec_whole(const kube::Schema& schema);

/// A document and its typed view, as caches keep them. `before` (may be null) is the object that had its name before:
/// what did not change is not read again.
template <class Kind>
ObjectPtr<Kind> observe(const document::Value& document, const Observed<Kind>* before) {
  Observed<Kind> object;
  object.document = document;
  object.revision = revision_of(document);
  UnreadMetadata news = without_known_metadata(document, before == nullptr ? nullptr : &before->document);
  bool has_same_spec = false;
  if constexpr (HasWholeSpec<Kind>) {
    const document::Value* spec = document.find("spec");
    const document::Value* spec_before = before == nullptr ? nullptr : before->document.find("spec");
    has_same_spec = spec != nullptr && spec_before != nullptr && reads_spec_whole(*kube::kind_of<Kind>().schema) &&
                    *spec == *spec_before;
    // A Job without labels has those of its template.
    if constexpr (requires { object.view.spec.template_; }) {
      has_same_spec = has_same_spec && document::find_at(document, {"metadata", "labels"}) != nullptr;
    }
    if (has_same_spec) news.document = std::move(news.document).without("spec");
  }
  object.view = read_view<Kind>(news.document);
  if (news.has_same_labels) object.view.metadata.labels = before->view.metadata.labels;
  if (news.has_same_annotations) object.view.metadata.annotations = before->view.metadata.annotations;
  if constexpr (HasWholeSpec<Kind>) {
    if (has_same_spec) object.view.spec = before->view.spec;
  }
  return std::make_shared<const Observed<Kind>>(std::move(object));
}

}  // namespace loadline::watching
