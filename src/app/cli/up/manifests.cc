#include "app/cli/up/manifests.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "app/cli/scheduler_choice.h"
#include "foundation/document/at.h"
#include "objects/kube/codec.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kind/cluster_reader.h"
#include "objects/kube/registry.h"
#include "objects/kube/repetition.h"
#include "objects/kube/retired_fields.h"
#include "objects/kube/retired_kinds.h"

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
  for (const kube::Node& node : decoding.objects.of<kube::Node>()) {
    Value document = kube::encode_object(kube::kNodeSchema, &node);
    nodes.push_back(std::move(document).with("apiVersion", Value("v1")).with("kind", Value("Node")));
  }
  return nodes;
}

/// Sorts what files hold into what it is here. Of objects of one name the last counts, as `kubectl apply` has it.
class Sorter {
 public:
  Sorter(Manifests& manifests, kube::RetiredVersions retired) : manifests_(manifests), retired_(retired) {}

  void add(ManifestObject&& object) {
    const std::string_view version = api_version_of(object.object);
    if (kube::is_kind_cluster(object.object)) {
      for (Value& node : kind_nodes(object)) add_node({std::move(node), object.file});
    } else if (version == "v1" && kind_of(object.object) == "Node") {
      add_node(std::move(object));
    } else if (version.starts_with("kubescheduler.config.k8s.io/")) {
      configurations_.push_back({std::move(object.object), *object.file});
    } else {
      add_object(std::move(object));
    }
  }

  [[nodiscard]] const std::vector<kube::SourceDocument>& configurations() const { return configurations_; }

 private:
  /// Decoding says what there is to say of a node that comes twice.
  void add_node(ManifestObject&& node) {
    const auto [place, is_new] = nodes_.try_emplace(name_of(node.object), manifests_.nodes.size());
    if (is_new || name_of(node.object).empty()) {
      manifests_.nodes.push_back(std::move(node.object));
    } else {
      manifests_.nodes[place->second] = std::move(node.object);
    }
  }

  void add_object(ManifestObject&& object) {
    const kube::RetiredKind* retired = kube::find_retired_kind(api_version_of(object.object), kind_of(object.object));
    const bool has_successor = retired != nullptr && kube::find_kind(retired->successor, retired->kind) != nullptr;
    if (has_successor && retired_ == kube::RetiredVersions::kAccepted) {
      object.object = kube::as_successor(object.object, *retired);
    }
    if (retired_ == kube::RetiredVersions::kAccepted) {
      object.object = kube::without_retired_fields(std::move(object.object));
    }
    const auto [place, is_new] = objects_.try_emplace(manifest_key(object.object), manifests_.objects.size());
    if (is_new || name_of(object.object).empty()) {
      manifests_.objects.push_back(std::move(object));
      return;
    }
    ManifestObject& earlier = manifests_.objects[place->second];
    report_repetition(earlier, object);
    earlier = std::move(object);
  }

  /// Decoding reports it for the kinds that it knows.
  void report_repetition(const ManifestObject& earlier, const ManifestObject& later) {
    if (kube::find_kind(api_version_of(later.object), kind_of(later.object)) != nullptr) return;
    Diagnostic problem = kube::repetition(read_object(earlier), read_object(later));
    problem.subject = later.diagnostic("").subject;
    manifests_.diagnostics.push_back(std::move(problem));
  }

  static kube::ReadObject read_object(const ManifestObject& object) {
    const document::Mark mark = object.object.mark();
    return {object.object, {object.file, mark.line, mark.column}};
  }

  static std::string name_of(const Value& object) {
    return std::string(document::text_at(object, {"metadata", "name"}));
  }

  Manifests& manifests_;
  kube::RetiredVersions retired_;
  std::vector<kube::SourceDocument> configurations_;
  std::map<std::string, std::size_t, std::less<>> nodes_;    // their places, by name
  std::map<std::string, std::size_t, std::less<>> objects_;  // likewise, by manifest_key
};

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

std::string manifest_key(const Value& object) {
  const std::string_view version = api_version_of(object);
  const std::size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
  return fmt::format("{}/{}/{}/{}", group, kind_of(object), name_space.empty() ? "default" : name_space,
                     document::text_at(object, {"metadata", "name"}));
}

Manifests sorted_manifests(std::vector<kube::SourceDocument> documents, kube::RetiredVersions retired) {
  Manifests manifests;
  Sorter sorter(manifests, retired);
  std::shared_ptr<const std::string> file;
  for (kube::SourceDocument& document : documents) {
    if (file == nullptr || *file != document.file) file = std::make_shared<const std::string>(document.file);
    for (ManifestObject& object : flatten({std::move(document.value)}, file)) sorter.add(std::move(object));
  }
  // Those in ConfigMaps the cluster itself finds when they are there.
  kube::Decoding configured = kube::decode(sorter.configurations());
  if (configured.objects.of<kube::SchedulerConfiguration>().empty()) return manifests;
  Result<kube::SchedulerConfiguration> scheduler =
      combined_configuration(std::move(configured.objects.of<kube::SchedulerConfiguration>()));
  if (scheduler) {
    manifests.scheduler = *std::move(scheduler);
  } else {
    Diagnostic diagnostic;
    diagnostic.message = scheduler.error().message;
    manifests.diagnostics.push_back(std::move(diagnostic));
  }
  return manifests;
}

Manifests read_manifests(const std::vector<std::string>& paths, const InputReading& reading,
                         std::istream& standard_input) {
  InputFiles files = read_input_files(paths, standard_input, reading);
  Diagnostics diagnostics = std::move(files.problems);
  append(diagnostics, decode_input(files.documents, reading).diagnostics);
  Manifests manifests = sorted_manifests(std::move(files.documents), reading.rules.retired);
  append(diagnostics, std::move(manifests.diagnostics));
  manifests.diagnostics = std::move(diagnostics);
  return manifests;
}

}  // namespace loadline::cli
