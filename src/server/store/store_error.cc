#include "server/store/store_error.h"

#include <fmt/format.h>

namespace loadline::store {

StoreError compacted_error(Revision requested, Revision oldest) {
  return {.code = StoreError::Code::kCompacted,
          .message = fmt::format("too old resource version: {} ({})", requested, oldest),
          .current = nullptr,
          .requested = requested,
          .oldest = oldest};
}

StoreError future_error(Revision requested, Revision latest) {
  return {.code = StoreError::Code::kFuture,
          .message = fmt::format("Too large resource version: {}, current: {}", requested, latest),
          .current = nullptr,
          .requested = requested,
          .oldest = latest};
}

}  // namespace loadline::store
