#include "hosts/recording/continuity.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/watching/informers.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/observe.h"

namespace loadline::recording {

using document::Value;

namespace {

/// What of a pod's spec stays as it was created. Source: ValidatePodUpdate, v1.36.
constexpr std::array<std::string_view, 10> kFixed = {
    "schedulerName", "priority",         "priorityClassName", "runtimeClassName", "overhead",
    "volumes",       "preemptionPolicy", "schedulingGroup",   "resourceClaims",   "topologySpreadConstraints"};
/// As long as a gate holds the pod, these may be narrowed.
constexpr std::array<std::string_view, 2> kFixedWithoutGates = {"nodeSelector", "affinity"};

bool is_same(const Value& before, const Value& now, std::string_view member) {
  const Value* was = before.find(member);
  const Value* is = now.find(member);
  return was == nullptr || is == nullptr ? was == is : *was == *is;
}

std::size_t count_at(const Value& spec, std::string_view list) {
  const Value* items = spec.find(list);
  return items != nullptr && items->is_array() ? items->array().size() : 0;
}

/// The first member of the spec that cannot have changed so; empty: there is none.
std::string_view changed_member(const Value& before, const Value& now) {
  for (const std::string_view member : kFixed) {
    if (!is_same(before, now, member)) return member;
  }
  const std::size_t gates = count_at(before, "schedulingGates");
  if (count_at(now, "schedulingGates") > gates) return "schedulingGates";
  for (const std::string_view member : kFixedWithoutGates) {
    if (gates == 0 && !is_same(before, now, member)) return member;
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (count_at(before, list) != count_at(now, list)) return list;
  }
  return {};
}

Fault contradiction(std::string path, const std::string& what) {
  return {std::move(path), "the recording contradicts itself: " + what, ""};
}

std::string subject_of(const std::string& resource, const watching::ObjectKey& key) {
  return fmt::format("{} {}", resource, key.to_string());
}

}  // namespace

Continuity::Continuity() {
  for (const kube::KindInfo& info : kube::known_kinds()) {
    const kube::ResourceReference resource = watching::kind_name_of(info).reference();
    scopes_.emplace(watching::Informers::name_of(resource), info.scope);
  }
}

std::optional<Fault> Continuity::take(const RecordedLine& line) {
  switch (line.kind) {
    case LineKind::kSection:
      return begin(line);
    case LineKind::kStart:
      return start();
    case LineKind::kPut:
      return put(line);
    case LineKind::kGone:
      return gone(line);
    default:
      return std::nullopt;
  }
}

std::optional<Fault> Continuity::begin(const RecordedLine& line) {
  if (line.ordinal != sections_ + 1) {
    return contradiction("section", fmt::format("this is section {}, and {} stand before it", line.ordinal, sections_));
  }
  ++sections_;
  has_started_ = false;
  resources_.clear();
  return std::nullopt;
}

std::optional<Fault> Continuity::start() {
  if (std::exchange(has_started_, true)) return contradiction("start", "this scheduler has started before");
  return std::nullopt;
}

std::optional<Fault> Continuity::put(const RecordedLine& line) {
  const Value& object = line.object;
  const watching::ObjectKey key = watching::key_of(object);
  if (std::optional<Fault> fault = check_scope(line.subject, key)) return fault;
  Known now{std::string(document::text_at(object, {"metadata", "uid"})), watching::revision_of(object),
            document::find_at(object, {"metadata", "deletionTimestamp"}) != nullptr};
  if (now.uid.empty()) return contradiction("object.metadata.uid", "an API server gives each object a uid");
  if (now.revision == 0) {
    return contradiction("object.metadata.resourceVersion", "an API server gives each version of an object a number");
  }
  if (line.subject == "pods") {
    now.node = document::text_at(object, {"spec", "nodeName"});
    now.pod_spec = document::value_at(object, {"spec"});
  }
  const auto [place, is_new] = resources_[line.subject].try_emplace(key);
  Known& before = place->second;
  if (is_new) {
    before = std::move(now);
    return std::nullopt;
  }
  const std::string name = subject_of(line.subject, key);
  if (before.uid != now.uid) {
    return contradiction("object.metadata.uid", fmt::format("{} has the uid {}, and has not gone", name, before.uid));
  }
  if (now.revision <= before.revision) {
    return contradiction("object.metadata.resourceVersion",
                         fmt::format("{} was at {} already, and this is {}", name, before.revision, now.revision));
  }
  if (before.is_being_deleted && !now.is_being_deleted) {
    return contradiction("object.metadata", fmt::format("the deletion of {} was taken back", name));
  }
  if (!before.node.empty() && before.node != now.node) {
    return contradiction("object.spec.nodeName",
                         fmt::format("{} is on the node {}, where a pod stays", name, before.node));
  }
  if (line.subject == "pods") {
    if (const std::string_view member = changed_member(before.pod_spec, now.pod_spec); !member.empty()) {
      return contradiction(fmt::format("object.spec.{}", member),
                           fmt::format("{} was another one, and no update changes that of a pod", name));
    }
  }
  before = std::move(now);
  return std::nullopt;
}

std::optional<Fault> Continuity::check_scope(const std::string& resource, const watching::ObjectKey& key) const {
  const auto scope = scopes_.find(resource);
  if (scope == scopes_.end()) return std::nullopt;
  const bool is_namespaced = scope->second == kube::Scope::kNamespaced;
  if (is_namespaced != key.name_space.empty()) return std::nullopt;
  return contradiction("object.metadata.namespace",
                       fmt::format("{} {}", subject_of(resource, key),
                                   is_namespaced ? "has no namespace" : "is of a kind without namespaces"));
}

std::optional<Fault> Continuity::gone(const RecordedLine& line) {
  const watching::ObjectKey key{std::string(document::text_at(line.value, {"namespace"})),
                                std::string(document::text_at(line.value, {"name"}))};
  if (resources_[line.subject].erase(key) > 0) return std::nullopt;
  return contradiction("gone", fmt::format("{} is not there", subject_of(line.subject, key)));
}

}  // namespace loadline::recording
