#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "server/net/http.h"

namespace loadline::apiserver {

/// What a request brings along: text from outside, or a document of this process, which needs no parsing. Refers to
/// either, so the caller that makes a Body keeps that alive.
struct Body {
  std::string_view content_type;
  std::string_view text;
  const document::Value* document = nullptr;  ///< instead of the text

  Body() = default;
  explicit Body(const net::Request& request) : content_type(type_of(request)), text(request.body) {}
  Body(const document::Value& made, std::string_view type) : content_type(type), document(&made) {}

  [[nodiscard]] bool empty() const { return text.empty() && document == nullptr; }

 private:
  static std::string_view type_of(const net::Request& request) {
    const std::string* type = request.headers.find("Content-Type");
    return type == nullptr ? std::string_view() : std::string_view(*type);
  }
};

}  // namespace loadline::apiserver
