#include "objects/kube/source_index.h"

#include "objects/kube/locate.h"

namespace loadline::kube {

using document::Mark;
using document::Value;

SourceIndex::SourceIndex(const std::vector<SourceDocument>& documents) {
  for (const SourceDocument& source : documents) add(source.value, source.file);
}

void SourceIndex::add(const Value& value, const std::string& file) {
  if (!value.is_object()) return;
  const Value* kind = value.find("kind");
  const Value* items = value.find("items");
  if (kind != nullptr && kind->is_string() && kind->string().ends_with("List") && items != nullptr &&
      items->is_array()) {
    for (const Value& item : items->array()) add(item, file);
    return;
  }
  keep(value, file);
  // Profiles are judged one by one, and may stand in several configurations.
  const Value* profiles = value.find("profiles");
  if (profiles == nullptr || !profiles->is_array()) return;
  for (const Value& profile : profiles->array()) keep(profile, file);
}

void SourceIndex::keep(const Value& value, const std::string& file) {
  entries_.try_emplace(Place{file, value.mark().line, value.mark().column}, value);
}

const Value* SourceIndex::find(const SourcePosition& object) const {
  if (object.file == nullptr) return nullptr;
  const auto found = entries_.find(Place{*object.file, object.line, object.column});
  return found == entries_.end() ? nullptr : &found->second;
}

SourcePosition SourceIndex::locate(const SourcePosition& object, std::string_view path) const {
  const Value* value = find(object);
  if (value == nullptr) return object;
  const Mark mark = kube::locate(*value, path);
  return {object.file, mark.line, mark.column};
}

}  // namespace loadline::kube
