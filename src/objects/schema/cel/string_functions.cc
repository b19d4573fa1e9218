#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/utf8.h"
#include "objects/schema/cel/libraries.h"

namespace loadline::schema::cel {
namespace {

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> points;
  for (std::size_t at = 0; at < text.size();) {
    points.push_back(document::code_point_at(text, at));
    at += points.back().size();
  }
  return points;
}

std::string concatenated(const std::vector<std::string_view>& points, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += points[i];
  return text;
}

Value list_of(const std::vector<std::string_view>& parts) {
  std::vector<Value> elements;
  elements.reserve(parts.size());
  for (const std::string_view part : parts) elements.emplace_back(std::string(part));
  return Value(std::make_shared<const std::vector<Value>>(std::move(elements)));
}

const std::string* text_at(const Call& call, std::size_t index) {
  return index < call.arguments.size() ? call.arguments[index].get<std::string>() : nullptr;
}

/// A number of code points, from 0 to `most`.
Result<std::size_t> position(const Call& call, std::size_t index, std::size_t most) {
  const auto* number = call.arguments[index].get<std::int64_t>();
  if (number == nullptr) return no_such_overload();
  if (*number < 0 || static_cast<std::uint64_t>(*number) > most) {
    return failure("index out of range: " + std::to_string(*number));
  }
  return static_cast<std::size_t>(*number);
}

Result<const Pattern*> pattern(const Call& call, const std::string& text) {
  const auto known = call.patterns.find(text);
  if (known != call.patterns.end()) return &known->second;
  call.budget.left -= static_cast<std::int64_t>(text.size());
  Result<Pattern> compiled = Pattern::compile(text);
  if (!compiled) return tl::unexpected<Error>(compiled.error());
  return &call.patterns.emplace(text, std::move(*compiled)).first->second;
}

Result<Value> match(const Call& call, const std::string& text, const std::string& expression) {
  const auto compiled = pattern(call, expression);
  if (!compiled) return tl::unexpected<Error>(compiled.error());
  if (call.name == "matches") return Value((*compiled)->matches(text));
  if (call.name == "find") return Value((*compiled)->find(text).value_or(""));
  std::int64_t limit = -1;
  if (call.arguments.size() == 3) {
    const auto* number = call.arguments[2].get<std::int64_t>();
    if (number == nullptr) return no_such_overload();
    limit = *number;
  }
  return list_of((*compiled)->find_all(text, limit));
}

Result<Value> index_of(const Call& call, const std::string& text, const std::string& part) {
  const auto points = code_points(text);
  const auto wanted = code_points(part);
  const bool from_end = call.name == "lastIndexOf";
  std::size_t offset = from_end ? points.size() : 0;
  if (call.arguments.size() == 3) {
    const auto given = position(call, 2, points.size());
    if (!given) return tl::unexpected<Error>(given.error());
    offset = *given;
  }
  call.budget.left -= static_cast<std::int64_t>(points.size() * std::max<std::size_t>(1, wanted.size()) / 10);
  if (call.budget.left < 0 || wanted.size() > points.size()) return Value(std::int64_t{-1});
  const std::size_t last = points.size() - wanted.size();
  const auto is_at = [&](std::size_t i) {
    return std::equal(wanted.begin(), wanted.end(), points.begin() + static_cast<std::ptrdiff_t>(i));
  };
  if (from_end) {
    for (std::size_t i = std::min(offset, last) + 1; i-- > 0;) {
      if (is_at(i)) return Value(static_cast<std::int64_t>(i));
    }
  } else {
    for (std::size_t i = offset; i <= last; ++i) {
      if (is_at(i)) return Value(static_cast<std::int64_t>(i));
    }
  }
  return Value(std::int64_t{-1});
}

/// The limit that split() and replace() may be given; -1: none.
Result<std::int64_t> limit(const Call& call, std::size_t index) {
  if (call.arguments.size() <= index) return std::int64_t{-1};
  const auto* number = call.arguments[index].get<std::int64_t>();
  if (number == nullptr) return no_such_overload();
  return *number;
}

Result<Value> split_text(const Call& call, const std::string& text, const std::string& separator) {
  const auto most = limit(call, 2);
  if (!most) return tl::unexpected<Error>(most.error());
  if (*most == 0) return list_of({});
  std::vector<std::string_view> parts = separator.empty() ? code_points(text) : split(text, separator);
  if (*most > 0 && parts.size() > static_cast<std::size_t>(*most)) {
    parts.resize(static_cast<std::size_t>(*most));
    parts.back() = std::string_view(text).substr(static_cast<std::size_t>(parts.back().data() - text.data()));
  }
  return list_of(parts);
}

Result<Value> replace_text(const Call& call, std::string_view text, const std::string& old, const std::string& by) {
  const auto most = limit(call, 3);
  if (!most) return tl::unexpected<Error>(most.error());
  const auto pieces = static_cast<std::int64_t>(text.size() / std::max<std::size_t>(1, old.size())) + 1;
  call.budget.left -= pieces * static_cast<std::int64_t>(by.size()) / 10;
  if (call.budget.left < 0) return Value(std::string());
  std::string result;
  std::int64_t left = *most < 0 ? std::numeric_limits<std::int64_t>::max() : *most;
  while (left > 0) {
    if (old.empty()) {
      result += by;
      --left;
      if (text.empty()) break;
      const std::string_view point = document::code_point_at(text, 0);
      result += point;
      text.remove_prefix(point.size());
      continue;
    }
    const std::size_t at = text.find(old);
    if (at == std::string_view::npos) break;
    result.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + old.size());
    --left;
  }
  return Value(result.append(text));
}

Result<Value> substring(const Call& call, const std::string& text) {
  const auto points = code_points(text);
  const auto begin = position(call, 1, points.size());
  if (!begin) return tl::unexpected<Error>(begin.error());
  std::size_t end = points.size();
  if (call.arguments.size() == 3) {
    const auto given = position(call, 2, points.size());
    if (!given) return tl::unexpected<Error>(given.error());
    end = *given;
  }
  if (*begin > end) {
    return failure("invalid substring range. start: " + std::to_string(*begin) + ", end: " + std::to_string(end));
  }
  return Value(concatenated(points, *begin, end));
}

std::string with_case(std::string text, bool is_lower) {
  for (char& c : text) {
    if (is_lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!is_lower && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

Result<Value> one_text(const Call& call, const std::string& text) {
  if (call.name == "lowerAscii" || call.name == "upperAscii") return Value(with_case(text, call.name == "lowerAscii"));
  if (call.name == "trim") return Value(std::string(trim(text)));
  if (call.name == "reverse") {
    auto points = code_points(text);
    std::reverse(points.begin(), points.end());
    return Value(concatenated(points, 0, points.size()));
  }
  if (call.name == "substring") return substring(call, text);
  if (call.name == "charAt") {
    const auto points = code_points(text);
    const auto at = position(call, 1, points.size());
    if (!at) return tl::unexpected<Error>(at.error());
    return Value(*at == points.size() ? std::string() : std::string(points[*at]));
  }
  return no_such_overload();
}

}  // namespace

Result<Value> string_function(const Call& call) {
  const std::string* text = text_at(call, 0);
  if (text == nullptr) return no_such_overload();
  call.budget.left -= static_cast<std::int64_t>(text->size() / 10);
  if (call.budget.left < 0) return Value(false);
  const std::string* other = text_at(call, 1);
  if (other == nullptr) return one_text(call, *text);
  if (call.name == "startsWith") return Value(text->starts_with(*other));
  if (call.name == "endsWith") return Value(text->ends_with(*other));
  if (call.name == "contains") return Value(text->find(*other) != std::string::npos);
  if (call.name == "matches" || call.name == "find" || call.name == "findAll") return match(call, *text, *other);
  if (call.name == "split") return split_text(call, *text, *other);
  if (call.name == "indexOf" || call.name == "lastIndexOf") return index_of(call, *text, *other);
  const std::string* third = text_at(call, 2);
  if (call.name == "replace" && third != nullptr) return replace_text(call, *text, *other, *third);
  return no_such_overload();
}

}  // namespace loadline::schema::cel
