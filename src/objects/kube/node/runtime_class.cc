#include "objects/kube/node/runtime_class.h"

#include <algorithm>

namespace loadline::kube {

std::string handler_for(std::string_view name) {
  constexpr std::size_t kLongestLabel = 63;
  std::string handler(name.substr(0, kLongestLabel));
  std::replace(handler.begin(), handler.end(), '.', '-');
  handler.erase(handler.find_last_not_of('-') + 1);
  return handler;
}

}  // namespace loadline::kube
