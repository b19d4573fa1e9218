#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "foundation/base/event_loop.h"
#include "foundation/base/time.h"
#include "server/net/stream.h"

namespace loadline::net {

/// What goes wrong on the way from one end of a connection in memory to the other.
struct MemoryFaults {
  std::optional<std::size_t> cut_after;  ///< bytes sent by one end, after which both ends fail
  Duration delay;                        ///< from sending to arriving
  std::size_t longest_read = SIZE_MAX;   ///< bytes that one read yields at most: 1 is a byte at a time
  std::uint64_t seed = 0;                ///< not 0: each read yields 1 to longest_read (64 at most) bytes by chance
};

struct MemoryStreamOptions {
  MemoryFaults first_to_second;
  MemoryFaults second_to_first;
  std::size_t capacity = std::size_t{256} * 1024;  ///< bytes on the way in each direction, before writing blocks
  std::string protocol;                            ///< what both ends say they agreed upon
  Peer peer{"memory", false, std::nullopt};        ///< the peer that the second end reports
};

/// Two connected ends, in memory, on any event loop: what is written to one is read from the other.
[[nodiscard]] std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connected_streams(
    EventLoop& loop, MemoryStreamOptions options = {});

}  // namespace loadline::net
