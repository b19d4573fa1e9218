#include "server/api/apply/path_element.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/go_json.h"
#include "foundation/document/number.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Object;
using document::Value;

std::string json_of_keys(const Object& keys) {
  std::string text = "{";
  for (const Member& key : keys) {
    if (text.size() > 1) text += ',';
    document::append_json(text, key.key);
    text += ':';
    document::append_go_json(text, key.value);
  }
  return text + "}";
}

std::optional<Value> parse_json(std::string_view text) {
  // The reader takes objects, so a scalar goes into one.
  const std::string wrapped = "{\"v\":" + std::string(text) + "}";
  document::Reading reading = document::read_json(wrapped, "");
  if (reading.documents.size() != 1 || !reading.problems.empty() || reading.documents[0].object().size() != 1) {
    return std::nullopt;
  }
  return *reading.documents[0].find("v");
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c != '"' && c != '\\'; });
}

/// `{"name":"c"}` with a plain name and text: what nearly all keys look like; not worth a reader.
std::optional<Object> parse_plain_key(std::string_view text) {
  if (!text.starts_with("{\"") || !text.ends_with("\"}")) return std::nullopt;
  const std::string_view inner = text.substr(2, text.size() - 4);
  const std::size_t colon = inner.find("\":\"");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = inner.substr(0, colon);
  const std::string_view value = inner.substr(colon + 3);
  if (!is_plain(name) || !is_plain(value)) return std::nullopt;
  return Object{{std::string(name), Value(value), {}}};
}

int rank(const Value& value) {
  if (value.is_number()) return 0;
  if (value.is_string()) return 1;
  if (value.is_boolean()) return 2;
  if (value.is_array()) return 3;
  return value.is_object() ? 4 : 5;
}

std::strong_ordering ordered(double a, double b) {
  return a < b ? std::strong_ordering::less : a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare(const Value& a, const Value& b) {
  if (rank(a) != rank(b)) return rank(a) <=> rank(b);
  if (a.is_integer() && b.is_integer()) return a.integer() <=> b.integer();
  if (a.is_number()) return ordered(a.number(), b.number());
  if (a.is_string()) return a.string() <=> b.string();
  if (a.is_boolean()) return a.boolean() <=> b.boolean();
  return document::write_go_json(a) <=> document::write_go_json(b);
}

std::strong_ordering compare_keys(const Object& a, const Object& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const auto order = a[i].key <=> b[i].key; order != 0) return order;
    if (const auto order = compare(a[i].value, b[i].value); order != 0) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace

PathElement PathElement::field(std::string_view name) { return {Kind::kField, std::string(name), Value()}; }

PathElement PathElement::key(Object keys) {
  if (keys.size() > 1) std::ranges::stable_sort(keys, {}, &Member::key);
  std::string text = json_of_keys(keys);
  return {Kind::kKey, std::move(text), Value(std::move(keys))};
}

PathElement PathElement::value(Value value) {
  REQUIRES(!value.is_object() && !value.is_array());
  std::string text = document::write_go_json(value);
  return {Kind::kValue, std::move(text), std::move(value)};
}

PathElement PathElement::index(std::int64_t index) { return {Kind::kIndex, std::to_string(index), Value(index)}; }

std::optional<PathElement> PathElement::parse(std::string_view text) {
  if (text.size() < 2 || text[1] != ':') return std::nullopt;
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return field(rest);
    case 'k': {
      if (auto plain = parse_plain_key(rest)) return key(std::move(*plain));
      auto keys = parse_json(rest);
      if (!keys || !keys->is_object()) return std::nullopt;
      return key(keys->object());
    }
    case 'v': {
      if (rest.size() >= 2 && rest.front() == '"' && rest.back() == '"' && is_plain(rest.substr(1, rest.size() - 2))) {
        return value(Value(rest.substr(1, rest.size() - 2)));
      }
      auto scalar = parse_json(rest);
      if (!scalar) return std::nullopt;
      return value(std::move(*scalar));
    }
    case 'i': {
      const auto number = document::parse_integer(rest);
      if (!number) return std::nullopt;
      return index(*number);
    }
    default:
      return std::nullopt;
  }
}

std::string PathElement::encoded() const {
  constexpr std::string_view kLetters = "fkvi";
  std::string text;
  text.reserve(text_.size() + 2);
  text += kLetters[static_cast<std::size_t>(kind_)];
  text += ':';
  return text += text_;
}

std::string PathElement::readable() const {
  if (kind_ == Kind::kField) return "." + text_;
  if (kind_ == Kind::kValue) return "[=" + document::write_json(detail_) + "]";
  if (kind_ == Kind::kIndex) return "[" + text_ + "]";
  std::string text = "[";
  for (const Member& key : detail_.object()) {
    if (text.size() > 1) text += ',';
    text += key.key + "=" + document::write_json(key.value);
  }
  return text + "]";
}

std::strong_ordering operator<=>(const PathElement& a, const PathElement& b) {
  if (a.kind_ != b.kind_) return a.kind_ <=> b.kind_;
  if (a.kind_ == PathElement::Kind::kField) return a.text_ <=> b.text_;
  if (a.text_ == b.text_) return std::strong_ordering::equal;
  if (a.kind_ == PathElement::Kind::kKey) return compare_keys(a.detail_.object(), b.detail_.object());
  return compare(a.detail_, b.detail_);
}

}  // namespace loadline::api
