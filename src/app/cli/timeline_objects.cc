#include "app/cli/timeline_objects.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/cli/up/manifests.h"
#include "foundation/document/at.h"
#include "objects/kube/codec.h"
#include "objects/kube/registry.h"

namespace loadline::cli {
namespace {

using document::Value;

bool keeps_its_state(const Value& object) {
  const kube::KindInfo* kind =
      kube::find_kind(document::text_at(object, {"apiVersion"}), document::text_at(object, {"kind"}));
  return kind != nullptr && kind->keeps_its_state;
}

/// The object with what only the cluster knows of the old one.
Value applied_over(const Value& old, Value object) {
  const Value* known = old.find("metadata");
  for (const char* key : {"uid", "creationTimestamp"}) {
    const Value* value = known == nullptr ? nullptr : known->find(key);
    if (value == nullptr) continue;
    object = std::move(object).with_changed("metadata",
                                            [&](Value metadata) { return std::move(metadata).with(key, *value); });
  }
  const Value* status = old.find("status");
  if (status != nullptr && object.find("status") == nullptr) object = std::move(object).with("status", *status);
  return object;
}

/// Whether the object is what decoding left out, having said why.
bool is_faulty(const Value& object, kube::RetiredVersions retired) {
  return has_errors(kube::decode({{object, ""}}, retired).diagnostics);
}

/// Objects by their names, in the order in which they came.
class Applied {
 public:
  void add(Value object, bool is_of_cluster) {
    const bool is_named = !document::text_at(object, {"metadata", "name"}).empty();
    if (!is_named) {  // each one is new
      objects_.push_back(std::move(object));
      return;
    }
    const auto [place, is_new] = places_.try_emplace(manifest_key(object), objects_.size());
    if (is_new) {
      objects_.push_back(std::move(object));
    } else if (is_of_cluster || !keeps_its_state(object)) {
      Value& old = objects_[place->second];
      old = applied_over(old, std::move(object));
    }
  }

  std::vector<Value> take() { return std::move(objects_); }

 private:
  std::vector<Value> objects_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<Value> timeline_objects(PlanInput& input, kube::RetiredVersions retired, Diagnostics& notes) {
  std::vector<kube::SourceDocument>& documents = input.documents;
  const auto middle = documents.begin() + static_cast<std::ptrdiff_t>(input.cluster_documents);
  std::vector<kube::SourceDocument> added(std::make_move_iterator(middle), std::make_move_iterator(documents.end()));
  documents.erase(middle, documents.end());
  const bool has_faults = has_errors(input.diagnostics);  // and the user wants to go on all the same
  Applied applied;
  for (auto* part : {&documents, &added}) {
    Manifests manifests = sorted_manifests(std::move(*part), retired);
    for (Value& node : manifests.nodes) {
      if (has_faults && is_faulty(node, retired)) continue;
      applied.add(std::move(node), part == &documents);
    }
    for (ManifestObject& object : manifests.objects) {
      if (has_faults && is_faulty(object.object, retired)) continue;
      applied.add(std::move(object.object), part == &documents);
    }
    std::ranges::move(manifests.diagnostics, std::back_inserter(notes));
  }
  documents.clear();
  return applied.take();
}

}  // namespace loadline::cli
