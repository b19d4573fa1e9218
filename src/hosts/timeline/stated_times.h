#pragma once

#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::timeline {

/// How long something may take that these objects speak of, and until when they say that something is: what nothing
/// happens for may yet be waited for that long.
struct StatedTimes {
  Duration longest;
  Instant latest;
};

/// Reads the annotations of virtual nodes (loadline.dev/, KWOK's), fields with Seconds in their names, spans as Go
/// writes them in fields that speak of time (ttl, timeout, duration, delay, interval), and times of day anywhere
/// outside of metadata and status. What takes a node that is slow takes longer by its factor. Spans of `beyond` and
/// more are left out: they are meant for ever.
StatedTimes stated_times(const std::vector<document::Value>& objects, Duration beyond);

}  // namespace loadline::timeline
