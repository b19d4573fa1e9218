#include "server/net/http1_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::net {
namespace {

using State = Http1Parser::State;
using Kind = Http1Parser::Kind;

constexpr Http1Parser::Limits kSmall{100, 200, 50};

/// What came of a message, however it was cut into pieces.
struct ParseOutcome {
  State state = State::kIdle;
  int failure = 0;
  std::size_t taken = 0;
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  bool keeps_alive = false;

  friend bool operator==(const ParseOutcome&, const ParseOutcome&) = default;
};

ParseOutcome outcome_of(Http1Parser& parser, std::size_t taken) {
  const bool failed = parser.state() == State::kFailed;
  // Where exactly a broken message was given up is not part of the contract.
  if (failed) return {State::kFailed, parser.failure().status, 0, "", "", {}, "", false};
  return {parser.state(),      0, taken, parser.method(), parser.target(), parser.headers(), parser.body(),
          parser.keeps_alive()};
}

ParseOutcome parse(std::string_view text, Kind kind = Kind::kRequest) {
  Http1Parser parser(kind, kSmall);
  const std::size_t taken = parser.feed(text);
  return outcome_of(parser, taken);
}

/// The same in pieces of 1 to `most` bytes.
ParseOutcome parse_in_pieces(std::string_view text, std::uint64_t seed, std::size_t most, Kind kind = Kind::kRequest) {
  Http1Parser parser(kind, kSmall);
  Rng rng(seed);
  std::size_t taken = 0;
  while (taken < text.size() && parser.state() != State::kDone && parser.state() != State::kFailed) {
    const std::string_view piece = text.substr(taken, 1 + static_cast<std::size_t>(rng.below(most)));
    taken += parser.feed(piece);
  }
  return outcome_of(parser, taken);
}

TEST(Http1Parser, ReadsARequest) {
  const std::string text =
      "POST /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\nAccept:  x;q=1 \t\r\nContent-Length: 5\r\n\r\nhello";
  const ParseOutcome outcome = parse(text + "GET /next");
  EXPECT_EQ(outcome.state, State::kDone);
  EXPECT_EQ(outcome.taken, text.size());
  EXPECT_EQ(outcome.method, "POST");
  EXPECT_EQ(outcome.target, "/api/v1/pods?watch=1");
  EXPECT_EQ(outcome.headers, (Headers{{"Host", "a"}, {"Accept", "x;q=1"}, {"Content-Length", "5"}}));
  EXPECT_EQ(outcome.body, "hello");
  EXPECT_TRUE(outcome.keeps_alive);
}

struct Case {
  const char* what;
  std::string text;
  int failure;  // 0: read whole
  std::string body = {};
};

std::string request(const std::string& fields, const std::string& body = "") {
  return "PUT / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}

std::vector<Case> cases() {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  return {
      {"no body", request(""), 0},
      {"chunks", request(chunked, "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n"), 0, "hello!"},
      {"chunks and trailers", request(chunked, "A\r\n0123456789\r\n0\r\nX: y\r\n\r\n"), 0, "0123456789"},
      {"an address as target", "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
      {"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", 0},
      {"both lengths", request(chunked + "Content-Length: 5\r\n"), 400},
      {"two lengths", request("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
      {"a list of lengths", request("Content-Length: 5, 5\r\n"), 400},
      {"a signed length", request("Content-Length: +5\r\n"), 400},
      {"an empty length", request("Content-Length:\r\n"), 400},
      {"a length beyond all numbers", request("Content-Length: 99999999999999999999\r\n"), 400},
      {"another coding", request("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"two codings", request(chunked + chunked), 501},
      {"a coding in HTTP/1.0", "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"a bare line feed", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
      {"a bare line feed between fields", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400},
      {"a bare carriage return", "GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n", 400},
      {"a folded field", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400},
      {"a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
      {"a field without name", "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n", 400},
      {"a field without colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400},
      {"a NUL in a value", std::string("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29), 400},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"no version", "GET /\r\nHost: a\r\n\r\n", 400},
      {"a method that is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"HTTP/2 in HTTP/1", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"TLS", "\x16\x03\x01 whatever", 400},
      {"a chunk longer than it says", request(chunked, "1\r\nab\r\n0\r\n\r\n"), 400},
      {"a chunk size in hex with sign", request(chunked, "-1\r\nab\r\n0\r\n\r\n"), 400},
      {"a chunk size with prefix", request(chunked, "0x1\r\na\r\n0\r\n\r\n"), 400},
      {"a chunk size that overflows", request(chunked, "FFFFFFFFFFFFFFFFF\r\n"), 400},
      {"a chunk line that ends in line feed", request(chunked, "1\na\r\n0\r\n\r\n"), 400},
      {"a body too large", request("Content-Length: 51\r\n"), 413},
      {"chunks too large", request(chunked, "1A\r\n" + std::string(26, 'a') + "\r\n1A\r\n"), 413},
      {"a long request line", "GET /" + std::string(200, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
      {"a request line without end", "GET /" + std::string(200, 'a'), 414},
      {"long fields", request("X: " + std::string(300, 'a') + "\r\n"), 431},
      {"fields without end", "GET / HTTP/1.1\r\n" + std::string(300, 'a'), 431},
      {"long trailers",
       request(chunked, "0\r\nX: " + std::string(120, 'a') + "\r\nY: " + std::string(120, 'a') + "\r\n\r\n"), 431},
  };
}

TEST(Http1Parser, JudgesMessagesAlikeHoweverTheyAreCut) {
  for (const Case& test : cases()) {
    const ParseOutcome whole = parse(test.text);
    EXPECT_EQ(whole.failure, test.failure) << test.what;
    EXPECT_EQ(whole.state, test.failure == 0 ? State::kDone : State::kFailed) << test.what;
    EXPECT_EQ(whole.body, test.body) << test.what;
    EXPECT_EQ(parse_in_pieces(test.text, 1, 1), whole) << test.what << ", byte by byte";
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      EXPECT_EQ(parse_in_pieces(test.text, seed, 16), whole) << test.what << ", in pieces by seed " << seed;
    }
  }
}

TEST(Http1Parser, KnowsWhetherTheConnectionGoesOn) {
  EXPECT_TRUE(parse(request("")).keeps_alive);
  EXPECT_FALSE(parse(request("Connection: foo, Close\r\n")).keeps_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").keeps_alive);
  EXPECT_TRUE(parse("HTTP/1.1 204 No Content\r\n\r\n", Kind::kResponse).keeps_alive);
}

TEST(Http1Parser, AResponseWithoutLengthLastsUntilTheConnectionEnds) {
  Http1Parser parser(Kind::kResponse, kSmall);
  parser.feed("HTTP/1.1 200 OK\r\n\r\nbody");
  EXPECT_EQ(parser.state(), State::kBody);
  parser.feed_end();
  EXPECT_EQ(parser.state(), State::kDone);
  EXPECT_EQ(parser.body(), "body");
  EXPECT_FALSE(parser.keeps_alive());
}

TEST(Http1Parser, AnEndWithinAMessageIsAFailure) {
  for (const char* text : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", "HTTP/1.1 200",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"}) {
    Http1Parser parser(Kind::kResponse, kSmall);
    parser.feed(text);
    parser.feed_end();
    EXPECT_EQ(parser.state(), State::kFailed) << text;
  }
}

TEST(Http1Parser, ResponsesToHeadHaveNoBody) {
  const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(parse(text, Kind::kResponseWithoutBody).state, State::kDone);
  EXPECT_EQ(parse(text, Kind::kResponse).state, State::kBody);
  EXPECT_EQ(parse("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", Kind::kResponse).state, State::kDone);
}

/// Small fields take more memory than text, and small chunks more than they keep.
TEST(Http1Parser, ManyFieldsAreRefusedBeforeTheyAreLarge) {
  std::string few = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 1'000; ++i) few += "a:\r\n";
  std::string many = few;
  for (int i = 0; i < 2'000; ++i) many += "a:\r\n";
  for (const auto& [text, failure] : {std::pair(few, 0), std::pair(many, 431)}) {
    Http1Parser parser(Kind::kRequest, {});
    const std::string whole = text + "\r\n";
    ASSERT_LT(whole.size(), Http1Parser::Limits().fields);
    parser.feed(whole);
    EXPECT_EQ(parser.state(), failure == 0 ? State::kDone : State::kFailed);
    EXPECT_EQ(failure, failure == 0 ? 0 : parser.failure().status);
  }
}

TEST(Http1Parser, ChunksThatCarryNextToNothingAreRefused) {
  const auto failure = [](const std::string& chunk, int times) {
    Http1Parser parser(Kind::kRequest, {});
    std::string text = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < times; ++i) text += chunk;
    parser.feed(text);
    return parser.state() == State::kFailed ? std::string(parser.failure().text) : "";
  };
  EXPECT_EQ(failure("1\r\na\r\n", 100'000), "") << "slow, and what some clients do";
  EXPECT_EQ(failure("1;signature=abc\r\na\r\n", 100'000), "");
  EXPECT_EQ(failure("1;" + std::string(250, 'x') + "\r\na\r\n", 50), "");
  EXPECT_EQ(failure("1;" + std::string(250, 'x') + "\r\na\r\n", 500), "most of the chunked coding is no data");
  EXPECT_EQ(failure("000000000000001; " + std::string(100, ' ') + "\r\na\r\n", 500),
            "most of the chunked coding is no data");
}

}  // namespace
}  // namespace loadline::net
