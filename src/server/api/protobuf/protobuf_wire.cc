#include "server/api/protobuf/protobuf_wire.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace loadline::api {
namespace {

constexpr std::string_view kEnd = "unexpected EOF";

}  // namespace

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || !error_.empty()) return std::nullopt;
  const std::optional<std::uint64_t> key = next_varint();
  if (!key) return std::nullopt;
  const std::uint64_t number = *key >> 3;
  const auto wire = static_cast<std::uint8_t>(*key & 7U);
  if (number == 0 || number > std::numeric_limits<std::int32_t>::max()) {
    return fail(fmt::format("proto: illegal tag {} (wire type {})", number, wire));
  }
  WireField field;
  field.number = static_cast<std::uint32_t>(number);
  field.type = static_cast<WireType>(wire);
  std::optional<std::uint64_t> scalar;
  switch (field.type) {
    case WireType::kVarint:
    case WireType::kBytes:
      scalar = next_varint();
      break;
    case WireType::kFixed64:
      scalar = next_fixed(8);
      break;
    case WireType::kFixed32:
      scalar = next_fixed(4);
      break;
    default:
      return fail(wire == 4 ? "proto: wiretype end group for non-group"
                            : fmt::format("proto: illegal wireType {}", wire));
  }
  if (!scalar) return std::nullopt;
  if (field.type != WireType::kBytes) {
    field.scalar = *scalar;
    return field;
  }
  if (*scalar > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return fail("proto: negative length found during unmarshaling");
  }
  if (*scalar > rest_.size()) return fail(std::string(kEnd));
  field.bytes = rest_.substr(0, static_cast<std::size_t>(*scalar));
  rest_.remove_prefix(field.bytes.size());
  return field;
}

std::optional<std::uint64_t> WireReader::next_varint() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return fail(std::string(kEnd));
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return number;
  }
  return fail("proto: integer overflow");
}

std::optional<std::uint64_t> WireReader::next_fixed(std::size_t size) {
  if (rest_.size() < size) return fail(std::string(kEnd));
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = (number << 8) | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(size);
  return number;
}

std::nullopt_t WireReader::fail(std::string message) {
  error_ = std::move(message);
  return std::nullopt;
}

}  // namespace loadline::api
