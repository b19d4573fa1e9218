#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/store/object.h"

namespace loadline::store {

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted };

/// One write, as watchers are told of it.
struct Event {
  using Encoding = std::shared_ptr<const std::string>;

  EventType type = EventType::kAdded;
  Revision revision = 0;
  ObjectPtr object;    ///< after the write; of a deletion: the last state, with the revision of the deletion
  ObjectPtr previous;  ///< before the write; null for kAdded

  /// The event as the bytes of encoding number `index` (a version and a format, numbered by the caller): what `make`
  /// returns, made once for all watchers of a delivery and forgotten after it, so that history stays small.
  /// O(encodings of this event).
  template <class Make>
  Encoding encoding(std::size_t index, Make&& make) const {
    for (const auto& [known, bytes] : encodings) {
      if (known == index) return bytes;
    }
    encodings.emplace_back(index, std::make_shared<const std::string>(std::forward<Make>(make)()));
    return encodings.back().second;
  }

  mutable std::vector<std::pair<std::size_t, Encoding>> encodings;
};

using EventPtr = std::shared_ptr<const Event>;

}  // namespace loadline::store
