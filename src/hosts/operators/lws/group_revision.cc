#include "hosts/operators/lws/group_revision.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "hosts/controllers/ownership.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::RevisionObject;
using document::Array;
using document::Object;
using document::Value;

constexpr std::size_t kMostOfName = 220;

Value replacing(Value part) {
  if (!part.is_object()) part = Value(Object());
  return std::move(part).with("$patch", Value("replace"));
}

}  // namespace

std::string revision_key(const kube::ObjectMeta& metadata) {
  const auto found = metadata.labels.find(kube::kLwsRevision);
  return found == metadata.labels.end() ? std::string() : found->second;
}

GroupRevisions revisions_of(const kube::ObjectMeta& set, const watching::Caches& caches) {
  GroupRevisions found;
  for (const auto& [key, revision] : caches.of<watching::ControllerRevision>().controlled_by(set.uid)) {
    if (key.name_space == set.namespace_) found.push_back(revision.get());
  }
  for (const auto& [name, revision] : caches.of<watching::ControllerRevision>().orphans(set.namespace_)) {
    const auto label = revision->metadata().labels.find(kube::kLwsName);
    if (label != revision->metadata().labels.end() && label->second == set.name) found.push_back(revision.get());
  }
  controllers::sort_revisions(found);
  return found;
}

const RevisionObject* find_revision(const GroupRevisions& revisions, std::string_view key) {
  const RevisionObject* found = nullptr;
  for (const RevisionObject* each : revisions) {
    if (!key.empty() && revision_key(each->metadata()) == key) found = each;
  }
  return found;
}

Value group_revision_data(const Value& set) {
  Value network = document::value_at(set, {"spec", "networkConfig"});
  if (!network.is_object()) network = Value(Object{{"subdomainPolicy", Value("Shared"), {}}});
  Value spec(Object{{"leaderWorkerTemplate", replacing(document::value_at(set, {"spec", "leaderWorkerTemplate"})), {}},
                    {"networkConfig", replacing(std::move(network)), {}}});
  return document::with_sorted_members(Value(Object{{"spec", std::move(spec), {}}}));
}

Value worker_template_of(const RevisionObject& revision) {
  return document::value_at(revision.document, {"data", "spec", "leaderWorkerTemplate", "workerTemplate"});
}

Value new_group_revision(const kube::ObjectMeta& set, const Value& data, const GroupRevisions& revisions,
                         std::string_view key) {
  const std::int64_t number = revisions.empty() ? 1 : controllers::revision_number(*revisions.back()) + 1;
  const std::string hash = controllers::revision_hash(data, std::nullopt);
  Value labels(Object{{std::string(kube::kLwsName), Value(set.name), {}},
                      {std::string(kube::kLwsRevision), Value(key.empty() ? std::string_view(hash) : key), {}}});
  Array owners{controllers::controller_reference(watching::kind_name<kube::LeaderWorkerSet>(), set)};
  Object metadata{{"name", Value(fmt::format("{}-{}-{}", set.name.substr(0, kMostOfName), hash, number)), {}},
                  {"namespace", Value(set.namespace_), {}},
                  {"labels", std::move(labels), {}},
                  {"ownerReferences", Value(std::move(owners)), {}}};
  return Value(Object{{"apiVersion", Value("apps/v1"), {}},
                      {"kind", Value("ControllerRevision"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"data", data, {}},
                      {"revision", Value(number), {}}});
}

}  // namespace loadline::operators
