#include "foundation/document/crc32.h"

#include <zlib.h>

#include <limits>

#include "foundation/base/contract.h"

namespace loadline::document {

std::uint32_t crc32(std::string_view bytes, std::uint32_t sum) {
  REQUIRES(bytes.size() <= std::numeric_limits<uInt>::max());
  if (bytes.empty()) return sum;
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32(sum, data, static_cast<uInt>(bytes.size())));
}

}  // namespace loadline::document
