#include "app/cli/live/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr std::size_t kPage = 500;        // of objects, as kubectl's
constexpr std::size_t kSmallerPages = 8;  // by this, where objects are so large that a page is not read
constexpr int kMostBeginnings = 3;

Value read_answer(const std::string& text, std::string_view path) {
  document::Reading reading = document::read_json(text, std::string(path), document::EqualKeys::kRefused);
  return reading.documents.size() == 1 ? std::move(reading.documents.front()) : Value();
}

/// What a refusal says: the message of its Status, else its first line.
ApiProblem refusal(const std::string& body, int status) {
  const Value answer = body.starts_with('{') ? read_answer(body, "") : Value();
  ApiProblem problem{.status = status,
                     .message = std::string(document::text_at(answer, {"message"})),
                     .next_page = std::string(document::text_at(answer, {"metadata", "continue"}))};
  if (problem.message.empty()) problem.message = body.substr(0, body.find('\n'));
  if (problem.message.empty()) problem.message = fmt::format("status {}", status);
  return problem;
}

/// The objects of a list that are not among those that were `taken`, and notes them there. A list says once what its
/// items are; as objects of their own they say it themselves, and first.
ListPage page_of(const Value& list, std::set<std::string>& taken) {
  ListPage page;
  const std::string version(document::text_at(list, {"apiVersion"}));
  std::string kind(document::text_at(list, {"kind"}));
  if (kind.ends_with("List")) kind.resize(kind.size() - std::string_view("List").size());
  for (const Value& item : document::items_at(list, {"items"})) {
    if (!item.is_object()) continue;
    const std::string_view name_space = document::text_at(item, {"metadata", "namespace"});
    if (!taken.insert(fmt::format("{}/{}", name_space, document::text_at(item, {"metadata", "name"}))).second) continue;
    document::Object object{{"apiVersion", Value(version), {}}, {"kind", Value(kind), {}}};
    for (const document::Member& member : item.object()) {
      if (member.key != "apiVersion" && member.key != "kind") object.push_back(member);
    }
    page.items.emplace_back(std::move(object), item.mark());
  }
  const Value* remaining = document::find_at(list, {"metadata", "remainingItemCount"});
  if (remaining != nullptr && remaining->is_integer() && remaining->integer() > 0) {
    page.remaining = static_cast<std::size_t>(remaining->integer());
  }
  return page;
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
    const std::string& why = answer.error().message;
    return tl::unexpected(ApiProblem{.is_too_large = why == net::HttpClient::kTooLarge,
                                     .message = fmt::format("cannot reach the cluster of context \"{}\" at {}: {}",
                                                            access_.context, access_.server, why)});
  }
  if (answer->status >= 200 && answer->status < 300) return std::move(answer->body);
  return tl::unexpected(refusal(answer->body, static_cast<int>(answer->status)));
}

ApiResult<Value> ClusterApi::parsed(ApiResult<std::string> answer, std::string_view path) const {
  if (!answer) return tl::unexpected(answer.error());
  Value value = read_answer(*answer, path);
  if (!value.is_object()) {
    return tl::unexpected(
        ApiProblem{.message = fmt::format("{}{} answers with something that is no JSON object", access_.server, path)});
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

ApiResult<Value> ClusterApi::page(std::string_view path, std::size_t limit, std::string_view token) {
  std::string url(path);
  if (limit > 0) url += fmt::format("{}limit={}", path.find('?') == std::string_view::npos ? "?" : "&", limit);
  if (!token.empty()) url += "&continue=" + escaped(token);
  return get(url);
}

ApiResult<void> ClusterApi::list(std::string_view path, const std::function<ApiResult<void>(ListPage page)>& take) {
  std::set<std::string> taken;  // a list that begins anew comes upon them once more
  std::string token;
  std::size_t limit = kPage;
  for (int beginnings = 1;;) {
    ApiResult<Value> answer = page(path, limit, token);
    if (answer) {
      if (ApiResult<void> went_on = take(page_of(*answer, taken)); !went_on) return went_on;
      token = document::text_at(*answer, {"metadata", "continue"});
      if (token.empty() || limit == 0) return {};
      continue;
    }
    if (answer.error().is_too_large && limit > 1) {
      limit = std::max<std::size_t>(limit / kSmallerPages, 1);
      continue;
    }
    if (answer.error().status != ApiProblem::kGone) return tl::unexpected(answer.error());
    token = answer.error().next_page;
    if (!token.empty() && limit > 0) continue;
    if (beginnings++ == kMostBeginnings) return tl::unexpected(answer.error());
    if (beginnings == kMostBeginnings) limit = 0;  // all at once, then
  }
}

ApiResult<std::vector<Value>> ClusterApi::list(std::string_view path) {
  std::vector<Value> items;
  const ApiResult<void> listed = list(path, [&](ListPage page) -> ApiResult<void> {
    std::ranges::move(page.items, std::back_inserter(items));
    return {};
  });
  if (!listed) return tl::unexpected(listed.error());
  return items;
}

}  // namespace loadline::cli
