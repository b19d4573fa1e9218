#pragma once

#include <memory>
#include <string>

#include "server/net/stream.h"

namespace loadline::net {

/// `stream`, with bytes that were already read from it put back in front.
[[nodiscard]] std::unique_ptr<Stream> put_back(std::unique_ptr<Stream> stream, std::string bytes);

}  // namespace loadline::net
