#include "foundation/document/reader.h"

#include <utility>

namespace loadline::document {
namespace {

bool looks_like_json(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

Reading read(std::string_view text, std::string file, EqualKeys equal_keys) {
  if (!looks_like_json(text)) return read_yaml(text, std::move(file), equal_keys);
  Reading json = read_json(text, file, equal_keys);
  // Up to one value, the text may still be YAML: a mapping in braces, or one JSON value among documents split by
  // `---`. Which of two sets of complaints to show: that of the language in which more could be read.
  if (!has_errors(json.problems) || json.documents.size() > 1) return json;
  Reading yaml = read_yaml(text, std::move(file), equal_keys);
  const bool better = !has_errors(yaml.problems) || yaml.documents.size() > json.documents.size();
  return better ? yaml : json;
}

}  // namespace loadline::document
