#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "hosts/watching/object.h"

namespace loadline::watching {

/// For tables of keys that are never iterated: finding one key among many thousands costs one look, where an ordered
/// map compares long names with much in common a dozen times.
struct ObjectKeyHash {
  std::size_t operator()(const ObjectKey& key) const {
    constexpr std::size_t kFactor = 31;
    const std::hash<std::string_view> hash;
    return hash(key.name_space) * kFactor + hash(key.name);
  }
};

}  // namespace loadline::watching
