#include <algorithm>
#include <array>

#include "apiserver/subresources/handlers.h"
#include "apiserver/subresources/subresource.h"

namespace loadline::apiserver {
namespace {

constexpr std::array kHandlers = {
    SubresourceHandler{"pods", "binding", bind_pod},
    SubresourceHandler{"bindings", "", bind_pod},
    SubresourceHandler{"namespaces", "finalize", finalize_namespace},
    SubresourceHandler{"", "scale", scale},
};

}  // namespace

const SubresourceHandler* find_subresource_handler(const api::Resource& resource, std::string_view name) {
  const std::string of = resource.group_resource();
  const auto found = std::find_if(kHandlers.begin(), kHandlers.end(), [&](const SubresourceHandler& handler) {
    return handler.name == name && (handler.group_resource == of || (handler.group_resource.empty() && !name.empty()));
  });
  return found == kHandlers.end() ? nullptr : &*found;
}

}  // namespace loadline::apiserver
