#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/net/peer.h"

namespace loadline::net {

struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

/// Header fields in the order in which they came. Names are compared without regard to case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> headers) : headers_(headers) {}

  void add(std::string name, std::string value) { headers_.push_back({std::move(name), std::move(value)}); }

  /// The value of the first field of that name, or null.
  [[nodiscard]] const std::string* find(std::string_view name) const;

  /// The values of all fields of that name.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

  /// Whether a field of that name is a comma separated list with `token` in it, in whatever case.
  [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;

  [[nodiscard]] std::size_t size() const { return headers_.size(); }
  [[nodiscard]] bool empty() const { return headers_.empty(); }
  [[nodiscard]] auto begin() const { return headers_.begin(); }
  [[nodiscard]] auto end() const { return headers_.end(); }

  friend bool operator==(const Headers&, const Headers&) = default;

 private:
  std::vector<Header> headers_;
};

/// A request, arrived whole. Over HTTP/2 the pseudo field `:authority` is the header `host`.
struct Request {
  std::string method;
  std::string target;  ///< as sent: path and query, not decoded
  Headers headers;
  std::string body;  ///< without its transfer coding
  std::shared_ptr<const Peer> peer;
};

/// A whole answer. The server adds Content-Length, Date and what the connection needs.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

/// "Not Found" for 404; "Unknown" for what RFC 9110 does not know.
[[nodiscard]] std::string_view reason_phrase(int status);

/// Whether answers of this status never have a body.
[[nodiscard]] bool is_bodiless(int status);

/// Whether two texts are equal but for the case of ASCII letters.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);

/// An answer in plain text, as the server itself refuses what is no proper request.
[[nodiscard]] Response plain_response(int status, std::string text);

}  // namespace loadline::net
