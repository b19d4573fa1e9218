#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/controllers/controller.h"
#include "hosts/controllers/controller_revision.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators {

// The history of what a LeaderWorkerSet makes its groups from: ControllerRevisions whose label
// template-revision-hash its StatefulSets and pods share.
// Source: kubernetes-sigs/lws v0.9.0, pkg/utils/revision.

using GroupRevisions = std::vector<const controllers::RevisionObject*>;

/// The label of an object; empty if it has none.
[[nodiscard]] std::string revision_key(const kube::ObjectMeta& metadata);

/// Those of the set by number, and among them those that were left behind by one of its name.
[[nodiscard]] GroupRevisions revisions_of(const kube::ObjectMeta& set, const watching::Caches& caches);

/// The one with that key, the last if there are several; null: there is none.
[[nodiscard]] const controllers::RevisionObject* find_revision(const GroupRevisions& revisions, std::string_view key);

/// What a revision keeps of a set: a patch that brings its template and network back.
[[nodiscard]] document::Value group_revision_data(const document::Value& set);

/// The template of workers that it keeps.
[[nodiscard]] document::Value worker_template_of(const controllers::RevisionObject& revision);

/// A revision with that data, of the number after the last; with the key, or the data's hash, if there is none.
[[nodiscard]] document::Value new_group_revision(const kube::ObjectMeta& set, const document::Value& data,
                                                 const GroupRevisions& revisions, std::string_view key);

}  // namespace loadline::operators
