#include "hosts/operators/custom_finalizers.h"

#include <utility>

#include "foundation/document/at.h"

namespace loadline::operators {

using document::Array;
using document::Value;

Value with_finalizer(Value object, std::string_view finalizer) {
  Array finalizers = document::items_at(object, {"metadata", "finalizers"});
  finalizers.emplace_back(finalizer);
  return document::with_at(std::move(object), {"metadata", "finalizers"}, Value(std::move(finalizers)));
}

Value without_finalizer(Value object, std::string_view finalizer) {
  Array finalizers = document::items_at(object, {"metadata", "finalizers"});
  std::erase(finalizers, Value(finalizer));
  return document::with_at(std::move(object), {"metadata", "finalizers"}, Value(std::move(finalizers)));
}

}  // namespace loadline::operators
