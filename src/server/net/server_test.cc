// The server on streams in memory and in virtual time: what it answers, and how exchanges, connections and it end.

#include "server/net/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "server/net/testing/server_fixture.h"

namespace loadline::net {
namespace {

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

}  // namespace
}  // namespace loadline::net
