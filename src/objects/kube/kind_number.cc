#include "objects/kube/kind_number.h"

#include <atomic>

namespace loadline::kube {

std::size_t next_kind_number() {
  static std::atomic<std::size_t> next = 0;
  return next.fetch_add(1);
}

}  // namespace loadline::kube
