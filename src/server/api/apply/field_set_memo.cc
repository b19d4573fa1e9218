#include "server/api/apply/field_set_memo.h"

namespace loadline::api {

std::optional<FieldSet> FieldSetMemo::read(const document::Value& fields, const std::string& text) {
  const auto known = sets_.find(text);
  if (known != sets_.end()) return known->second;
  std::optional<FieldSet> set = FieldSet::from_fields_v1(fields);
  if (!set) return set;
  if (sets_.size() >= kMostSets) sets_.clear();
  sets_.emplace(text, *set);
  return set;
}

}  // namespace loadline::api
