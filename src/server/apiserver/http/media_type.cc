#include "server/apiserver/http/media_type.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "server/apiserver/http/request_info.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kRepresentations = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kWatchRepresentations =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, "
    "application/vnd.kubernetes.protobuf;stream=watch";

/// One alternative of an Accept header.
struct Clause {
  std::string_view type;
  std::string_view as;
  std::string_view version;
  std::string_view group;
};

Clause read_clause(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ";");
  Clause clause{trim(parts.front()), {}, {}, {}};
  for (std::size_t at = 1; at < parts.size(); ++at) {
    const std::size_t equals = parts[at].find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = trim(parts[at].substr(0, equals));
    const std::string_view value = trim(parts[at].substr(equals + 1));
    if (name == "as") clause.as = value;
    if (name == "v") clause.version = value;
    if (name == "g") clause.group = value;
  }
  return clause;
}

bool is_wildcard(std::string_view type) { return type.empty() || type == "*/*" || type == "application/*"; }

std::optional<Transform> transform_of(const Clause& clause) {
  if (clause.as.empty()) return Transform::kNone;
  if (clause.group != "meta.k8s.io" || (clause.version != "v1" && clause.version != "v1beta1")) return std::nullopt;
  if (clause.as == "Table") return Transform::kTable;
  if (clause.as == "PartialObjectMetadata" || clause.as == "PartialObjectMetadataList") {
    return Transform::kPartialMetadata;
  }
  return std::nullopt;
}

bool is_as_json(const Clause& clause) {
  return is_wildcard(clause.type) || clause.type == "application/json" ||
         clause.type == "application/vnd.kubernetes.protobuf";
}

bool is_known_type(const Clause& clause) { return is_as_json(clause) || clause.type == "application/yaml"; }

std::optional<Representation> representation_of(const Clause& clause) {
  const bool is_json = is_as_json(clause);
  if (!is_known_type(clause)) return std::nullopt;
  const std::optional<Transform> transform = transform_of(clause);
  if (!transform) return std::nullopt;
  Representation representation;
  representation.format = is_json ? Format::kJson : Format::kYaml;
  representation.transform = *transform;
  if (clause.version == "v1beta1") representation.version = "v1beta1";
  return representation;
}

}  // namespace

Answer<Representation> negotiate(std::string_view accept, bool wants_pretty, bool is_collection) {
  bool is_any_known = false;
  for (const std::string_view text : split(accept, ",")) {
    const Clause clause = read_clause(trim(text));
    is_any_known = is_any_known || is_known_type(clause);
    std::optional<Representation> representation = representation_of(clause);
    if (!representation) continue;
    if (wants_pretty && representation->format == Format::kJson) {
      representation->format = Format::kIndentedJson;
    }
    return *representation;
  }
  if (is_any_known) return refuse(no_such_form(kRepresentations));
  return refuse(not_acceptable(is_collection ? kWatchRepresentations : kRepresentations));
}

bool wants_pretty(const Query& query, std::string_view user_agent) {
  if (!query.get("pretty").empty()) return query.flag("pretty");
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") || user_agent.starts_with("Mozilla/5.0");
}

bool accepts(std::string_view accept, std::string_view group, std::string_view version, std::string_view as) {
  for (const std::string_view text : split(accept, ",")) {
    const Clause clause = read_clause(trim(text));
    if (clause.group == group && clause.version == version && clause.as == as) return true;
  }
  return false;
}

std::string media_type(std::string_view content_type) {
  std::string type(trim(content_type.substr(0, content_type.find(';'))));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return type;
}

BodyFormat body_format(std::string_view content_type) {
  const std::string type = media_type(content_type);
  if (type.empty() || type == "application/json") return BodyFormat::kJson;
  if (type == "application/yaml") return BodyFormat::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return BodyFormat::kProtobuf;
  return BodyFormat::kUnknown;
}

}  // namespace loadline::apiserver
