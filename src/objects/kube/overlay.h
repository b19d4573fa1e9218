#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/generated_name.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"
#include "objects/kube/registry.h"

namespace loadline::kube {

/// One set of objects applied over another, a kind at a time.
class Overlay {
 public:
  explicit Overlay(Diagnostics& warnings) : warnings_(warnings) {}

  /// Applies the objects of one kind.
  template <class Kind>
  void merge(std::vector<Kind>& objects, std::vector<Kind>& added, const KindInfo& info) {
    const std::string_view kind = info.kind;
    const std::size_t before = objects.size();
    std::map<std::pair<std::string, std::string>, std::size_t> index;
    for (std::size_t i = 0; i < before; ++i) index.emplace(key(objects[i].metadata), i);
    for (Kind& object : added) {
      if (object.metadata.name_was_generated) {  // each one is new
        object.metadata.name = generate_name(object.metadata, kind, [&](const std::string& name) {
          return index.contains({object.metadata.namespace_, name});
        });
      }
      const auto [found, fresh] = index.try_emplace(key(object.metadata), objects.size());
      if (fresh) {
        objects.push_back(std::move(object));
        added_.insert({{info.number, found->second}, true});
        continue;
      }
      const bool again = !added_.insert({{info.number, found->second}, true}).second;
      if (again) warn(object.metadata, kind);
      if (info.keeps_its_state && !again) continue;
      replace(objects[found->second], std::move(object));
    }
  }

 private:
  static std::pair<std::string, std::string> key(const ObjectMeta& metadata) {
    return {metadata.namespace_, metadata.name};
  }

  template <class Kind>
  static void replace(Kind& old, Kind object) {
    object.metadata.uid = std::move(old.metadata.uid);
    object.metadata.creation_timestamp = old.metadata.creation_timestamp;
    old = std::move(object);
  }

  void warn(const ObjectMeta& metadata, std::string_view kind);

  Diagnostics& warnings_;
  std::map<std::pair<std::size_t, std::size_t>, bool> added_;  // by the number of the kind and the place
};

/// Adds `added` to `objects` as `kubectl apply` would: an object whose kind, namespace and name are there already takes
/// the old one's place, and keeps what only the cluster knows (uid, time of creation). Pods, claims and volumes that
/// are there stay as they are, for applying their manifest again moves nothing. Returns a warning for each object that
/// its own side defines twice; there too the later one counts. O(objects × log objects).
Diagnostics apply_over(Objects& objects, Objects added);

}  // namespace loadline::kube
