#include "server/apiserver/http/responder.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/text.h"
#include "foundation/document/writer.h"
#include "server/apiserver/http/headers.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/http/request_info.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostWarningBytes = 4096;  // of all of them; upstream shortens beyond that, too

/// A quoted string of HTTP: backslashes and quotes escaped, line breaks made spaces.
std::string http_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return out + '"';
}

/// How a failure is shown: in the first form that the client accepts and that can hold a Status. Where there is none
/// (only a Table would do, say), it is for people to read.
Format failure_format(const net::Request& request) {
  const std::size_t query = request.target.find('?');
  const bool is_pretty =
      wants_pretty(Query::parse(query == std::string::npos ? std::string_view()
                                                           : std::string_view(request.target).substr(query + 1)),
                   header(request, "User-Agent"));
  for (const std::string_view one : split(header(request, "Accept"), ",")) {
    const Answer<Representation> form = negotiate(one, is_pretty, false);
    if (form && form->transform == Transform::kNone) return form->format;
  }
  return Format::kIndentedJson;
}

std::string status_text(const Value& status, Format format) {
  if (format == Format::kYaml) return document::write_yaml(status);
  return format == Format::kIndentedJson ? indented_json(status) : document::write_json(status) + '\n';
}

}  // namespace

net::Headers answer_headers(const std::vector<std::string>& warnings) {
  net::Headers headers{{"Cache-Control", "no-cache, private"}};
  std::size_t bytes = 0;
  for (auto warning = warnings.begin(); warning != warnings.end(); ++warning) {
    if (std::find(warnings.begin(), warning, *warning) != warning) continue;
    bytes += warning->size();
    if (bytes > kMostWarningBytes) break;
    headers.add("Warning", fmt::format("299 - {}", http_quoted(*warning)));
  }
  return headers;
}

void respond_failure(net::Exchange& exchange, const StatusError& failure, const std::vector<std::string>& warnings) {
  net::Headers headers = answer_headers(warnings);
  const Format format = failure_format(exchange.request());
  headers.add("Content-Type", format == Format::kYaml ? "application/yaml" : "application/json");
  if (failure.retry_after_seconds > 0) headers.add("Retry-After", std::to_string(failure.retry_after_seconds));
  exchange.respond({failure.code, std::move(headers), status_text(failure.document(), format)});
}

void respond_text(net::Exchange& exchange, int status, std::string text, std::string_view content_type) {
  net::Headers headers = answer_headers({});
  headers.add("Content-Type", std::string(content_type));
  headers.add("X-Content-Type-Options", "nosniff");
  exchange.respond({status, std::move(headers), std::move(text)});
}

}  // namespace loadline::apiserver
