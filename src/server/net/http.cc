#include "server/net/http.h"

#include <algorithm>
#include <array>

#include "foundation/base/text.h"

namespace loadline::net {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

struct Phrase {
  int status;
  std::string_view text;
};

constexpr std::array kPhrases = {
    Phrase{100, "Continue"},
    Phrase{101, "Switching Protocols"},
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{204, "No Content"},
    Phrase{206, "Partial Content"},
    Phrase{301, "Moved Permanently"},
    Phrase{302, "Found"},
    Phrase{304, "Not Modified"},
    Phrase{307, "Temporary Redirect"},
    Phrase{308, "Permanent Redirect"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{410, "Gone"},
    Phrase{411, "Length Required"},
    Phrase{412, "Precondition Failed"},
    Phrase{413, "Request Entity Too Large"},
    Phrase{414, "Request URI Too Long"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{417, "Expectation Failed"},
    Phrase{422, "Unprocessable Entity"},
    Phrase{426, "Upgrade Required"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{500, "Internal Server Error"},
    Phrase{501, "Not Implemented"},
    Phrase{502, "Bad Gateway"},
    Phrase{503, "Service Unavailable"},
    Phrase{504, "Gateway Timeout"},
    Phrase{505, "HTTP Version Not Supported"},
};

}  // namespace

const std::string* Headers::find(std::string_view name) const {
  for (const Header& header : headers_) {
    if (equal_ignoring_case(header.name, name)) return &header.value;
  }
  return nullptr;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Header& header : headers_) {
    if (equal_ignoring_case(header.name, name)) values.push_back(header.value);
  }
  return values;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  for (const Header& header : headers_) {
    if (!equal_ignoring_case(header.name, name)) continue;
    for (const std::string_view part : split(header.value, ",")) {
      if (equal_ignoring_case(trim(part), token)) return true;
    }
  }
  return false;
}

std::string_view reason_phrase(int status) {
  const auto found = std::lower_bound(kPhrases.begin(), kPhrases.end(), status,
                                      [](const Phrase& phrase, int wanted) { return phrase.status < wanted; });
  return found != kPhrases.end() && found->status == status ? found->text : "Unknown";
}

bool is_bodiless(int status) { return status < 200 || status == 204 || status == 304; }

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

Response plain_response(int status, std::string text) {
  return {
      status, {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}}, std::move(text)};
}

}  // namespace loadline::net
