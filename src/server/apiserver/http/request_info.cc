#include "server/apiserver/http/request_info.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "foundation/base/text.h"
#include "server/apiserver/http/percent_encoding.h"

namespace loadline::apiserver {
namespace {

/// A name or a value of a query; a broken one is taken as it is.
std::string decoded_part(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced).value_or(std::string(text));
}

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) parts.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

std::string_view verb_of(std::string_view method, bool has_name) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return has_name ? "get" : "list";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_name ? "delete" : "deletecollection";
  return {};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return out;
}

/// Resource, name and subresource of what follows the version (and the namespace).
void read_object(RequestInfo& info, const std::vector<std::string_view>& parts, std::size_t at) {
  if (at < parts.size()) info.resource = parts[at];
  if (at + 1 < parts.size()) info.name = parts[at + 1];
  if (at + 2 < parts.size()) info.subresource = parts[at + 2];
  for (std::size_t next = at + 3; next < parts.size(); ++next) {
    if (!info.rest.empty()) info.rest += '/';
    info.rest += parts[next];
  }
}

/// "namespaces/NAME/status" and "…/finalize" are about the namespace; everything else below is in it.
bool is_of_the_namespace(std::string_view word) { return word == "status" || word == "finalize"; }

void read_resource(RequestInfo& info, const std::vector<std::string_view>& parts, std::size_t at) {
  const bool is_watch = at < parts.size() && parts[at] == "watch";  // the old form: /api/v1/watch/pods
  if (is_watch) ++at;
  if (at >= parts.size()) return;
  info.is_resource = true;
  if (parts[at] == "namespaces" && at + 1 < parts.size()) {
    info.name_space = parts[at + 1];
    if (at + 2 < parts.size() && !is_of_the_namespace(parts[at + 2])) at += 2;
  }
  read_object(info, parts, at);
  if (is_watch) info.verb = "watch";
}

bool selects_one_name(std::string_view field_selector) {
  return field_selector.starts_with("metadata.name=") && field_selector.find(',') == std::string_view::npos;
}

void refine_verb(RequestInfo& info) {
  if (info.verb != "list" && info.verb != "deletecollection") return;
  if (info.verb == "list" && info.query.flag("watch")) info.verb = "watch";
  // For authorization, a selector that names one object counts as its path.
  const std::string_view selector = info.query.get("fieldSelector");
  if (selects_one_name(selector)) {
    std::string_view name = selector.substr(selector.find('=') + 1);
    if (name.starts_with('=')) name.remove_prefix(1);
    info.name = name;
  }
}

}  // namespace

Query Query::parse(std::string_view text) {
  Query query;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('&', at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    query.values_.emplace_back(decoded_part(name), decoded_part(value));
  }
  return query;
}

Query Query::of(Values values) {
  Query query;
  for (const auto& [name, value] : values) {
    if (!value.empty()) query.values_.emplace_back(name, value);
  }
  return query;
}

std::string_view Query::get(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  return {};
}

bool Query::has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& pair) { return pair.first == name; });
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [key, value] : values_) {
    if (key == name) found.push_back(value);
  }
  return found;
}

bool Query::flag(std::string_view name) const {
  if (!has(name)) return false;
  const std::string value = lower(get(name));
  return value != "false" && value != "0";
}

Result<RequestInfo> read_request_info(std::string_view method, std::string_view target) {
  const std::size_t question = target.find('?');
  std::optional<std::string> path = percent_decoded(target.substr(0, question));
  if (!path || !path->starts_with('/')) return failure("the path of the request is not valid");
  RequestInfo info;
  info.path = std::move(*path);
  while (info.path.size() > 1 && info.path.ends_with('/')) info.path.pop_back();
  if (question != std::string_view::npos) info.query = Query::parse(target.substr(question + 1));
  info.verb = lower(method);

  // No route has an empty segment.
  if (info.path.find("//") != std::string::npos) return info;
  const std::vector<std::string_view> parts = segments(info.path);
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    info.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    info.group = parts[1];
    info.version = parts[2];
    at = 3;
  } else {
    return info;
  }
  const std::string method_verb = info.verb;
  read_resource(info, parts, at);
  if (!info.is_resource) return info;
  if (info.verb != "watch") {
    const std::string_view verb = verb_of(method, !info.name.empty());
    info.verb = verb.empty() ? method_verb : std::string(verb);
  }
  // A name in the path stays; one found in a selector is for authorization only, so the list stays a list.
  if (info.name.empty()) refine_verb(info);
  return info;
}

}  // namespace loadline::apiserver
