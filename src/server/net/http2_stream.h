#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "foundation/base/contract.h"
#include "server/net/exchange.h"
#include "server/net/http.h"
#include "server/net/output_queue.h"

namespace loadline::net {

/// One request and answer of an HTTP/2 connection, as its session keeps it.
struct Http2Stream {
  // The request, until it is whole.
  Request request;
  std::size_t header_bytes = 0;
  std::size_t counted_body = 0;  ///< what of its fields and its body the server counts
  bool request_ended = false;
  bool refused = false;
  int refusal = 0;  ///< the status of what is wrong with its head; 0: nothing so far
  std::int64_t deadline = 0;

  // The answer.
  Exchange* exchange = nullptr;  ///< null before it is asked for, and once it is over
  bool has_body = true;
  bool answer_ended = false;
  std::int64_t stall_deadline = 0;  ///< while something waits

  /// Puts a piece of the body in line.
  void queue(std::shared_ptr<const std::string> piece) {
    queued_ += piece->size();
    if (!piece->empty()) pieces_.push_back(std::move(piece));
  }

  [[nodiscard]] std::size_t queued() const { return queued_; }

  /// Moves the first `length` bytes to `output`; what is long stays shared. REQUIRES: no more than queued().
  void move_to(OutputQueue& output, std::size_t length) {
    REQUIRES(length <= queued_);
    queued_ -= length;
    while (length > 0) {
      const std::shared_ptr<const std::string>& piece = pieces_.front();
      const std::size_t here = std::min(length, piece->size() - sent_of_first_);
      output.append(piece, sent_of_first_, here);
      sent_of_first_ += here;
      length -= here;
      if (sent_of_first_ < piece->size()) continue;
      pieces_.pop_front();
      sent_of_first_ = 0;
    }
  }

  void drop_queue() {
    pieces_.clear();
    queued_ = 0;
    sent_of_first_ = 0;
  }

 private:
  std::deque<std::shared_ptr<const std::string>> pieces_;
  std::size_t sent_of_first_ = 0;
  std::size_t queued_ = 0;
};

}  // namespace loadline::net
