#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/value.h"
#include "server/apiserver/control_plane.h"
#include "server/net/exchange.h"
#include "server/net/http.h"

namespace loadline::apiserver {

/// An answer as a test looks at it. That of a watch grows while the loop runs.
struct Reply {
  int status = 0;  ///< 0: nothing came
  net::Headers headers;
  std::string body;
  bool is_whole = false;
  bool is_cut = false;

  /// The body, read as JSON; null if it is none.
  [[nodiscard]] document::Value json() const;
  /// A member of the body as text: `at({"metadata", "name"})`; strings as they are, all else as JSON, empty if absent.
  [[nodiscard]] std::string at(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::string header(std::string_view name) const;
  /// "404 NotFound: pods \"p\" not found", or "200": what a table of expectations holds.
  [[nodiscard]] std::string verdict() const;
};

/// A whole API server without sockets or threads, in virtual time, with an empty store of its own: what came to it is
/// answered when the call returns. Requests are those of the owner unless act_as() says otherwise.
class TestServer {
 public:
  explicit TestServer(const ControlPlaneOptions& options = default_options());

  /// Nothing kept, commits on the loop, a fixed seed.
  static ControlPlaneOptions default_options();

  [[nodiscard]] VirtualLoop& loop() { return loop_; }
  [[nodiscard]] ControlPlane& plane() { return *plane_; }

  /// The user that sends the requests that follow, as the subject of a client certificate.
  void act_as(std::string user, std::vector<std::string> groups = {});
  void act_as_owner() { peer_ = nullptr; }

  Reply get(std::string_view path) { return send("GET", path); }
  Reply post(std::string_view path, std::string_view json) { return send("POST", path, json, "application/json"); }
  Reply put(std::string_view path, std::string_view json) { return send("PUT", path, json, "application/json"); }
  Reply remove(std::string_view path, std::string_view json = {}) {
    return send("DELETE", path, json, json.empty() ? "" : "application/json");
  }
  /// `type`: "merge", "json", "strategic-merge" or "apply".
  Reply patch(std::string_view type, std::string_view path, std::string_view body);

  Reply send(std::string_view method, std::string_view path, std::string_view body = {},
             std::string_view content_type = {}, const net::Headers& headers = {});

  /// A request whose answer may go on for ever: look at the reply again after running the loop.
  const Reply& open(net::Request request);
  /// A watch, or anything else that is read.
  const Reply& open(std::string_view path) { return open(request("GET", path, {}, {}, {})); }

 private:
  class Recording;

  [[nodiscard]] net::Request request(std::string_view method, std::string_view path, std::string_view body,
                                     std::string_view content_type, const net::Headers& headers) const;

  VirtualLoop loop_;
  std::shared_ptr<const net::Peer> peer_;              // null: the owner's token
  std::deque<std::shared_ptr<Recording>> recordings_;  // outlive the server's exchanges
  std::unique_ptr<ControlPlane> plane_;
};

}  // namespace loadline::apiserver
