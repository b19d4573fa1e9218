#include "objects/schema/conform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "foundation/base/base64.h"
#include "foundation/base/text.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/schema/duration.h"
#include "objects/schema/go_type.h"
#include "objects/schema/quantity.h"
#include "objects/schema/quoted.h"
#include "objects/schema/timestamp.h"

namespace loadline::schema {
namespace {

using document::Array;
using document::Mark;
using document::Member;
using document::Object;
using document::Value;

/// Go's struct types cannot hold themselves; a table that says otherwise must not exhaust the stack.
constexpr int kMaxZeroDepth = 16;
constexpr std::size_t kMaxFindings = 100;

Value zero_of(const Type& type, int depth);

/// Whether Go's encoder takes the value of such a field for empty.
bool is_omitted(const Field& field, const Value& value) {
  if (!field.omits_empty) return false;
  if (value.is_null()) return true;
  if (field.is_pointer) return false;
  if (value.is_string()) return value.string().empty();
  if (value.is_boolean()) return !value.boolean();
  if (value.is_number()) return value.number() == 0;
  return value.is_array() ? value.array().empty() : value.is_object() && value.object().empty();
}

Value zero_of_object(const Type& type, int depth) {
  Object members;
  for (const Field& field : type.fields) {
    if (field.omits_empty) continue;
    members.push_back({field.name, field.is_pointer ? Value() : zero_of(*field.type, depth + 1), {}});
  }
  return Value(std::move(members));
}

Value zero_of(const Type& type, int depth) {
  switch (type.form) {
    case Form::kString:
      return Value("");
    case Form::kInt32:
    case Form::kInt64:
    case Form::kNumber:
    case Form::kIntOrString:
      return Value(std::int64_t{0});
    case Form::kBoolean:
      return Value(false);
    case Form::kQuantity:
      return Value("0");
    case Form::kDuration:
      return Value("0s");
    case Form::kObject:
      return depth < kMaxZeroDepth ? zero_of_object(type, depth) : Value();
    default:
      return {};
  }
}

/// Where the walk is: a chain on its stack.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;          // of a field or a map's member
  const Type* owner = nullptr;   // the struct, if this is a field
  const Field* field = nullptr;  // of that struct
  std::size_t index = 0;
  bool is_element = false;
  const Value* earlier = nullptr;  // what stands there in a document that conforms; may be null
};

/// "spec.containers[0].image", as strict decoding writes paths.
std::string strict_path(const Place& place) {
  if (place.parent == nullptr) return {};
  std::string text = strict_path(*place.parent);
  if (place.is_element) return text + '[' + std::to_string(place.index) + ']';
  if (!text.empty()) text += '.';
  return text.append(place.key);
}

/// "spec.containers.image", as Go's type errors write paths: fields of structs only, embedded structs by their name.
std::string field_stack(const Place& place) {
  if (place.parent == nullptr) return {};
  std::string text = field_stack(*place.parent);
  if (place.field == nullptr) return text;
  const bool is_type_meta = place.parent->parent == nullptr && (place.key == "kind" || place.key == "apiVersion");
  const std::string_view embedded = is_type_meta ? "TypeMeta" : embedded_struct(*place.owner, *place.field);
  for (const std::string_view part : {embedded, place.key}) {
    if (part.empty()) continue;
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

const Type* innermost_struct(const Place& place) {
  for (const Place* at = &place; at != nullptr; at = at->parent) {
    if (at->owner != nullptr) return at->owner;
  }
  return nullptr;
}

/// A value that is not as it should be, as Go's errors name it: "string", "number 1.5".
std::string number_text(const Value& number) {
  if (number.is_integer()) return std::to_string(number.integer());
  std::string text = document::format_number(number.number());
  // A whole number that is no integer was written with a fraction.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

struct Finding {
  Mark mark;
  std::string path;
  bool is_duplicate;
};

constexpr std::string_view kDuplicate = "duplicate field \"";

std::optional<std::string> duplicate_path(const Diagnostic& problem) {
  if (!problem.message.starts_with(kDuplicate) || !problem.message.ends_with('"')) return std::nullopt;
  return problem.message.substr(kDuplicate.size(), problem.message.size() - kDuplicate.size() - 1);
}

bool lies_below(std::string_view path, std::string_view ancestor) {
  return path.starts_with(ancestor) && path.size() > ancestor.size() &&
         (path[ancestor.size()] == '.' || path[ancestor.size()] == '[');
}

/// One walk. Each step returns what the value becomes, or nothing if it stays as it is.
class Conformer {
 public:
  using Change = std::optional<Value>;

  Conformed run(const Value& value, const Type& type, const Diagnostics& duplicates, const Value* conforming) {
    Conformed conformed;
    Change change = visit(value, type, Place{nullptr, {}, nullptr, nullptr, 0, false, conforming});
    conformed.value = std::move(change).value_or(value);
    conformed.error = !fatal_.empty() ? std::move(fatal_) : std::move(error_);
    merge(duplicates);
    for (const Finding& finding : findings_) {
      std::string text = (finding.is_duplicate ? "duplicate field " : "unknown field ") + quoted(finding.path);
      if (std::find(conformed.findings.begin(), conformed.findings.end(), text) != conformed.findings.end()) continue;
      conformed.findings.push_back(std::move(text));
      if (conformed.findings.size() == kMaxFindings) break;
    }
    return conformed;
  }

 private:
  /// A field's value in the document, and what it becomes.
  struct Slot {
    const Member* member = nullptr;
    Change change;
  };

  Change visit(const Value& value, const Type& type, const Place& place) {
    if (!fatal_.empty() || (place.earlier != nullptr && document::are_shared(value, *place.earlier))) {
      return std::nullopt;
    }
    switch (type.form) {
      case Form::kObject:
        return value.is_object() ? visit_object(value, type, place) : misfit(value, type, place);
      case Form::kMap:
        return value.is_object() ? visit_map(value, type, place) : misfit(value, type, place);
      case Form::kList:
        return value.is_array() ? visit_list(value, type, place) : misfit(value, type, place);
      case Form::kString:
        return value.is_string() ? std::nullopt : misfit(value, type, place);
      case Form::kBoolean:
        return value.is_boolean() ? std::nullopt : misfit(value, type, place);
      case Form::kInt32:
      case Form::kInt64:
        return visit_integer(value, type, place);
      case Form::kNumber:
        return value.is_number() ? std::nullopt : misfit(value, type, place);
      case Form::kBytes:
        return value.is_string() ? visit_bytes(value) : misfit(value, type, place);
      case Form::kQuantity:
        return visit_quantity(value);
      case Form::kIntOrString:
        return value.is_string() ? std::nullopt : visit_integer(value, int32_, place);
      case Form::kTime:
      case Form::kMicroTime:
        return value.is_string() ? visit_time(value, type) : abort(value, place);
      case Form::kDuration:
        return value.is_string() ? visit_duration(value) : abort(value, place);
      case Form::kAny:
      case Form::kRawObject:
      case Form::kFieldsV1:
        return std::nullopt;
    }
    return std::nullopt;
  }

  Change visit_object(const Value& value, const Type& type, const Place& place) {
    const std::size_t base = slots_.size();
    slots_.resize(base + type.fields.size());
    bool same = true;
    std::size_t next = 0;
    const Object& all = value.object();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Member& member = all[i];
      const std::size_t index = type.place_of(member.key, next);
      if (index == type.fields.size()) {
        same = false;
        if (!type.preserves_unknown) report_unknown(member, place);
        continue;
      }
      same = same && index >= next;
      next = index + 1;
      const Field& field = type.fields[index];
      const Value* earlier = document::earlier_member(place.earlier, member.key, i);
      Change change =
          visit_field(member.value, type, field, Place{&place, field.name, &type, &field, 0, false, earlier});
      same = same && !change;
      slots_[base + index] = {&member, std::move(change)};
    }
    Change built = build(value, type, base, same);
    slots_.resize(base);
    return built;
  }

  Change visit_field(const Value& value, const Type& type, const Field& field, const Place& place) {
    if (value.is_null()) {
      if (field.is_pointer) return std::nullopt;
      return null_value(*field.type);
    }
    // JSONSchemaPropsOrBool and its kin are written as one of several types, and read so by Go.
    if (field.type->form == Form::kAny && value.is_object() && is_schema_choice(type, field)) {
      const std::size_t findings = findings_.size();
      Change change = visit(value, type, place);
      findings_.resize(findings);  // its decoder is not the strict one
      return change;
    }
    return visit(value, *field.type, place);
  }

  static bool is_schema_choice(const Type& type, const Field& field) {
    return struct_name(type) == "JSONSchemaProps" &&
           (field.name == "items" || field.name == "additionalProperties" || field.name == "additionalItems");
  }

  /// What null leaves in a value that is no pointer: its zero value.
  Change null_value(const Type& type) {
    if (type.form == Form::kDuration && fatal_.empty()) fatal_ = "time: invalid duration \"\"";
    Value zero = zero_of(type, 0);
    if (zero.is_null()) return std::nullopt;
    return zero;
  }

  Change build(const Value& value, const Type& type, std::size_t base, bool same) {
    std::size_t written = 0;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const Slot& slot = slots_[base + i];
      const Field& field = type.fields[i];
      if (slot.member == nullptr) {
        if (field.omits_empty) continue;
        same = false;
      } else if (is_omitted(field, now(slot))) {
        same = false;
        continue;
      }
      ++written;
    }
    if (same) return std::nullopt;
    Object members;
    members.reserve(written);
    for (std::size_t i = 0; i < type.fields.size(); ++i) write(type.fields[i], slots_[base + i], members);
    if (type.preserves_unknown) {
      for (const Member& member : value.object()) {
        if (type.find(member.key) == nullptr) members.push_back(member);
      }
    }
    return Value(std::move(members), value.mark());
  }

  static const Value& now(const Slot& slot) { return slot.change ? *slot.change : slot.member->value; }

  static void write(const Field& field, Slot& slot, Object& members) {
    if (slot.member == nullptr) {
      if (field.omits_empty) return;
      members.push_back({field.name, field.is_pointer ? Value() : zero_of(*field.type, 0), {}});
    } else if (!is_omitted(field, now(slot))) {
      members.push_back({field.name, std::move(slot.change).value_or(slot.member->value), slot.member->mark});
    }
  }

  Change visit_map(const Value& value, const Type& type, const Place& place) {
    const Object& members = value.object();
    bool sorted = true;
    std::optional<Object> changed;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& member = members[i];
      sorted = sorted && (i == 0 || members[i - 1].key < member.key);
      const Value* earlier = document::earlier_member(place.earlier, member.key, i);
      Change change = member.value.is_null() ? null_value(*type.element)
                                             : visit(member.value, *type.element,
                                                     Place{&place, member.key, nullptr, nullptr, 0, false, earlier});
      if (!change) continue;
      if (!changed) changed = members;
      (*changed)[i].value = std::move(*change);
    }
    if (sorted && !changed) return std::nullopt;
    Object all = std::move(changed).value_or(members);
    if (!sorted) {
      std::sort(all.begin(), all.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
    }
    return Value(std::move(all), value.mark());
  }

  Change visit_list(const Value& value, const Type& type, const Place& place) {
    const Array& elements = value.array();
    std::optional<Array> changed;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Value* earlier = document::earlier_element(place.earlier, i);
      Change change = elements[i].is_null()
                          ? null_value(*type.element)
                          : visit(elements[i], *type.element, Place{&place, {}, nullptr, nullptr, i, true, earlier});
      if (!change) continue;
      if (!changed) changed = elements;
      (*changed)[i] = std::move(*change);
    }
    if (!changed) return std::nullopt;
    return Value(std::move(*changed), value.mark());
  }

  Change visit_integer(const Value& value, const Type& type, const Place& place) {
    if (!value.is_number()) return &type == &int32_ ? abort_as(value, type, place) : misfit(value, type, place);
    const bool fits = value.is_integer() &&
                      (type.form == Form::kInt64 || (value.integer() >= std::numeric_limits<std::int32_t>::min() &&
                                                     value.integer() <= std::numeric_limits<std::int32_t>::max()));
    if (fits) return std::nullopt;
    std::string message = type_error("number " + number_text(value), go_type(type), place);
    if (&type == &int32_) {
      fatal_ = std::move(message);
    } else if (error_.empty()) {
      error_ = std::move(message);
    }
    return std::nullopt;
  }

  Change visit_bytes(const Value& value) {
    const std::string& text = value.string();
    const std::optional<std::string> bytes = decode_base64(text);
    if (!bytes) {
      if (error_.empty()) {
        error_ = fmt::format("illegal base64 data at input byte {}", base64_fault(text));
      }
      return std::nullopt;
    }
    std::string canonical = encode_base64(*bytes);
    if (canonical == text) return std::nullopt;
    return Value(std::move(canonical), value.mark());
  }

  Change visit_quantity(const Value& value) {
    // Go parses the JSON text of whatever stands there.
    const std::string text = value.is_string()   ? std::string(trim(value.string()))
                             : value.is_number() ? number_text(value)
                                                 : "?";
    const Result<Quantity> quantity = Quantity::parse(text);
    if (!quantity) {
      fatal_ = quantity.error().message;
      return std::nullopt;
    }
    std::string canonical = quantity->to_string();
    if (value.is_string() && canonical == value.string()) return std::nullopt;
    return Value(std::move(canonical), value.mark());
  }

  Change visit_time(const Value& value, const Type& type) {
    const TimePrecision precision = type.form == Form::kTime ? TimePrecision::kSeconds : TimePrecision::kMicroseconds;
    const Result<Timestamp> at = parse_timestamp(value.string(), precision);
    if (!at) {
      fatal_ = at.error().message;
      return std::nullopt;
    }
    if (at->is_zero()) return Value();
    std::string canonical = format_timestamp(*at, precision);
    if (canonical == value.string()) return std::nullopt;
    return Value(std::move(canonical), value.mark());
  }

  Change visit_duration(const Value& value) {
    const Result<Duration> span = parse_duration(value.string());
    if (!span) {
      fatal_ = span.error().message;
      return std::nullopt;
    }
    std::string canonical = format_duration(*span);
    if (canonical == value.string()) return std::nullopt;
    return Value(std::move(canonical), value.mark());
  }

  static std::string type_error(std::string_view what, std::string_view type, const Place& place) {
    const Type* owner = innermost_struct(place);
    if (owner == nullptr) return fmt::format("json: cannot unmarshal {} into Go value of type {}", what, type);
    return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", what, struct_name(*owner),
                       field_stack(place), type);
  }

  /// Go remembers the first such error and goes on.
  Change misfit(const Value& value, const Type& type, const Place& place) {
    if (error_.empty()) error_ = type_error(value.type_name(), go_type(type), place);
    return std::nullopt;
  }

  /// A type with a decoder of its own that wants a string: its error ends the reading.
  Change abort(const Value& value, const Place& place) { return abort_as(value, string_, place); }

  Change abort_as(const Value& value, const Type& type, const Place& place) {
    fatal_ = type_error(value.type_name(), go_type(type), place);
    return std::nullopt;
  }

  void report_unknown(const Member& member, const Place& place) {
    if (findings_.size() >= kMaxFindings) return;
    const Place below{&place, member.key, nullptr, nullptr, 0, false, nullptr};
    findings_.push_back({member.mark, strict_path(below), false});
  }

  /// Puts the reader's duplicates among the unknown fields, where the document has them.
  void merge(const Diagnostics& duplicates) {
    const std::size_t unknown = findings_.size();
    for (const Diagnostic& problem : duplicates) {
      std::optional<std::string> path = duplicate_path(problem);
      if (!path) continue;
      const bool is_unseen =
          std::any_of(findings_.begin(), findings_.begin() + static_cast<std::ptrdiff_t>(unknown),
                      [&](const Finding& finding) { return finding.path == *path || lies_below(*path, finding.path); });
      if (!is_unseen) findings_.push_back({{problem.at.line, problem.at.column}, std::move(*path), true});
    }
    if (findings_.size() == unknown) return;
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
    });
  }

  std::vector<Slot> slots_;  // of the objects being walked, the innermost's last
  std::vector<Finding> findings_;
  std::string error_;  // the first that Go remembers
  std::string fatal_;  // the one that made Go stop
  const Type int32_ = of(Form::kInt32);
  const Type string_ = of(Form::kString);

  static Type of(Form form) {
    Type type;
    type.form = form;
    return type;
  }
};

}  // namespace

Conformed conform(const Value& value, const Type& type, const Diagnostics& duplicates, const Value* conforming) {
  return Conformer().run(value, type, duplicates, conforming);
}

Value zero_value(const Type& type) { return zero_of(type, 0); }

}  // namespace loadline::schema
