#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "foundation/base/event_loop.h"
#include "server/net/http.h"
#include "server/net/stream.h"

namespace loadline::linearizability {

/// A client's connection, of either protocol. Destroying it cuts it: no receiver is called after that.
class Line {
 public:
  struct Receiver {
    std::function<void(std::string_view piece)> piece;    ///< of the body, as it comes
    std::function<void(int status, bool is_whole)> over;  ///< once; status 0: nothing came
  };

  virtual ~Line() = default;
  /// Whether it takes a request now.
  [[nodiscard]] virtual bool is_free() const = 0;
  /// Whether it can take a request, now or later.
  [[nodiscard]] virtual bool is_open() const = 0;
  /// REQUIRES: is_free(). The receiver's functions must not destroy the line.
  virtual void ask(const net::Request& request, Receiver receiver) = 0;
};

/// One request at a time.
std::unique_ptr<Line> http1_line(EventLoop& loop, std::unique_ptr<net::Stream> stream);
/// Many at once.
std::unique_ptr<Line> http2_line(std::unique_ptr<net::Stream> stream);

}  // namespace loadline::linearizability
