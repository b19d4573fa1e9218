#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/controllers/words.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/object.h"
#include "hosts/watching/plain_kinds.h"

namespace loadline::controllers {

using RevisionObject = Observed<ControllerRevision>;

// The history of a StatefulSet's or DaemonSet's template, in the shape that `kubectl rollout history|undo` reads.
// Source: pkg/controller/history, v1.36.

/// What a revision keeps of an object: a strategic patch that brings its template back, members in order of name.
document::Value revision_data(const document::Value& object);

/// The hash of such data, as upstream spells it, over the very text that upstream keeps.
/// `collisions`: what the object's status counts; nothing is not the same as 0.
std::string revision_hash(const document::Value& data, std::optional<std::int32_t> collisions);

/// "web-6d5f7c9b8b", the object's name cut where it would be too long.
std::string revision_name(std::string_view parent, std::string_view hash);

/// The object as it is in that revision.
document::Value with_revision(const document::Value& object, const document::Value& data);

/// The number of a revision; 0 if it has none.
std::int64_t revision_number(const RevisionObject& revision);
bool has_data(const RevisionObject& revision, const document::Value& data);

/// By number, then age, then name.
void sort_revisions(std::vector<const RevisionObject*>& revisions);

/// A revision to be created.
struct RevisionDraft {
  KindName kind;  ///< of the object
  std::string name;
  std::string_view hash_label;  ///< where it has its hash
  std::string hash;
  std::int64_t number = 1;
  document::Value data;
};
/// It has the labels of the template and the annotations of the object.
document::Value revision_document(const RevisionDraft& draft, const document::Value& object,
                                  const kube::ObjectMeta& metadata);

}  // namespace loadline::controllers
