#pragma once

#include <initializer_list>
#include <utility>

#include "objects/kube/meta.h"

namespace loadline::admission {

inline kube::ResourceList amounts(std::initializer_list<std::pair<const char*, const char*>> entries) {
  kube::ResourceList result;
  for (const auto& [name, text] : entries) result.emplace(name, *kube::Quantity::parse(text));
  return result;
}

}  // namespace loadline::admission
