#include "objects/kube/locate.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace loadline::kube {

using document::Mark;
using document::Member;
using document::Value;

namespace {

struct Step {
  std::string_view name;
  bool bracketed = false;
};

/// Takes the first step off `path`.
Step next_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    const Step step{path.substr(1, end - 1), true};
    path.remove_prefix(std::min(end + 1, path.size()));
    return step;
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const Step step{path.substr(0, end), false};
  path.remove_prefix(end);
  return step;
}

const Value* element_of(const Value& value, const Step& step) {
  if (!step.bracketed || !value.is_array()) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.name.data(), step.name.data() + step.name.size(), index);
  const bool is_index = error == std::errc() && end == step.name.data() + step.name.size();
  return is_index && index < value.array().size() ? &value.array()[index] : nullptr;
}

const Member* member_of(const Value& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  for (const Member& member : value.object()) {
    if (member.key == name) return &member;
  }
  return nullptr;
}

}  // namespace

Mark locate(const Value& root, std::string_view path) {
  const Value* at = &root;
  Mark mark = root.mark();
  while (!path.empty()) {
    const Step step = next_step(path);
    if (const Value* element = element_of(*at, step)) {
      at = element;
      mark = element->mark();
    } else if (const Member* member = member_of(*at, step.name)) {
      at = &member->value;
      mark = at->is_array() || at->is_object() ? member->mark : at->mark();
    } else {
      break;
    }
  }
  return mark;
}

}  // namespace loadline::kube
