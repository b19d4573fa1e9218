#include "brain/workloads/container_document.h"

#include <string>

namespace loadline::workloads {

using document::Object;
using document::Value;

namespace {

Value amounts_document(Amounts amounts) {
  Object result;
  for (const auto& [name, amount] : amounts) result.push_back({std::string(name), Value(amount), {}});
  return Value(std::move(result));
}

}  // namespace

Value container_document(std::string_view name, std::string_view image, Amounts limits, Amounts requests) {
  Object resources{{"limits", amounts_document(limits), {}}, {"requests", amounts_document(requests), {}}};
  return Value(
      Object{{"name", Value(name), {}}, {"image", Value(image), {}}, {"resources", Value(std::move(resources)), {}}});
}

}  // namespace loadline::workloads
