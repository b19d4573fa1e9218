#include "server/apiserver/reads/change.h"

#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

Change change_of(const store::Event& event, const Selection& selection, const ServedResource& served) {
  const bool matched = event.previous != nullptr && selection.matches(*event.previous, served);
  const bool matches = event.type != store::EventType::kDeleted && selection.matches(*event.object, served);
  if (matches) return matched ? Change::kModified : Change::kAdded;
  return matched ? Change::kDeleted : Change::kNone;
}

document::Value last_match(const store::Event& event) { return stamped(event.previous->document(), event.revision); }

}  // namespace loadline::apiserver
