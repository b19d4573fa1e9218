#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "server/net/http.h"
#include "server/net/stream.h"

struct nghttp2_session;

namespace loadline::net {

/// A client of HTTP/2 for tests: many requests at once on one connection. Takes what comes only as far as it is told
/// to.
class Http2Client {
 public:
  struct Answer {
    std::string status;
    std::string body;
    bool closed = false;
    std::uint32_t error = 0;  ///< why it was closed: 0 if it is whole
  };

  explicit Http2Client(std::unique_ptr<Stream> stream);
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;
  /// Cuts the connection.
  ~Http2Client();

  std::int32_t get(const std::string& path) { return send({"GET", path, {}, {}, {}}); }
  std::int32_t post(const std::string& path, std::string body) { return send({"POST", path, {}, std::move(body), {}}); }
  /// Header names must be in lower case. Returns the number of the stream, the answer's key.
  std::int32_t send(const Request& request);

  void reset(std::int32_t id);

  /// Gives the server room again.
  void take(std::int32_t id);

  std::map<std::int32_t, Answer> answers;
  bool holds_back = false;
  bool told_to_go = false;  ///< no more requests
  bool closed = false;
  /// Called on the loop after something came, or the connection ended. May not destroy the client.
  std::function<void()> on_change;

 private:
  static Http2Client& self(void* user) { return *static_cast<Http2Client*>(user); }
  void pump();

  std::unique_ptr<Stream> stream_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::string> bodies_;  // what is not sent yet
  std::string unsent_;
};

}  // namespace loadline::net
