#include "cli/up/manifests.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "cli/scheduler_choice.h"
#include "document/at.h"
#include "document/reader.h"
#include "document/source.h"
#include "kube/codec.h"
#include "kube/core/node_schema.h"
#include "kube/encoder.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr int kDeepestList = 8;

void append(Diagnostics& to, Diagnostics from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::string_view kind_of(const Value& object) { return document::text_at(object, {"kind"}); }
std::string_view api_version_of(const Value& object) { return document::text_at(object, {"apiVersion"}); }

/// Adds the object, or, of a list, its items. Those of a PodList need not say that they are Pods.
void flatten_into(const Value& value, const std::shared_ptr<const std::string>& file, int depth,
                  std::vector<ManifestObject>& objects) {
  if (!value.is_object() || depth > kDeepestList) return;
  const std::string_view kind = kind_of(value);
  const Value* items = value.find("items");
  if (items == nullptr || !kind.ends_with("List")) {
    if (!kind.empty()) objects.push_back({value, file});
    return;
  }
  if (!items->is_array()) return;
  const std::string_view element = kind.substr(0, kind.size() - std::string_view("List").size());
  for (const Value& item : items->array()) {
    const bool says_nothing = item.is_object() && kind_of(item).empty() && api_version_of(item).empty();
    if (!says_nothing || element.empty()) {
      flatten_into(item, file, depth + 1, objects);
      continue;
    }
    const Value named = item.with("apiVersion", Value(api_version_of(value))).with("kind", Value(element));
    flatten_into(named, file, depth + 1, objects);
  }
}

/// The nodes that kind would make, as documents.
std::vector<Value> kind_nodes(const ManifestObject& cluster) {
  const kube::Decoding decoding = kube::decode({{cluster.object, *cluster.file}});
  std::vector<Value> nodes;
  for (const kube::Node& node : decoding.objects.nodes) {
    Value document = kube::encode_object(kube::kNodeSchema, &node);
    nodes.push_back(std::move(document).with("apiVersion", Value("v1")).with("kind", Value("Node")));
  }
  return nodes;
}

/// What the configuration of a scheduler or a cluster is, is no object of the API.
void sort_into(Manifests& manifests, std::vector<kube::SourceDocument>& configurations, ManifestObject&& object) {
  const std::string_view version = api_version_of(object.object);
  if (version.starts_with("kind.x-k8s.io/")) {
    std::vector<Value> nodes = kind_nodes(object);
    std::ranges::move(nodes, std::back_inserter(manifests.nodes));
  } else if (version == "v1" && kind_of(object.object) == "Node") {
    manifests.nodes.push_back(std::move(object.object));
  } else if (version.starts_with("kubescheduler.config.k8s.io/")) {
    configurations.push_back({std::move(object.object), *object.file});
  } else {
    manifests.objects.push_back(std::move(object));
  }
}

}  // namespace

Diagnostic ManifestObject::diagnostic(std::string what) const {
  const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
  Diagnostic diagnostic;
  diagnostic.at = {file, object.mark().line, object.mark().column};
  diagnostic.subject = fmt::format("{} {}{}{}", kind_of(object), name_space, name_space.empty() ? "" : "/",
                                   document::text_at(object, {"metadata", "name"}));
  diagnostic.message = std::move(what);
  return diagnostic;
}

std::vector<ManifestObject> flatten(const std::vector<Value>& documents,
                                    const std::shared_ptr<const std::string>& file) {
  std::vector<ManifestObject> objects;
  for (const Value& document : documents) flatten_into(document, file, 0, objects);
  return objects;
}

Manifests read_manifests(const std::vector<std::string>& paths, std::istream& standard_input) {
  Manifests manifests;
  document::Sources loading = document::load_sources(paths, standard_input);
  append(manifests.diagnostics, std::move(loading.problems));
  std::vector<kube::SourceDocument> documents;
  std::vector<kube::SourceDocument> configurations;
  for (const document::Source& source : loading.sources) {
    document::Reading reading = document::read(source.text, source.name);
    append(manifests.diagnostics, std::move(reading.problems));
    const auto file = std::make_shared<const std::string>(source.name);
    for (ManifestObject& object : flatten(reading.documents, file))
      sort_into(manifests, configurations, std::move(object));
    for (Value& value : reading.documents) documents.push_back({std::move(value), source.name});
  }
  append(manifests.diagnostics, kube::decode(documents).diagnostics);
  // Those in ConfigMaps the cluster itself finds when they are there.
  kube::Decoding configured = kube::decode(configurations);
  if (configured.objects.scheduler_configurations.empty()) return manifests;
  Result<kube::SchedulerConfiguration> scheduler =
      combined_configuration(std::move(configured.objects.scheduler_configurations));
  if (scheduler) {
    manifests.scheduler = *std::move(scheduler);
  } else {
    Diagnostic diagnostic;
    diagnostic.message = scheduler.error().message;
    manifests.diagnostics.push_back(std::move(diagnostic));
  }
  return manifests;
}

}  // namespace loadline::cli
