#pragma once

#include <string_view>

#include "server/net/http.h"

namespace loadline::apiserver {

/// The value of a request's header; empty if it is not there.
inline std::string_view header(const net::Request& request, std::string_view name) {
  const std::string* value = request.headers.find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace loadline::apiserver
