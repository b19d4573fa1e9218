// The server on streams in memory and in virtual time: slow, broken and malicious clients.

#include "server/net/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/base/virtual_loop.h"
#include "server/net/memory_stream.h"
#include "server/net/testing/client.h"

namespace loadline::net {
namespace {

using Answering = std::function<void(std::shared_ptr<Exchange>)>;

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

TEST_F(ServerTest, AnswersARequest) {
  EXPECT_EQ(exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 7\r\n\r\nGET /a ");
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrderEvenIfTheFirstTakesLong) {
  std::vector<std::shared_ptr<Exchange>> waiting;
  handler_.answer = [&](std::shared_ptr<Exchange> exchange) { waiting.push_back(std::move(exchange)); };
  const auto client = connect_raw();
  client->send(
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\nPUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nbGET /c "
      "HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  ASSERT_EQ(waiting.size(), 1U);
  waiting[0]->respond({200, {}, "first"});
  loop_.run_until_idle();
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(waiting[1]->request().body, "b");
  waiting[1]->respond({200, {}, "second"});
  loop_.run_until_idle();
  ASSERT_EQ(waiting.size(), 3U);
  waiting[2]->respond({200, {}, "third"});
  loop_.run_until_idle();
  EXPECT_LT(client->received.find("first"), client->received.find("second"));
  EXPECT_LT(client->received.find("second"), client->received.find("third"));
  EXPECT_FALSE(client->closed);
}

TEST_F(ServerTest, RefusesInItsOwnWordsAndCloses) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"GET / HTTP/3.0\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported"},
      {"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3145729\r\n\r\n", "HTTP/1.1 413 Request Entity Too Large"},
      {"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: a pony\r\n\r\n", "HTTP/1.1 417 Expectation Failed"},
      {"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: a pony\r\n\r\n1", "HTTP/1.1 417 Expectation Failed"},
      {"GET /" + std::string(70'000, 'a'), "HTTP/1.1 414 Request URI Too Long"},
      {"GET / HTTP/1.1\r\nX: " + std::string(70'000, 'a'), "HTTP/1.1 431 Request Header Fields Too Large"},
  };
  for (const auto& [text, expected] : cases) {
    const auto client = connect_raw();
    client->send(text);
    loop_.run_until_idle();
    EXPECT_EQ(status_line(client->received), expected);
    EXPECT_NE(client->received.find("Connection: close\r\n"), std::string::npos) << expected;
    EXPECT_TRUE(client->closed) << expected;
    loop_.advance(Duration::seconds(5));
  }
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, NothingThatFollowsARefusedRequestIsAnswered) {
  int handled = 0;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    ++handled;
    exchange->respond({});
  };
  exchange(
      "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /secret "
      "HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(handled, 0);
}

TEST_F(ServerTest, SaysContinueOnceAndOnlyIfTheBodyIsStillToCome) {
  const auto client = connect_raw();
  client->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_EQ(client->received, "HTTP/1.1 100 Continue\r\n\r\n");
  client->send("a");
  loop_.run_until_idle();
  client->send("b");
  loop_.run_until_idle();
  EXPECT_EQ(client->received.find("100 Continue", 20), std::string::npos);
  EXPECT_TRUE(client->received.ends_with("PUT / ab"));
  EXPECT_EQ(
      exchange("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab").find("100 Continue"),
      std::string::npos);
}

TEST_F(ServerTest, HeadAnd304HaveNoBody) {
  const std::string answer = exchange("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 8\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  handler_.answer = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({304, {{"ETag", "x"}}, "body"});
  };
  EXPECT_EQ(exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 304 Not Modified\r\nETag: x\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST_F(ServerTest, AHeaderValueCannotEndItsLine) {
  handler_.answer = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({200, {{"Warning", "a\r\nSet-Cookie: b"}}, ""});
  };
  EXPECT_NE(exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").find("Warning: a  Set-Cookie: b\r\n"), std::string::npos);
}

TEST_F(ServerTest, StreamsInChunksAndToOldClientsUntilTheEnd) {
  handler_.answer = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->start(200, {});
    exchange->write(piece(3));
    exchange->write(piece(2000));
    exchange->finish();
  };
  const std::string answer = exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n3\r\nxxx\r\n7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n")) << answer;
  const std::string old = exchange("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.ends_with("\r\n\r\n" + std::string(2003, 'x')));
  EXPECT_NE(old.find("Connection: close"), std::string::npos);
}

TEST_F(ServerTest, AnExchangeThatTheHandlerDropsUnansweredIsCut) {
  handler_.answer = [](const std::shared_ptr<Exchange>&) {};
  const auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_TRUE(client->closed);
  EXPECT_EQ(client->received, "");
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, AWatcherLearnsThatItsClientIsGone) {
  std::shared_ptr<Exchange> kept;
  int closed = 0;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    kept = exchange;
    kept->start(200, {});
    kept->on_close([&] {
      ++closed;
      kept.reset();  // as a watcher would that owns its exchange
    });
  };
  auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_EQ(closed, 0);
  EXPECT_NE(client->received.find("200 OK"), std::string::npos) << "the head is sent at once";
  client.reset();
  loop_.run_until_idle();
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(kept, nullptr);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, FinishingOrAbortingRunsNoCloseCallback) {
  for (const bool aborts : {false, true}) {
    int closed = 0;
    handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
      exchange->start(200, {});
      exchange->on_close([&] { ++closed; });
      if (aborts) {
        exchange->abort();
      } else {
        exchange->finish();
      }
      EXPECT_FALSE(exchange->is_open());
      EXPECT_FALSE(exchange->write(piece(1)));
    };
    exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(closed, 0);
  }
}

TEST_F(ServerTest, ASlowReadersQueueIsBounded) {
  ServerLimits limits;
  limits.exchange_queue = 100'000;
  make(limits);
  std::shared_ptr<Exchange> slow;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    slow = exchange;
    slow->start(200, {});
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 10'000;
  const auto client = connect_raw(narrow);
  client->pause();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  int taken = 0;
  while (slow->write(piece(1'000))) {
    ++taken;
    loop_.run_until_idle();
    ASSERT_LE(taken, 120);
  }
  EXPECT_GE(taken, 100);
  EXPECT_LE(slow->queued_bytes(), 100'000U);
  slow->abort();
  EXPECT_EQ(slow->queued_bytes(), 0U);
  client->resume();
  loop_.run_until_idle();
  EXPECT_TRUE(client->closed);
}

TEST_F(ServerTest, ALargeAnswerIsMadePieceByPieceAsItIsRead) {
  std::shared_ptr<Exchange> list;
  std::size_t made = 0;
  std::size_t most_queued = 0;
  std::function<void()> make_more = [&] {
    while (made < 5'000'000 && list->queued_bytes() < Exchange::kLowWater) {
      ASSERT_TRUE(list->write(piece(10'000)));
      made += 10'000;
      most_queued = std::max(most_queued, list->queued_bytes());
    }
    if (made < 5'000'000) return list->on_writable(make_more);
    list->finish();
  };
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    list = exchange;
    list->start(200, {});
    make_more();
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 50'000;
  const auto client = connect_raw(narrow);
  client->pause();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_LT(made, 200'000U) << "the client does not read";
  client->resume();
  loop_.run_until_idle();
  EXPECT_EQ(made, 5'000'000U);
  EXPECT_LT(most_queued, 80'000U);
  EXPECT_TRUE(client->received.ends_with("\r\n0\r\n\r\n"));
  EXPECT_GT(client->received.size(), 5'000'000U);
}

TEST_F(ServerTest, ClientsThatSayNothingOrTrickleRunOutOfTime) {
  const auto silent = connect_raw();
  const auto trickling = connect_raw();
  const auto slow_body = connect_raw();
  const auto idle = connect_raw();
  slow_body->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  idle->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  trickling->send("GET / HTTP/1.1\r\n");
  for (int second = 0; second < 30; ++second) {
    trickling->send("a");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_EQ(server_->connections(), 4U);
  loop_.advance(Duration::seconds(10));
  EXPECT_TRUE(silent->closed);
  EXPECT_EQ(silent->received, "");
  EXPECT_EQ(status_line(trickling->received), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(server_->connections(), 2U);
  for (int second = 0; second < 100; ++second) {
    slow_body->send("a");
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_EQ(status_line(slow_body->received), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(server_->connections(), 1U);
  EXPECT_FALSE(idle->closed);
  loop_.advance(Duration::seconds(100));
  EXPECT_TRUE(idle->closed);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, AnAnswerThatTheClientDoesNotReadIsCutButAQuietWatchIsNot) {
  std::vector<std::shared_ptr<Exchange>> watches;
  int closed = 0;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    exchange->start(200, {});
    exchange->on_close([&] { ++closed; });
    watches.push_back(exchange);
  };
  MemoryStreamOptions narrow;
  narrow.capacity = 1'000;
  const auto stalled = connect_raw(narrow);
  const auto quiet = connect_raw(narrow);
  for (const auto& client : {stalled.get(), quiet.get()}) client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  stalled->pause();
  watches[0]->write(piece(5'000));
  loop_.advance(Duration::seconds(55));
  EXPECT_EQ(closed, 0);
  loop_.advance(Duration::seconds(3600));
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(watches[0]->is_open());
  EXPECT_TRUE(watches[1]->is_open());
}

TEST_F(ServerTest, AJumpOfTheClockCutsNoConnection) {
  const auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\n");
  loop_.advance(Duration::seconds(5));
  loop_.set_wall_offset(Duration::seconds(1'000'000));
  loop_.advance(Duration::seconds(5));
  client->send("Host: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_EQ(status_line(client->received), "HTTP/1.1 200 OK");
}

TEST_F(ServerTest, BodiesOfAllClientsTogetherAreBounded) {
  ServerLimits limits;
  limits.bodies = 10'000;
  make(limits);
  std::vector<std::unique_ptr<RawClient>> clients;
  int refused = 0;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(connect_raw());
    clients.back()->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(4'000, 'a'));
    loop_.run_until_idle();
  }
  for (const auto& client : clients) refused += status_line(client->received) == "HTTP/1.1 503 Service Unavailable";
  EXPECT_EQ(refused, 3);
  for (int i = 0; i < 2; ++i) clients[static_cast<std::size_t>(i)]->send(std::string(1'000, 'a'));
  loop_.run_until_idle();
  EXPECT_EQ(status_line(clients[0]->received), "HTTP/1.1 200 OK");
  const auto after = connect_raw();
  after->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(5'000, 'a'));
  loop_.run_until_idle();
  EXPECT_EQ(status_line(after->received), "HTTP/1.1 200 OK") << "room again";
}

TEST_F(ServerTest, MoreConnectionsThanAllowedAreClosed) {
  ServerLimits limits;
  limits.connections = 2;
  make(limits);
  const auto first = connect_raw();
  const auto second = connect_raw();
  const auto third = connect_raw();
  loop_.run_until_idle();
  third->resume();
  EXPECT_TRUE(third->closed);
  EXPECT_FALSE(first->closed);
}

TEST_F(ServerTest, StopsGracefully) {
  std::shared_ptr<Exchange> slow;
  std::shared_ptr<Exchange> watch;
  int closed = 0;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().target == "/slow") {
      slow = exchange;
      return;
    }
    watch = exchange;
    watch->start(200, {});
    watch->on_close([&] { ++closed; });
  };
  const auto idle = connect_raw();
  const auto slow_client = connect_raw();
  const auto watcher = connect_raw();
  slow_client->send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  watcher->send("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  bool stopped = false;
  server_->stop(Duration::seconds(10), [&] { stopped = true; });
  loop_.advance(Duration::seconds(5));
  idle->resume();
  EXPECT_TRUE(idle->closed);
  slow->respond({200, {}, "done"});
  loop_.advance(Duration::seconds(1));
  EXPECT_TRUE(slow_client->received.ends_with("done"));
  EXPECT_TRUE(slow_client->closed);
  EXPECT_FALSE(stopped);
  EXPECT_TRUE(watch->is_open());
  loop_.advance(Duration::seconds(5));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(closed, 1);
}

TEST_F(ServerTest, ItMayBeDestroyedWithinARequest) {
  std::shared_ptr<Exchange> kept;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) {
    kept = exchange;
    server_.reset();
  };
  const auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  loop_.run_until_idle();
  EXPECT_FALSE(kept->is_open());
  kept->respond({});
  client->resume();
  EXPECT_TRUE(client->closed);
}

TEST_F(ServerTest, AConnectionCanBeTakenOver) {
  std::unique_ptr<Stream> taken;
  handler_.answer = [&](const std::shared_ptr<Exchange>& exchange) { taken = exchange->take_over(); };
  const auto client = connect_raw();
  client->send("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nframes");
  loop_.run_until_idle();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(server_->connections(), 0U);
  std::string bytes(100, '\0');
  const Transfer transfer = taken->read(std::span(bytes));
  EXPECT_EQ(bytes.substr(0, transfer.bytes), "frames");
  const std::string_view answer = "HTTP/1.1 101 Switching Protocols\r\n\r\nechoed";
  taken->write(std::span(&answer, 1));
  loop_.run_until_idle();
  EXPECT_EQ(client->received, answer);
}

TEST_F(ServerTest, AnswersAlikeOnConnectionsOfAllKinds) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    MemoryStreamOptions options;
    options.capacity = 1 + static_cast<std::size_t>(Rng(seed).below(3'000));
    options.first_to_second.seed = seed;
    options.second_to_first.seed = seed + 1000;
    if (seed % 3 == 0) options.first_to_second.delay = Duration{static_cast<std::int64_t>(seed) * 1'000'000};
    const auto client = connect_client(options);
    Rng rng(seed);
    int answered = 0;
    std::function<void()> ask = [&] {
      const std::string body(static_cast<std::size_t>(rng.below(20'000)), 'b');
      const std::string target = fmt::format("/{}", rng.below(1000));
      Request request{"POST", target, {}, body, nullptr};
      client->send(request, [&, expected = "POST " + target + " " + body](const Result<Response>& response) {
        ASSERT_TRUE(response) << response.error().message;
        EXPECT_EQ(response->body, expected);
        if (++answered < 10) ask();
      });
    };
    ask();
    // Long enough for any of them, were it not that a delay is paid for each of many small pieces.
    loop_.advance(Duration::seconds(100));
    EXPECT_EQ(answered, 10) << "seed " << seed;
  }
}

TEST_F(ServerTest, AConnectionThatBreaksAnywhereHarmsNoOther) {
  handler_.answer = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->start(200, {});
    for (int i = 0; i < 5; ++i) exchange->write(piece(500));
    exchange->finish();
  };
  for (std::size_t cut = 1; cut < 3'000; cut += 7) {
    MemoryStreamOptions options;
    options.second_to_first.cut_after = cut;
    options.first_to_second.cut_after = cut + 40;
    const auto client = connect_client(options);
    bool told = false;
    client->send({"GET", "/", {}, "", nullptr}, [&](const Result<Response>&) { told = true; });
    loop_.run_until_idle();
    EXPECT_TRUE(told) << cut;
  }
  loop_.advance(Duration::seconds(300));
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, GarbageIsRefusedOverHttp2Too) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    MemoryStreamOptions options;
    options.protocol = "h2";
    const auto client = connect_raw(options);
    Rng rng(seed);
    std::string garbage = seed % 2 == 0 ? "" : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (int i = 0; i < 2'000; ++i) garbage += static_cast<char>(rng.below(256));
    client->send(garbage);
    loop_.advance(Duration::seconds(400));
    EXPECT_TRUE(client->closed) << seed;
  }
  EXPECT_EQ(server_->connections(), 0U);
}

}  // namespace
}  // namespace loadline::net
