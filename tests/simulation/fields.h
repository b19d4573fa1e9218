#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/value.h"

namespace loadline::simulation {

inline std::int64_t integer_at(const document::Value& object, document::Names names, std::int64_t otherwise = 0) {
  const document::Value* value = document::find_at(object, names);
  return value == nullptr ? otherwise : value->integer();
}

inline bool is_true_at(const document::Value& object, document::Names names) {
  const document::Value* value = document::find_at(object, names);
  return value != nullptr && value->boolean();
}

inline std::string uid_of(const document::Value& object) {
  return std::string(document::text_at(object, {"metadata", "uid"}));
}

inline std::vector<std::string> owners_of(const document::Value& object) {
  std::vector<std::string> uids;
  const document::Value* owners = document::find_at(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return uids;
  for (const document::Value& owner : owners->array()) uids.emplace_back(document::text_at(owner, {"uid"}));
  return uids;
}

}  // namespace loadline::simulation
