#include "server/api/apply/field_set_memo.h"

namespace loadline::api {

std::optional<FieldSet> FieldSetMemo::read(const document::Value& fields, const std::string& text) {
  const auto known = sets_.find(text);
  if (known != sets_.end()) return known->second;
  std::optional<FieldSet> set = FieldSet::from_fields_v1(fields);
  if (!set || text.size() > kLongestText) return set;
  if (sets_.size() >= kMostSets || text_bytes_ + text.size() > kMostBytes) {
    sets_.clear();
    text_bytes_ = 0;
  }
  sets_.emplace(text, *set);
  text_bytes_ += text.size();
  return set;
}

}  // namespace loadline::api
