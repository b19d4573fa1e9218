#pragma once

#include <cstddef>

#include "foundation/document/value.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/store/event.h"

namespace loadline::apiserver {

enum class Change : std::size_t { kNone, kAdded, kModified, kDeleted };

/// What an event means to clients that watch a part: an object that comes to match is added, one that ceases to,
/// deleted.
Change change_of(const store::Event& event, const Selection& selection, const ServedResource& served);

/// Whether the object is deleted only for clients that watch a part.
inline bool ceases_to_match(const store::Event& event, Change change) {
  return change == Change::kDeleted && event.type != store::EventType::kDeleted;
}

/// How such an object is shown: as it was when it matched, with the revision of the change.
document::Value last_match(const store::Event& event);

}  // namespace loadline::apiserver
