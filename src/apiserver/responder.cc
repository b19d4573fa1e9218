#include "apiserver/responder.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/media_type.h"
#include "document/writer.h"

namespace loadline::apiserver {
namespace {

constexpr std::size_t kMostWarningBytes = 4096;  // of all of them; upstream shortens beyond that, too

/// A quoted string of HTTP: backslashes and quotes escaped, line breaks made spaces.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return out + '"';
}

bool wants_yaml(const net::Request& request) {
  const std::string* accept = request.headers.find("Accept");
  const Answer<Representation> form = negotiate(accept == nullptr ? std::string_view() : *accept, false, false);
  return form && form->format == Format::kYaml;
}

std::string json(const Failure& failure) {
  // Who accepts nothing of what there is gets to read it, at least: upstream indents this one.
  const bool is_for_people = failure.code == 406;
  return is_for_people ? indented_json(failure.document()) : document::write_json(failure.document()) + '\n';
}

}  // namespace

net::Headers answer_headers(const std::vector<std::string>& warnings) {
  net::Headers headers{{"Cache-Control", "no-cache, private"}};
  std::size_t bytes = 0;
  for (auto warning = warnings.begin(); warning != warnings.end(); ++warning) {
    if (std::find(warnings.begin(), warning, *warning) != warning) continue;
    bytes += warning->size();
    if (bytes > kMostWarningBytes) break;
    headers.add("Warning", fmt::format("299 - {}", quoted(*warning)));
  }
  return headers;
}

void respond_failure(net::Exchange& exchange, const Failure& failure, const std::vector<std::string>& warnings) {
  net::Headers headers = answer_headers(warnings);
  const bool is_yaml = wants_yaml(exchange.request());
  headers.add("Content-Type", is_yaml ? "application/yaml" : "application/json");
  if (failure.retry_after_seconds > 0) headers.add("Retry-After", std::to_string(failure.retry_after_seconds));
  exchange.respond(
      {failure.code, std::move(headers), is_yaml ? document::write_yaml(failure.document()) : json(failure)});
}

void respond_text(net::Exchange& exchange, int status, std::string text, std::string_view content_type) {
  net::Headers headers = answer_headers({});
  headers.add("Content-Type", std::string(content_type));
  headers.add("X-Content-Type-Options", "nosniff");
  exchange.respond({status, std::move(headers), std::move(text)});
}

}  // namespace loadline::apiserver
