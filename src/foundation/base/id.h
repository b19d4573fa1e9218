#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace loadline {

/// A dense index that cannot be mistaken for another kind of index.
/// `Tag` is any incomplete type: `using NodeId = Id<struct NodeTag>;`.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace loadline

template <class Tag>
struct std::hash<loadline::Id<Tag>> {
  std::size_t operator()(loadline::Id<Tag> id) const noexcept { return id.value; }
};
