#include "app/cli/live/api.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr std::size_t kPage = 2000;  // of objects: some megabytes
constexpr int kGone = 410;

Value read_answer(const std::string& text, std::string_view path) {
  document::Reading reading = document::read_json(text, std::string(path), document::EqualKeys::kRefused);
  return reading.documents.size() == 1 ? std::move(reading.documents.front()) : Value();
}

/// What a refusal says: the message of its Status, else its first line.
std::string refusal_text(const std::string& body, long status) {
  const Value answer = body.starts_with('{') ? read_answer(body, "") : Value();
  const std::string_view message = document::text_at(answer, {"message"});
  if (!message.empty()) return std::string(message);
  const std::string line = body.substr(0, body.find('\n'));
  return line.empty() ? fmt::format("status {}", status) : line;
}

/// What is a query's value, whatever it holds.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : text) result += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  return result;
}

}  // namespace

Result<ClusterApi> ClusterApi::open(const AccessArguments& arguments, Duration timeout) {
  Result<Access> access = read_access(arguments);
  if (!access) return tl::unexpected(access.error());
  access->tls.timeout = timeout;
  Result<net::HttpClient> client = net::HttpClient::make(access->tls);
  if (!client) return tl::unexpected(client.error());
  return ClusterApi(*std::move(access), *std::move(client));
}

ApiResult<std::string> ClusterApi::send(net::HttpCall call) {
  for (const net::Header& header : access_.headers) call.headers.add(header.name, header.value);
  call.headers.add("Accept", "application/json");
  call.headers.add("User-Agent", "loadline");
  call.url = access_.server + call.url;
  Result<net::HttpAnswer> answer = client_.send(call);
  if (!answer) {
    return tl::unexpected(ApiProblem{0, fmt::format("cannot reach the cluster of context \"{}\" at {}: {}",
                                                    access_.context, access_.server, answer.error().message)});
  }
  if (answer->status >= 200 && answer->status < 300) return std::move(answer->body);
  const auto status = static_cast<int>(answer->status);
  return tl::unexpected(ApiProblem{status, refusal_text(answer->body, answer->status)});
}

ApiResult<Value> ClusterApi::parsed(ApiResult<std::string> answer, std::string_view path) const {
  if (!answer) return tl::unexpected(answer.error());
  Value value = read_answer(*answer, path);
  if (!value.is_object()) {
    return tl::unexpected(
        ApiProblem{0, fmt::format("{}{} answers with something that is no JSON object", access_.server, path)});
  }
  return value;
}

ApiResult<std::string> ClusterApi::text(std::string_view path) { return send({.url = std::string(path)}); }

ApiResult<Value> ClusterApi::get(std::string_view path) { return parsed(text(path), path); }

ApiResult<Value> ClusterApi::post(std::string_view path, std::string_view json) {
  return parsed(send({.method = "POST",
                      .url = std::string(path),
                      .headers = {{"Content-Type", "application/json"}},
                      .body = json}),
                path);
}

ApiResult<std::vector<Value>> ClusterApi::list(std::string_view path) {
  ApiResult<std::vector<Value>> items = list_once(path, kPage);
  // The history does not reach back to where the list began: all at once, then.
  if (!items && items.error().status == kGone) return list_once(path, 0);
  return items;
}

ApiResult<std::vector<Value>> ClusterApi::list_once(std::string_view path, std::size_t limit) {
  std::vector<Value> items;
  std::string next;
  do {
    std::string url(path);
    if (limit > 0) url += fmt::format("{}limit={}", path.find('?') == std::string_view::npos ? "?" : "&", limit);
    if (!next.empty()) url += "&continue=" + escaped(next);
    ApiResult<Value> page = get(url);
    if (!page) return tl::unexpected(page.error());
    const std::string version(document::text_at(*page, {"apiVersion"}));
    std::string kind(document::text_at(*page, {"kind"}));
    if (kind.ends_with("List")) kind.resize(kind.size() - std::string_view("List").size());
    const Value* found = page->find("items");
    if (found != nullptr && found->is_array()) {
      for (const Value& item : found->array()) {
        if (!item.is_object()) continue;
        // A list says once what its items are; as objects of their own they say it themselves, and first.
        document::Object object{{"apiVersion", Value(version), {}}, {"kind", Value(kind), {}}};
        for (const document::Member& member : item.object()) {
          if (member.key != "apiVersion" && member.key != "kind") object.push_back(member);
        }
        items.emplace_back(std::move(object), item.mark());
      }
    }
    next = document::text_at(*page, {"metadata", "continue"});
  } while (!next.empty() && limit > 0);
  return items;
}

}  // namespace loadline::cli
