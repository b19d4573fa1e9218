#include "foundation/document/yaml_composer.h"

#include <cmath>
#include <utility>

#include "foundation/document/number.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

using Kind = YamlEvent::Kind;

constexpr std::uint64_t kMaxNodes = 50'000'000;
constexpr std::uint64_t kMaxTextByAlias = std::uint64_t{16} << 20;
constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

/// The share of a document's nodes that may come out of aliases, as go-yaml v2 has it.
double allowed_alias_share(std::uint64_t nodes) {
  constexpr double kLow = 400'000;
  constexpr double kHigh = 4'000'000;
  const auto count = static_cast<double>(nodes);
  if (count <= kLow) return 0.99;
  if (count >= kHigh) return 0.10;
  return 0.99 - 0.89 * ((count - kLow) / (kHigh - kLow));
}

bool is_merge_key(const YamlEvent& event) {
  return event.kind == Kind::kScalar && event.text == "<<" && (event.plain || event.tag == kMergeTag);
}

}  // namespace

std::optional<Value> YamlComposer::compose() {
  Value value;
  if (!compose_node(parser_.next(), FieldPath{}, value) || spoiled_) return std::nullopt;
  return value;
}

bool YamlComposer::compose_node(const YamlEvent& event, const FieldPath& path, Value& value) {
  if (event.kind == Kind::kError) return give_up();
  const Mark mark = event.mark;
  if (!count(1, 0, mark)) return false;
  if (event.kind == Kind::kAlias) return compose_alias(event, value);

  const std::string anchor(event.anchor);
  const std::uint64_t nodes_before = nodes_ - 1;
  const std::uint64_t text_before = text_bytes_;
  if (!anchor.empty()) anchors_[anchor] = Anchor{};
  bool sound = false;
  if (event.kind == Kind::kScalar) {
    sound = compose_scalar(event, value);
  } else {
    if (++depth_ > kMaxDepth) {
      return give_up(mark, "exceeded max depth", "no more than " + std::to_string(kMaxDepth) + " levels of nesting");
    }
    sound =
        event.kind == Kind::kMappingStart ? compose_mapping(mark, path, value) : compose_sequence(mark, path, value);
    --depth_;
  }
  if (sound && !anchor.empty()) anchors_[anchor] = Anchor{value, nodes_ - nodes_before, text_bytes_ - text_before};
  return sound;
}

bool YamlComposer::compose_alias(const YamlEvent& event, Value& value) {
  const std::string name(event.anchor);
  const auto found = anchors_.find(name);
  if (found == anchors_.end()) {
    return give_up(event.mark, "unknown anchor '" + name + "' referenced", "quote a string that begins with '*'");
  }
  const Anchor& anchor = found->second;
  if (!anchor.value) return give_up(event.mark, "anchor '" + name + "' value contains itself");
  value = *anchor.value;
  return count_text_by_alias(anchor.text_bytes, event.mark) && count(anchor.nodes, anchor.nodes, event.mark);
}

bool YamlComposer::compose_scalar(const YamlEvent& event, Value& value) {
  text_bytes_ += event.text.size();
  if (scalars_ == Scalars::kTexts || (event.tag.empty() && !event.plain)) {
    value = Value(event.text, event.mark);
    return true;
  }
  Result<YamlScalar> scalar = resolve_scalar(event.tag, event.text);
  if (scalar) {
    value = scalar_value(*scalar, event.mark);
  } else {
    spoil(event.mark, scalar.error().message);
  }
  return true;
}

Value YamlComposer::scalar_value(const YamlScalar& scalar, Mark mark) {
  if (const auto* boolean = std::get_if<bool>(&scalar)) return Value(*boolean, mark);
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return Value(*integer, mark);
  if (const auto* integer = std::get_if<std::uint64_t>(&scalar)) return Value(static_cast<double>(*integer), mark);
  if (const auto* text = std::get_if<std::string>(&scalar)) return Value(*text, mark);
  const auto* number = std::get_if<double>(&scalar);
  if (number == nullptr) return Value::null(mark);
  if (!std::isfinite(*number)) {
    const std::string_view name = std::isnan(*number) ? "NaN" : *number > 0 ? "+Inf" : "-Inf";
    spoil(mark, "json: unsupported value: " + std::string(name), "quote it if the word itself is meant");
    return Value::null(mark);
  }
  // Upstream's way leads through JSON, where 1.0 is written, and so read, as the integer 1.
  if (const auto integer = parse_integer(format_number(*number))) return Value(*integer, mark);
  return Value(*number, mark);
}

bool YamlComposer::compose_sequence(Mark mark, const FieldPath& path, Value& value) {
  const std::size_t base = elements_.size();
  while (true) {
    const YamlEvent& event = parser_.next();
    if (event.kind == Kind::kSequenceEnd) break;
    Value element;
    if (!compose_node(event, FieldPath{&path, {}, elements_.size() - base, true}, element)) return false;
    elements_.push_back(std::move(element));
  }
  value = Value(take_elements(elements_, base), mark);
  return true;
}

bool YamlComposer::compose_mapping(Mark mark, const FieldPath& path, Value& value) {
  UniqueMembers members(members_);
  Object merged;
  while (true) {
    const YamlEvent& event = parser_.next();
    if (event.kind == Kind::kMappingEnd) break;
    if (!compose_member(event, path, members, merged)) return false;
  }
  for (Member& member : merged) {
    if (!members.contains(member.key)) members.add(std::move(member));
  }
  value = Value(members.take(), mark);
  return true;
}

bool YamlComposer::compose_member(const YamlEvent& event, const FieldPath& path, UniqueMembers& members,
                                  Object& merged) {
  const Mark mark = event.mark;
  if (is_merge_key(event)) return compose_merge(path, members, merged);
  std::optional<std::string> key;
  if (!compose_key(event, key)) return false;

  Member member{key.value_or(""), {}, mark};
  const FieldPath below{&path, member.key, 0, false};
  if (!compose_node(parser_.next(), below, member.value)) return false;
  if (!key) return true;
  Member* const before = members.find(*key);
  if (before == nullptr) {
    members.add(std::move(member));
    return true;
  }
  Diagnostic problem = equal_keys_problem(later_.rule(), file_, before->mark, mark);
  problem.message = "key " + write_json(Value(*key)) + std::string(kEqualYamlKey);
  problem.path = below.to_string();
  problems_.push_back(std::move(problem));
  later_.put(*before, std::move(member));
  return true;
}

/// Reads a key, which is nothing if it cannot be one (reported).
bool YamlComposer::compose_key(const YamlEvent& event, std::optional<std::string>& key) {
  const Mark mark = event.mark;
  if (event.kind == Kind::kScalar && event.anchor.empty()) {
    if (!count(1, 0, mark)) return false;
    text_bytes_ += event.text.size();
    if (event.tag.empty() && !event.plain) {
      key = event.text;
      return true;
    }
    const Result<YamlScalar> scalar = resolve_scalar(event.tag, event.text);
    if (scalar) {
      key = key_text(*scalar, mark);
    } else {
      spoil(mark, scalar.error().message);
    }
    return true;
  }
  Value value;
  if (!compose_node(event, FieldPath{}, value)) return false;
  if (value.is_array() || value.is_object()) {
    spoil(mark, "invalid map key: " + write_json(value), "a key must be a string; quote it if it holds braces");
  } else if (value.is_string()) {
    key = value.string();
  } else if (value.is_integer()) {
    key = key_text(value.integer(), mark);
  } else if (value.is_float()) {
    key = key_text(value.number(), mark);
  } else {
    key = value.is_boolean() ? key_text(value.boolean(), mark) : key_text(std::monostate{}, mark);
  }
  return true;
}

std::optional<std::string> YamlComposer::key_text(const YamlScalar& scalar, Mark mark) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return *text;
  if (const auto* boolean = std::get_if<bool>(&scalar)) return *boolean ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&scalar)) return format_general_single(*number);
  const bool null = std::holds_alternative<std::monostate>(scalar);
  spoil(mark, std::string("unsupported map key of type: ") + (null ? "null" : "uint64"), "quote the key");
  return std::nullopt;
}

/// The value of `<<`: a mapping, or a list of mappings of which the earlier take precedence.
bool YamlComposer::compose_merge(const FieldPath& path, UniqueMembers& members, Object& merged) {
  const YamlEvent& event = parser_.next();
  const Mark mark = event.mark;
  const bool list = event.kind == Kind::kSequenceStart;
  Value value;
  if (!compose_node(event, path, value)) return false;
  UniqueMembers found(members_);
  const auto add = [&found](const Object& object) {
    for (const Member& member : object) {
      if (!found.contains(member.key)) found.add(member);
    }
  };
  bool sound = value.is_object() || (list && value.is_array());
  if (value.is_object()) add(value.object());
  if (list && value.is_array()) {
    for (const Value& element : value.array()) {
      sound = sound && element.is_object();
      if (element.is_object()) add(element.object());
    }
  }
  if (!sound) spoil(mark, "map merge requires map or sequence of maps as the value");
  // Of two merge keys in one mapping the later takes precedence.
  add(merged);
  merged = found.take();
  for (const Member& member : merged) {
    if (!members.contains(member.key)) continue;
    report(mark, "kubectl lets the merge key override \"" + member.key + "\", which stands before it",
           "write '<<' first in its mapping", Severity::kWarning);
  }
  return true;
}

bool YamlComposer::count(std::uint64_t nodes, std::uint64_t by_alias, Mark mark) {
  nodes_ += nodes;
  nodes_by_alias_ += by_alias;
  if (nodes_ > kMaxNodes) return give_up(mark, "document has more than 50000000 nodes");
  if (nodes_by_alias_ <= 100 || nodes_ <= 1000) return true;
  const double share = static_cast<double>(nodes_by_alias_) / static_cast<double>(nodes_);
  return share <= allowed_alias_share(nodes_) || give_up(mark, "document contains excessive aliasing");
}

bool YamlComposer::count_text_by_alias(std::uint64_t bytes, Mark mark) {
  text_bytes_ += bytes;
  text_bytes_by_alias_ += bytes;
  return text_bytes_by_alias_ <= kMaxTextByAlias ||
         give_up(mark, "aliases stand for more than 16 MiB of text", "write the text where it is needed");
}

bool YamlComposer::give_up() {
  YamlProblem problem = parser_.problem();
  return give_up(problem.mark, std::move(problem.message), std::move(problem.hint));
}

bool YamlComposer::give_up(Mark mark, std::string message, std::string hint) {
  spoil(mark, std::move(message), std::move(hint));
  return false;
}

void YamlComposer::spoil(Mark mark, std::string message, std::string hint) {
  spoiled_ = true;
  report(mark, std::move(message), std::move(hint));
}

void YamlComposer::report(Mark mark, std::string message, std::string hint, Severity severity) {
  Diagnostic problem;
  problem.severity = severity;
  problem.at = {file_, mark.line, mark.column};
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  problems_.push_back(std::move(problem));
}

}  // namespace loadline::document
