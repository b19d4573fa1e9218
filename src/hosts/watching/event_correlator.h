#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/watching/action.h"
#include "hosts/watching/recently_used.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// What is to be done so that people see an event.
struct EventWrite {
  enum class Verb : std::uint8_t { kCreate, kPatch, kDrop };
  Verb verb = Verb::kDrop;
  kube::ResourceReference of;  ///< kPatch: with the name
  document::Value document;    ///< the whole event: what to create, also if there is nothing (any more) to be patched
  document::Value patch;       ///< kPatch: a merge patch
};

/// Names for events: `web.18a2f3…`, the object's name and the time in nanoseconds. Two in the same nanosecond, which
/// a clock that stands still brings about, are a nanosecond apart.
class EventNames {
 public:
  using Stamp = std::int64_t;  ///< nanoseconds

  /// The time in the next name.
  Stamp next(Instant now);
  static std::string name(std::string_view object, Stamp stamp);

 private:
  Stamp last_ = 0;
};

/// Makes core/v1 events of what controllers say, and keeps them from becoming too many:
///
///   the same again                       its count goes up and lastTimestamp on, in a patch
///   the tenth message of a reason        within 10 minutes about one object: all that follow become one event,
///                                        "(combined from similar events): …"
///   more than 25 about one object        of one source: one in 5 minutes is let through
///
/// It forgets what was not used among the last 4096 of each. What it remembers of texts is their hashes, so that it
/// needs a megabyte whatever people write; two of 4096 have the same one in 2^41 times, and then count as one. Source:
/// client-go tools/record/events_cache.go, v0.36.
class EventCorrelator {
 public:
  /// What becomes of an event of that source, "deployment-controller".
  EventWrite correlate(const Event& event, std::string_view source, Instant now);

 private:
  static constexpr std::size_t kRemembered = 4096;
  static constexpr std::size_t kMaxMessages = 10;
  using Hash = std::uint64_t;

  struct Similar {
    std::array<Hash, kMaxMessages> messages{};
    std::size_t count = 0;  ///< of the messages
    Instant last;
  };
  struct Written {
    std::int64_t count = 0;  ///< 0: not yet
    Instant first;
    EventNames::Stamp stamp = 0;
  };
  /// A bucket of tokens, as time: an event takes five minutes out of it.
  struct Allowance {
    Duration left;
    std::optional<Instant> last;
  };

  bool combines(const Event& event, Hash key, Instant now);
  bool is_spam(Hash key, Instant now);

  EventNames names_;
  RecentlyUsed<Similar> similar_{kRemembered};
  RecentlyUsed<Written> written_{kRemembered};
  RecentlyUsed<Allowance> allowances_{kRemembered};
};

}  // namespace loadline::watching
