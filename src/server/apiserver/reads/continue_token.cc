#include "server/apiserver/reads/continue_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "foundation/base/base64.h"
#include "foundation/document/at.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::size_t kMaxDepth = 4;

StatusError invalid_token(std::string_view why) {
  return bad_request(fmt::format("invalid continue token: continue key is not valid: {}", why));
}

std::string from_url_alphabet(std::string_view text) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  return standard;
}

std::string as_ascii(std::string text) {
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) > 0x7f) byte = '?';
  }
  return text;
}

}  // namespace

std::string ContinueToken::encode() const {
  std::string start = "/";
  if (!after_name_space.empty()) start += after_name_space + "/";
  start += after_name + '\0';
  const Value token(Object{{"v", Value("meta.k8s.io/v1"), {}},
                           {"rv", Value(std::int64_t{revision}), {}},
                           {"start", Value(std::move(start)), {}}});
  return encode_base64url(document::write_json(token));
}

Answer<ContinueToken> decode_continue_token(std::string_view text) {
  const std::string standard = from_url_alphabet(text);
  const std::optional<std::string> json = decode_base64(standard);
  if (!json) {
    return refuse(invalid_token(fmt::format("illegal base64 data at input byte {}", base64_fault(standard))));
  }
  // What base64 hides need not be text at all; Go's decoder complains of the grammar before the encoding.
  if (const auto fault = document::find_json_fault(as_ascii(*json), kMaxDepth)) {
    return refuse(invalid_token(fault->message));
  }
  const document::Reading reading = document::read_json(*json, {});
  if (reading.documents.empty()) return refuse(invalid_token("unexpected end of JSON input"));
  const Value& token = reading.documents.front();
  if (document::text_at(token, {"v"}) != "meta.k8s.io/v1") {
    return refuse(invalid_token("server does not recognize this encoded version"));
  }
  const Value* revision = token.find("rv");
  std::string start(document::text_at(token, {"start"}));
  if (revision == nullptr || !revision->is_integer() || !start.starts_with('/')) {
    return refuse(invalid_token("incorrect encoded start resourceVersion or key (version meta.k8s.io/v1)"));
  }
  if (start.ends_with('\0')) start.pop_back();
  ContinueToken decoded;
  decoded.revision = revision->integer();
  const std::size_t slash = start.rfind('/');
  decoded.after_name = start.substr(slash + 1);
  if (slash > 0) decoded.after_name_space = start.substr(1, slash - 1);
  return decoded;
}

}  // namespace loadline::apiserver
