#pragma once

#include <map>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::operators {

/// What the author of a PodCliqueSet wrote of its cliques, and the digests by which pods of other templates are told.
/// Grove's digests are of what Go prints of a template; these are of its text, and as good for telling.
class SetTemplates {
 public:
  /// REQUIRES: the set outlives this.
  explicit SetTemplates(const watching::Observed<kube::PodCliqueSet>& set) : set_(set) {}

  /// The clique's template: name, labels, annotations, spec; null if the set has none of that name.
  [[nodiscard]] const document::Value* written(std::string_view clique) const;
  /// Of the clique's pods; empty if there is none.
  [[nodiscard]] const std::string& hash_of(std::string_view clique) const;
  /// Of all its templates.
  [[nodiscard]] std::string hash() const;

 private:
  [[nodiscard]] document::Value pods_of(const document::Value& clique) const;

  const watching::Observed<kube::PodCliqueSet>& set_;
  mutable std::map<std::string, std::string, std::less<>> hashes_;  // of what was asked for
};

}  // namespace loadline::operators
