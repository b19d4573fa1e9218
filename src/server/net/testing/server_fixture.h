#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/virtual_loop.h"
#include "server/net/memory_stream.h"
#include "server/net/server.h"
#include "server/net/testing/client.h"

namespace loadline::net {

using Answering = std::function<void(std::shared_ptr<Exchange>)>;

/// Answers each request as it is told; until then, with what was asked.
class TestHandler final : public Handler {
 public:
  void handle(std::shared_ptr<Exchange> exchange) override { answer(std::move(exchange)); }

  Answering answer = [](const std::shared_ptr<Exchange>& exchange) {
    const Request& request = exchange->request();
    exchange->respond({200, {}, request.method + " " + request.target + " " + request.body});
  };
};

/// The client's end of a connection, byte by byte.
class RawClient {
 public:
  explicit RawClient(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {
    stream_->on_ready([this] { pump(); });
  }

  void send(std::string_view text) {
    unsent_ += text;
    pump();
  }

  void finish() { stream_->finish(); }
  void pause() { paused_ = true; }

  void resume() {
    paused_ = false;
    pump();
  }

  std::string received;
  bool closed = false;

 private:
  void pump() {
    while (!unsent_.empty()) {
      const std::string_view piece = unsent_;
      const Transfer transfer = stream_->write(std::span(&piece, 1));
      if (transfer.state != Transfer::State::kDone) break;
      unsent_.erase(0, transfer.bytes);
    }
    std::string buffer(4096, '\0');
    while (!closed && !paused_) {
      const Transfer transfer = stream_->read(std::span(buffer));
      if (transfer.state == Transfer::State::kBlocked) return;
      if (transfer.state != Transfer::State::kDone) closed = true;
      received.append(buffer, 0, transfer.bytes);
    }
  }

  std::unique_ptr<Stream> stream_;
  std::string unsent_;
  bool paused_ = false;
};

/// A server on streams in memory, in virtual time.
class ServerTest : public testing::Test {
 protected:
  void make(const ServerLimits& limits) {
    ServerOptions options;
    options.limits = limits;
    server_ = std::make_unique<Server>(loop_, options, handler_);
  }

  std::unique_ptr<Stream> connect(MemoryStreamOptions options = {}) {
    auto [client, server] = connected_streams(loop_, std::move(options));
    server_->serve(std::move(server));
    return std::move(client);
  }

  std::unique_ptr<RawClient> connect_raw(MemoryStreamOptions options = {}) {
    return std::make_unique<RawClient>(connect(std::move(options)));
  }

  std::unique_ptr<Client> connect_client(MemoryStreamOptions options = {}) {
    return std::make_unique<Client>(loop_, connect(std::move(options)), "test");
  }

  /// All that a client gets for `text`, without the Date.
  std::string exchange(std::string_view text) {
    const auto client = connect_raw();
    client->send(text);
    loop_.run_until_idle();
    return client->received;
  }

  static std::string status_line(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }

  static std::shared_ptr<const std::string> piece(std::size_t size) {
    return std::make_shared<const std::string>(size, 'x');
  }

  VirtualLoop loop_{Instant{784'111'777'000'000'000}};
  TestHandler handler_;
  std::unique_ptr<Server> server_ = std::make_unique<Server>(loop_, ServerOptions{}, handler_);
};

}  // namespace loadline::net
