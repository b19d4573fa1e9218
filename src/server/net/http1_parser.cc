#include "server/net/http1_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "foundation/base/text.h"

namespace loadline::net {
namespace {

constexpr std::size_t kLongestChunkLine = 256;
constexpr std::size_t kLongestMethod = 32;
/// What a field costs beside its bytes, as HPACK counts it (RFC 7541, 4.1): many small ones take more memory than text.
constexpr std::size_t kFieldCost = 32;
/// How much of the chunked coding may be no data, beyond what a chunk needs.
constexpr std::size_t kChunkOverhead = std::size_t{16} * 1024;
constexpr std::size_t kFreeChunkLine = 16;

constexpr bool is_token_letter(char letter) {
  if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9')) {
    return true;
  }
  return std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

constexpr std::array<bool, 256> kTokenLetters = [] {
  std::array<bool, 256> letters{};
  for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = is_token_letter(static_cast<char>(i));
  return letters;
}();

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char letter) { return kTokenLetters[static_cast<unsigned char>(letter)]; });
}

bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7f;
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char letter) { return letter != '\t' && is_control(letter); });
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> parse_number(std::string_view digits, int base, std::size_t most_digits) {
  std::uint64_t number = 0;
  if (digits.empty() || digits.size() > most_digits) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// "http://host/path" is "/path": the form for proxies, which every server must take, too.
std::string_view path_of(std::string_view target) {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    return slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target;
}

}  // namespace

void Http1Parser::fail(int status, std::string_view text) {
  state_ = State::kFailed;
  keeps_alive_ = false;
  failure_ = {status, text};
}

std::size_t Http1Parser::feed(std::string_view bytes) {
  std::size_t taken = 0;
  if (state_ == State::kIdle || state_ == State::kHead) taken = feed_head(bytes);
  while (state_ == State::kBody && taken < bytes.size()) taken += feed_body(bytes.substr(taken));
  return taken;
}

void Http1Parser::feed_end() {
  if (state_ == State::kBody && framing_ == Framing::kUntilEnd) {
    state_ = State::kDone;
  } else if (state_ != State::kDone && state_ != State::kFailed) {
    fail(400, "the connection ended within a message");
  }
}

std::size_t Http1Parser::feed_head(std::string_view bytes) {
  if (state_ == State::kIdle) {
    if (bytes.empty()) return 0;
    state_ = State::kHead;
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end != std::string_view::npos) {  // the usual case: nothing is copied
      parse_head(bytes.substr(0, end + 2));
      return end + 4;
    }
  }
  const std::size_t before = partial_.size();
  partial_ += bytes;
  const std::size_t end = partial_.find("\r\n\r\n", scanned_);
  if (end == std::string::npos) {
    check_head_limits(partial_);
    scanned_ = partial_.size() < 3 ? 0 : partial_.size() - 3;
    return bytes.size();
  }
  const std::string head = std::exchange(partial_, std::string());
  parse_head(std::string_view(head).substr(0, end + 2));
  return end + 4 - before;
}

void Http1Parser::check_head_limits(std::string_view head) {
  const std::size_t line = std::min(head.find("\r\n"), head.size());
  if (line > limits_.start_line) return fail(414, "the request line is too long");
  if (head.size() - line > limits_.fields + 4) return fail(431, "the header fields are too long");
  // A client that speaks another protocol is told at once, not only when a limit is reached.
  if (const char first = head.front(); is_control(first) && first != '\r') return fail(400, "this is not HTTP");
}

void Http1Parser::parse_head(std::string_view head) {
  check_head_limits(head);
  if (state_ == State::kFailed) return;
  bool first = true;
  while (!head.empty() && state_ != State::kFailed) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (!first) {
      parse_field(line);
    } else if (kind_ == Kind::kRequest) {
      parse_request_line(line);
    } else {
      parse_status_line(line);
    }
    first = false;
  }
  if (state_ != State::kFailed) decide_framing();
  if (state_ != State::kFailed) decide_keep_alive();
  if (state_ != State::kFailed) begin_body();
}

void Http1Parser::parse_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fail(400, "malformed request line");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || method.size() > kLongestMethod) return fail(400, "malformed method");
  const bool sound = !target.empty() && std::none_of(target.begin(), target.end(),
                                                     [](char letter) { return letter == ' ' || is_control(letter); });
  if (!sound) return fail(400, "malformed request target");
  method_ = method;
  target_ = path_of(target);
  parse_version(line.substr(last + 1));
}

void Http1Parser::parse_status_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return fail(400, "malformed status line");
  const std::optional<std::uint64_t> status = parse_number(line.substr(space + 1, 3), 10, 3);
  if (!status || *status < 100 || (line.size() > space + 4 && line[space + 4] != ' ')) {
    return fail(400, "malformed status line");
  }
  status_ = static_cast<int>(*status);
  parse_version(line.substr(0, space));
}

void Http1Parser::parse_version(std::string_view version) {
  if (version == "HTTP/1.1" || version == "HTTP/1.0") {
    minor_version_ = version.back() - '0';
    return;
  }
  const bool is_http = version.size() >= 6 && version.substr(0, 5) == "HTTP/" && version[5] >= '0' && version[5] <= '9';
  if (is_http) return fail(505, "this server speaks HTTP/1.1, and HTTP/2 over TLS");
  fail(400, "malformed HTTP version");
}

void Http1Parser::parse_field(std::string_view line) {
  if (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    return fail(400, "header fields must not be folded");
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400, "malformed header field");
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  if (!is_field_value(value)) return fail(400, "malformed header value");
  if (++fields_ * kFieldCost > limits_.fields) return fail(431, "there are too many header fields");
  headers_.add(std::string(line.substr(0, colon)), std::string(value));
}

void Http1Parser::decide_framing() {
  const std::vector<std::string_view> codings = headers_.all("transfer-encoding");
  const std::vector<std::string_view> lengths = headers_.all("content-length");
  if (!codings.empty()) {
    // Two lengths, or a coding that an older proxy does not know: the roads to request smuggling (RFC 9112, 6.1).
    if (!lengths.empty()) return fail(400, "both Transfer-Encoding and Content-Length");
    if (minor_version_ == 0) return fail(400, "Transfer-Encoding in HTTP/1.0");
    if (codings.size() > 1 || !equal_ignoring_case(codings.front(), "chunked")) {
      return fail(501, "unsupported transfer encoding");
    }
    framing_ = Framing::kChunked;
  } else if (!lengths.empty()) {
    const std::optional<std::uint64_t> length = parse_number(lengths.front(), 10, 18);
    if (lengths.size() > 1 || !length) return fail(400, "malformed Content-Length");
    framing_ = Framing::kLength;
    remaining_ = *length;
  } else {
    framing_ = kind_ == Kind::kRequest ? Framing::kNone : Framing::kUntilEnd;
  }
  if (kind_ == Kind::kResponseWithoutBody || (kind_ == Kind::kResponse && is_bodiless(status_))) {
    framing_ = Framing::kNone;
  }
  if (framing_ == Framing::kLength && remaining_ > limits_.body) fail(413, "the body is too large");
}

void Http1Parser::decide_keep_alive() {
  keeps_alive_ = minor_version_ == 1 && framing_ != Framing::kUntilEnd && !headers_.has_token("connection", "close");
  if (kind_ != Kind::kRequest) return;
  const std::size_t hosts = headers_.all("host").size();
  if (hosts > 1) fail(400, "more than one Host");
  if (hosts == 0 && minor_version_ == 1) fail(400, "missing required Host header");
}

void Http1Parser::begin_body() {
  const bool empty = framing_ == Framing::kNone || (framing_ == Framing::kLength && remaining_ == 0);
  state_ = empty ? State::kDone : State::kBody;
}

std::size_t Http1Parser::feed_body(std::string_view bytes) {
  switch (framing_) {
    case Framing::kLength:
      return feed_length(bytes);
    case Framing::kChunked:
      return feed_chunked(bytes);
    case Framing::kNone:
    case Framing::kUntilEnd:
      break;
  }
  append_body(bytes);
  return bytes.size();
}

void Http1Parser::append_body(std::string_view bytes) {
  received_ += bytes.size();
  if (received_ > limits_.body) return fail(413, "the body is too large");
  body_ += bytes;
}

std::size_t Http1Parser::feed_length(std::string_view bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), remaining_));
  append_body(bytes.substr(0, count));
  remaining_ -= count;
  if (remaining_ == 0 && state_ == State::kBody) state_ = State::kDone;
  return count;
}

std::size_t Http1Parser::feed_chunked(std::string_view bytes) {
  if (chunk_ != Chunk::kData) return feed_line(bytes);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), remaining_));
  append_body(bytes.substr(0, count));
  remaining_ -= count;
  if (remaining_ == 0) chunk_ = Chunk::kDataEnd;
  return count;
}

std::size_t Http1Parser::feed_line(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t count = newline == std::string_view::npos ? bytes.size() : newline + 1;
  const std::size_t longest = chunk_ == Chunk::kTrailer ? limits_.fields : kLongestChunkLine;
  if (partial_.size() + count > longest) {
    fail(chunk_ == Chunk::kTrailer ? 431 : 400, "a line of the chunked coding is too long");
    return count;
  }
  partial_ += bytes.substr(0, count);
  if (newline == std::string_view::npos) return count;
  const std::string line = std::exchange(partial_, std::string());
  if (line.size() < 2 || line[line.size() - 2] != '\r') {
    fail(400, "a line of the chunked coding does not end in CR LF");
    return count;
  }
  parse_chunk_line(std::string_view(line).substr(0, line.size() - 2));
  return count;
}

void Http1Parser::parse_chunk_line(std::string_view line) {
  if (!is_field_value(line)) return fail(400, "malformed chunk");
  if (chunk_ == Chunk::kDataEnd) {
    if (!line.empty()) return fail(400, "a chunk is longer than it says");
    chunk_ = Chunk::kSize;
  } else if (chunk_ == Chunk::kSize) {
    const std::string_view digits = trim_blanks(line.substr(0, line.find(';')));
    const std::optional<std::uint64_t> size = parse_number(digits, 16, 15);
    if (!size) return fail(400, "malformed chunk size");
    if (*size > limits_.body - std::min(limits_.body, received_)) return fail(413, "the body is too large");
    // Extensions, or chunks of a byte each with zeros before its size: hundreds of bytes for each that is kept.
    chunk_overhead_ += line.size();
    chunk_overhead_ -= std::min<std::uint64_t>(chunk_overhead_, kFreeChunkLine + 2 * *size);
    if (chunk_overhead_ > kChunkOverhead) return fail(400, "most of the chunked coding is no data");
    remaining_ = *size;
    chunk_ = *size == 0 ? Chunk::kTrailer : Chunk::kData;
  } else if (line.empty()) {
    state_ = State::kDone;
  } else {
    // Trailers are read, bounded and forgotten: nothing in Kubernetes means anything by them.
    trailer_bytes_ += line.size();
    if (trailer_bytes_ > limits_.fields) fail(431, "the trailer fields are too long");
  }
}

}  // namespace loadline::net
