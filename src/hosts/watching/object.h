#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "foundation/document/value.h"
#include "objects/kube/meta.h"

namespace loadline::watching {

/// Which object of a kind: `default/web`, or `node-1` where the kind has no namespaces.
struct ObjectKey {
  std::string name_space;
  std::string name;

  /// "default/web", "node-1".
  [[nodiscard]] std::string to_string() const { return name_space.empty() ? name : name_space + '/' + name; }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// One version of an object as the API server told it: the document and the typed view.
template <class Kind>
struct Observed {
  document::Value document;
  Kind view;                   ///< what decisions read
  std::uint64_t revision = 0;  ///< metadata.resourceVersion

  [[nodiscard]] const kube::ObjectMeta& metadata() const { return view.metadata; }
  [[nodiscard]] ObjectKey key() const { return {view.metadata.namespace_, view.metadata.name}; }
  [[nodiscard]] bool is_being_deleted() const { return view.metadata.deletion_timestamp.has_value(); }
};

template <class Kind>
using ObjectPtr = std::shared_ptr<const Observed<Kind>>;

/// An object's way from one version to the next: no `before`, it is new; no `after`, it is gone.
template <class Kind>
struct Change {
  ObjectPtr<Kind> before;
  ObjectPtr<Kind> after;

  /// The version that there is, or was last.
  [[nodiscard]] const Observed<Kind>& last() const { return after != nullptr ? *after : *before; }
};

}  // namespace loadline::watching
