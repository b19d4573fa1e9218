#include "hosts/operators/grove/set_templates.h"

#include <optional>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "hosts/controllers/controller_revision.h"

namespace loadline::operators {

using document::Array;
using document::Object;
using document::Value;

const Value* SetTemplates::written(std::string_view clique) const {
  for (const Value& each : document::items_at(set_.document, {"spec", "template", "cliques"})) {
    if (document::text_at(each, {"name"}) == clique) return &each;
  }
  return nullptr;
}

/// Pods differ if the priority of their gang does.
Value SetTemplates::pods_of(const Value& clique) const {
  Value spec = document::value_at(clique, {"spec", "podSpec"});
  if (spec.is_object()) spec = std::move(spec).with("priorityClassName", Value(set_.view.priority_class_name));
  return document::with_sorted_members(Value(Object{{"labels", document::value_at(clique, {"labels"}), {}},
                                                    {"annotations", document::value_at(clique, {"annotations"}), {}},
                                                    {"spec", std::move(spec), {}}}));
}

const std::string& SetTemplates::hash_of(std::string_view clique) const {
  const auto known = hashes_.find(clique);
  if (known != hashes_.end()) return known->second;
  const Value* const found = written(clique);
  std::string hash = found == nullptr ? std::string() : controllers::revision_hash(pods_of(*found), std::nullopt);
  return hashes_.emplace(clique, std::move(hash)).first->second;
}

std::string SetTemplates::hash() const {
  Array all;
  for (const Value& clique : document::items_at(set_.document, {"spec", "template", "cliques"})) {
    all.push_back(pods_of(clique));
  }
  return controllers::revision_hash(Value(std::move(all)), std::nullopt);
}

}  // namespace loadline::operators
