#include "app/cli/live/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::cli {
namespace {

using document::Value;

std::string path_of(std::string_view api_version) {
  const bool is_core = api_version.find('/') == std::string_view::npos;
  return fmt::format("/{}/{}", is_core ? "api" : "apis", api_version);
}

bool has_verb(const Value& resource, std::string_view verb) {
  return std::ranges::any_of(document::items_at(resource, {"verbs"}),
                             [&](const Value& each) { return each.is_string() && each.string() == verb; });
}

}  // namespace

std::string ServedResource::path() const { return fmt::format("{}/{}", path_of(api_version), plural); }

ApiResult<void> Discovery::begin() {
  const ApiResult<Value> groups = api_.get("/apis");
  if (!groups) return tl::unexpected(groups.error());
  is_known_ = true;
  versions_ = {"v1"};
  for (const Value& group : document::items_at(*groups, {"groups"})) {
    const std::string preferred(document::text_at(group, {"preferredVersion", "groupVersion"}));
    if (!preferred.empty()) versions_.push_back(preferred);
    for (const Value& version : document::items_at(group, {"versions"})) {
      const std::string_view name = document::text_at(version, {"groupVersion"});
      if (!name.empty() && name != preferred) versions_.emplace_back(name);
    }
  }
  return {};
}

const Discovery::Resources& Discovery::resources(std::string_view api_version) {
  const auto found = resources_.find(api_version);
  if (found != resources_.end()) return found->second;
  return resources_.emplace(api_version, ask(api_version)).first->second;
}

Discovery::Resources Discovery::ask(std::string_view api_version) {
  if (!is_known_) return std::nullopt;
  if (std::ranges::find(versions_, api_version) == versions_.end()) return std::vector<ServedResource>();
  const ApiResult<Value> found = api_.get(path_of(api_version));
  if (!found && found.error().status == ApiProblem::kNotFound) return std::vector<ServedResource>();
  if (!found) return std::nullopt;
  std::vector<ServedResource> resources;
  for (const Value& each : document::items_at(*found, {"resources"})) {
    std::string plural(document::text_at(each, {"name"}));
    if (plural.find('/') != std::string::npos || !has_verb(each, "list")) continue;
    resources.push_back({std::string(api_version), std::string(document::text_at(each, {"kind"})), std::move(plural),
                         has_verb(each, "create")});
  }
  return resources;
}

}  // namespace loadline::cli
