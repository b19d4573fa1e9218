#include "server/net/connection.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/net/http1_session.h"
#include "server/net/http2_session.h"

namespace loadline::net {
namespace {

/// How often one connection reads in a row before others get their turn.
constexpr int kReadsInARow = 8;

/// What a client that was refused may still send before it is cut, and for how long.
constexpr std::size_t kLingerBytes = std::size_t{16} * 1024 * 1024;
constexpr Duration kLingerTime = Duration::seconds(2);

}  // namespace

std::int64_t ServerState::deadline(Duration span) const {
  return ticks + (span.nanoseconds + tick.nanoseconds - 1) / tick.nanoseconds + 1;
}

const std::string& ServerState::current_date() {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const Instant now = loop.now();
  if (date.empty() || now.nanoseconds / kSecond != date_at.nanoseconds / kSecond) {
    date = format_rfc1123(now) + " GMT";
    date_at = now;
  }
  return date;
}

Connection::Connection(std::shared_ptr<ServerState> server, std::uint64_t id, std::unique_ptr<Stream> stream)
    : server_(std::move(server)),
      id_(id),
      stream_(std::move(stream)),
      deadline_(server_->deadline(server_->limits.header_time)),
      stall_deadline_(server_->deadline(server_->limits.stall_time)) {}

Connection::~Connection() {
  if (phase_ != Phase::kDead && session_ != nullptr) session_->lost();
}

void Connection::start() {
  stream_->on_ready([self = weak_from_this()] {
    if (const auto connection = self.lock()) {
      connection->write_blocked_ = false;
      connection->service();
    }
  });
  wake();
}

void Connection::wake() {
  if (woken_ || phase_ == Phase::kDead) return;
  woken_ = true;
  if (in_service_) return;  // it looks before it ends
  server_->loop.post([self = weak_from_this()] {
    if (const auto connection = self.lock()) connection->service();
  });
}

void Connection::service() {
  if (phase_ == Phase::kDead || in_service_) return;
  const std::shared_ptr<Connection> alive = shared_from_this();
  in_service_ = true;
  const bool more_to_read = read_some();
  woken_ = false;  // what woke the connection meanwhile is served right now
  if (session_ != nullptr && phase_ == Phase::kOpen) session_->produce();
  write_output();
  in_service_ = false;
  if (phase_ == Phase::kDead || (!woken_ && !more_to_read)) return;
  woken_ = false;
  wake();
}

bool Connection::read_some() {
  for (int i = 0; i < kReadsInARow; ++i) {
    const bool wanted =
        phase_ == Phase::kLingering || (phase_ == Phase::kOpen && (session_ == nullptr || session_->wants_input()));
    if (!wanted || input_ended_) return false;
    const Transfer transfer = stream_->read(std::span(server_->scratch));
    switch (transfer.state) {
      case Transfer::State::kDone:
        take(std::string_view(server_->scratch).substr(0, transfer.bytes));
        break;
      case Transfer::State::kBlocked:
        return false;
      case Transfer::State::kEnd:
        end_input();
        return false;
      case Transfer::State::kFailed:
        die();
        return false;
    }
  }
  return phase_ != Phase::kDead;  // there may be more, after the other connections' turns
}

void Connection::end_input() {
  input_ended_ = true;
  if (session_ == nullptr || phase_ == Phase::kLingering) return die();
  session_->end_of_input();
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::kLingering) {
    lingered_bytes_ += bytes.size();
    if (lingered_bytes_ > kLingerBytes) die();
    return;
  }
  if (session_ == nullptr) begin_session();
  session_->receive(bytes);
}

void Connection::begin_session() {
  peer_ = std::make_shared<const Peer>(stream_->peer());
  session_ = stream_->protocol() == "h2" ? make_http2_session(*this) : make_http1_session(*this);
  if (shut_down_) session_->shut_down();
}

void Connection::write_output() {
  while (phase_ <= Phase::kClosing && !write_blocked_ && !output_.empty()) {
    OutputQueue::Pieces storage;
    const Transfer transfer = stream_->write(output_.front(storage));
    if (transfer.state == Transfer::State::kBlocked) {
      write_blocked_ = true;
    } else if (transfer.state != Transfer::State::kDone) {
      return die();
    } else {
      output_.pop(transfer.bytes);
      stall_deadline_ = server_->deadline(server_->limits.stall_time);
    }
  }
  if (phase_ == Phase::kClosing && output_.empty()) return linger();
  if (phase_ == Phase::kOpen && session_ != nullptr && output_.size() < Exchange::kLowWater) session_->offer_room();
}

void Connection::close_after_output() {
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kClosing;
  stall_deadline_ = server_->deadline(server_->limits.stall_time);
  wake();
}

void Connection::linger() {
  if (input_ended_) return die();
  phase_ = Phase::kLingering;
  deadline_ = server_->deadline(kLingerTime);
  stream_->finish();
  wake();
}

void Connection::cut() {
  output_.clear();
  if (phase_ == Phase::kDead) return;
  // Not at once: the caller may be in the midst of the session.
  server_->loop.post([self = weak_from_this()] {
    if (const auto connection = self.lock()) connection->drop();
  });
}

void Connection::drop() {
  const std::shared_ptr<Connection> alive = shared_from_this();
  die();
}

void Connection::die() {
  if (phase_ == Phase::kDead) return;
  phase_ = Phase::kDead;
  if (session_ != nullptr) session_->lost();
  if (stream_ != nullptr) stream_->on_ready(nullptr);
  output_.clear();
  // The stream is closed with the connection; what still runs holds on to that.
  server_->remove(id_);
}

std::unique_ptr<Stream> Connection::release() {
  phase_ = Phase::kDead;
  stream_->on_ready(nullptr);
  // What is in the midst of being called is still needed until it returns.
  server_->loop.post([self = shared_from_this()] { self->server_->remove(self->id_); });
  return std::move(stream_);
}

void Connection::check_time() {
  if (phase_ == Phase::kDead) return;
  if (output_.empty()) {
    stall_deadline_ = server_->deadline(server_->limits.stall_time);
  } else if (server_->ticks >= stall_deadline_) {
    return drop();
  }
  if ((session_ == nullptr || phase_ == Phase::kLingering) && server_->ticks >= deadline_) return drop();
  if (session_ != nullptr && phase_ == Phase::kOpen) session_->check_time();
}

void Connection::shut_down() {
  if (phase_ == Phase::kDead || shut_down_) return;
  shut_down_ = true;
  if (session_ == nullptr) return drop();
  if (phase_ == Phase::kOpen) session_->shut_down();
}

}  // namespace loadline::net
