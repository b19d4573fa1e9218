#include "objects/schema/catalog.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>

#include "objects/schema/published.h"

namespace loadline::schema {
namespace {

/// "v2beta1": stage 1 (GA is 2, alpha 0), major 2, minor 1.
using VersionParts = std::tuple<int, std::uint64_t, std::uint64_t>;

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<VersionParts> parse_version(std::string_view text) {
  if (text.size() < 2 || text.front() != 'v') return std::nullopt;
  text.remove_prefix(1);
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  if (text.empty()) return VersionParts(2, *major, 0);
  const bool is_beta = text.starts_with("beta");
  const std::string_view stage = is_beta ? "beta" : "alpha";
  if (!text.starts_with(stage)) return std::nullopt;
  text.remove_prefix(stage.size());
  if (text.empty()) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor || !text.empty()) return std::nullopt;
  return VersionParts(is_beta ? 1 : 0, *major, *minor);
}

/// The order in which a catalog keeps its resources.
bool comes_before(const Resource& a, const Resource& b) {
  if (const int order = a.kind.group.compare(b.kind.group); order != 0) return order < 0;
  if (const int order = a.plural.compare(b.plural); order != 0) return order < 0;
  return is_preferred(a.kind.version, b.kind.version);
}

bool is_of(const Resource& resource, std::string_view group, std::string_view plural) {
  return resource.kind.group == group && resource.plural == plural;
}

using Resources = std::vector<std::shared_ptr<const Resource>>;

/// The first resource that does not come before (group, plural).
Resources::const_iterator lower_bound(const Resources& resources, std::string_view group, std::string_view plural) {
  return std::ranges::partition_point(resources, [&](const std::shared_ptr<const Resource>& resource) {
    const int order = std::string_view(resource->kind.group).compare(group);
    return order != 0 ? order < 0 : resource->plural < plural;
  });
}

}  // namespace

bool is_preferred(std::string_view a, std::string_view b) {
  const auto parts_of_a = parse_version(a);
  const auto parts_of_b = parse_version(b);
  if (parts_of_a && parts_of_b) return *parts_of_a > *parts_of_b;
  if (parts_of_a || parts_of_b) return parts_of_a.has_value();
  return a < b;
}

const Subresource* Resource::find_subresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

bool Resource::allows(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

Catalog Catalog::published() {
  const Published& published = kubernetes();
  Catalog catalog;
  catalog.types_ = published.types;
  catalog.types_by_name_ = published.types_by_name;
  catalog.types_by_kind_ = published.types_by_kind;
  for (const auto& resource : published.resources) {
    std::vector<std::string>& groups = catalog.published_groups_;
    if (groups.empty() || groups.back() != resource->kind.group) groups.push_back(resource->kind.group);
    catalog.add(resource);
  }
  return catalog;
}

void Catalog::add(std::shared_ptr<const Resource> resource) {
  const auto place = std::ranges::lower_bound(resources_, *resource, comes_before,
                                              [](const auto& entry) -> const Resource& { return *entry; });
  if (place != resources_.end() && !comes_before(*resource, **place)) {
    *place = std::move(resource);  // the same group, version and plural
  } else {
    resources_.insert(place, std::move(resource));
  }
  ++generation_;
}

void Catalog::remove(std::string_view group, std::string_view plural) {
  std::erase_if(resources_, [&](const auto& resource) { return is_of(*resource, group, plural); });
  ++generation_;
}

std::shared_ptr<const Resource> Catalog::find(std::string_view group, std::string_view version,
                                              std::string_view plural) const {
  for (auto place = lower_bound(resources_, group, plural); place != resources_.end(); ++place) {
    if (!is_of(**place, group, plural)) break;
    if ((*place)->kind.version == version) return *place;
  }
  return nullptr;
}

std::shared_ptr<const Resource> Catalog::find_kind(const GroupVersionKind& kind) const {
  const auto found = std::ranges::find_if(resources_, [&](const auto& resource) { return resource->kind == kind; });
  return found == resources_.end() ? nullptr : *found;
}

std::shared_ptr<const Resource> Catalog::find_resource(std::string_view group, std::string_view plural) const {
  const auto place = lower_bound(resources_, group, plural);
  return place != resources_.end() && is_of(**place, group, plural) ? *place : nullptr;
}

namespace {

/// Of kinds that are called alike, kubectl takes the one whose group is listed first. Kubernetes' own Workload is an
/// alpha API, which clusters do not serve by default: wherever Kueue is, `kubectl get workloads` lists Kueue's.
void put_kueue_first(std::vector<Catalog::Group>& groups) {
  const auto kubernetes = std::ranges::find(groups, "scheduling.k8s.io", &Catalog::Group::name);
  const auto kueue = std::find_if(kubernetes, groups.end(),
                                  [](const Catalog::Group& group) { return group.name == "kueue.x-k8s.io"; });
  if (kueue != groups.end()) std::rotate(kubernetes, kueue, std::next(kueue));
}

}  // namespace

std::vector<Catalog::Group> Catalog::groups() const {
  std::vector<Group> groups;
  groups.reserve(published_groups_.size());
  for (const std::string& name : published_groups_) groups.push_back({name, {}});
  for (const auto& resource : resources_) {
    const GroupVersionKind& kind = resource->kind;
    auto group = std::ranges::find(groups, kind.group, &Group::name);
    if (group == groups.end()) group = groups.insert(group, {kind.group, {}});
    if (std::ranges::find(group->versions, kind.version) == group->versions.end()) {
      group->versions.push_back(kind.version);
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.versions.empty(); });
  put_kueue_first(groups);
  for (Group& group : groups) std::ranges::sort(group.versions, is_preferred);
  return groups;
}

std::vector<std::shared_ptr<const Resource>> Catalog::resources(std::string_view group,
                                                                std::string_view version) const {
  std::vector<std::shared_ptr<const Resource>> found;
  for (auto place = lower_bound(resources_, group, {}); place != resources_.end(); ++place) {
    if ((*place)->kind.group != group) break;
    if ((*place)->kind.version == version) found.push_back(*place);
  }
  return found;
}

std::vector<std::shared_ptr<const Resource>> Catalog::all() const { return resources_; }

const Type* Catalog::find_type(std::string_view name) const {
  const auto found = types_by_name_.find(name);
  return found == types_by_name_.end() ? nullptr : found->second;
}

const Type* Catalog::find_type(const GroupVersionKind& kind) const {
  // Every group knows these as its own.
  const bool is_everywhere = kind.kind == "DeleteOptions" || kind.kind == "WatchEvent";
  const auto found = types_by_kind_.find((is_everywhere ? "v1" : kind.api_version()) + " " + kind.kind);
  return found == types_by_kind_.end() ? nullptr : find_type(found->second);
}

}  // namespace loadline::schema
