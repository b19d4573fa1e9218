#include "server/api/protobuf/protobuf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "foundation/base/base64.h"
#include "foundation/base/diagnostic.h"
#include "foundation/document/reader.h"
#include "foundation/document/utf8.h"
#include "objects/schema/conform.h"
#include "objects/schema/go_type.h"
#include "objects/schema/timestamp.h"
#include "server/api/protobuf/protobuf_wire.h"

namespace loadline::api {

using schema::conform;
using schema::Conformed;
using schema::Field;
using schema::Form;
using schema::format_duration;
using schema::format_timestamp;
using schema::struct_name;
using schema::TimePrecision;
using schema::Timestamp;
using schema::Type;
using schema::zero_value;
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kMagic{"k8s\0", 4};
constexpr int kMaxDepth = 100;

/// Which messages, embedded in an object's own, lead to the fields at hand; 0: none.
struct Inside {
  std::uint32_t outer = 0;
  std::uint32_t inner = 0;

  friend bool operator==(const Inside&, const Inside&) = default;
};

Inside inside_of(const Field& field) { return {field.inside, field.inside_that}; }

/// Where the number leads from there: to a field, to a message embedded deeper, or nowhere.
struct Destination {
  std::size_t field = 0;
  std::optional<Inside> deeper;
};

std::optional<Destination> locate(const Type& type, const Inside& inside, std::uint32_t number) {
  Inside deeper = inside;
  const bool may_descend = inside.inner == 0;
  (inside.outer == 0 ? deeper.outer : deeper.inner) = number;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    const Inside at = inside_of(field);
    if (at == inside && field.tag == number) return Destination{i, std::nullopt};
    const bool leads_there = may_descend && at.outer == deeper.outer && (at == deeper || deeper.inner == 0);
    if (leads_there) return Destination{0, deeper};
  }
  return std::nullopt;
}

class MessageDecoder {
 public:
  Result<Value> run(std::string_view message, const Type& type, std::string_view api_version, std::string_view kind) {
    Value value;
    if (!read_object(message, type, value)) return failure(std::move(error_));
    Object members;
    if (!kind.empty()) members.push_back({"kind", Value(kind), {}});
    if (!api_version.empty()) members.push_back({"apiVersion", Value(api_version), {}});
    for (const document::Member& member : value.object()) members.push_back(member);
    Conformed conformed = conform(Value(std::move(members)), type);
    if (!conformed.error.empty()) return failure(std::move(conformed.error));
    return std::move(conformed.value);
  }

 private:
  /// What has come of a field so far.
  struct Slot {
    bool is_set = false;
    Value value;               // of a scalar: the last one wins
    Array elements;            // of a list
    Object members;            // of a map, the last of equal keys wins
    std::string_view message;  // of a message
    std::string joined;        // that came in pieces: together they are the message that holds all of them
  };

  bool fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return false;
  }

  bool finish(const WireReader& reader) { return reader.error().empty() || fail(reader.error()); }

  bool read_object(std::string_view message, const Type& type, Value& value) {
    if (++depth_ > kMaxDepth) return fail("proto: message is nested too deeply");
    const Type* const outer = owner_;
    owner_ = &type;
    std::vector<Slot> slots(type.fields.size());
    bool read = read_fields(message, type, Inside{}, slots);
    Object members;
    for (std::size_t i = 0; read && i < slots.size(); ++i) {
      if (!slots[i].is_set) continue;
      Value member;
      read = take(slots[i], *type.fields[i].type, member);
      members.push_back({type.fields[i].name, std::move(member), {}});
    }
    value = Value(std::move(members));
    owner_ = outer;
    --depth_;
    return read;
  }

  bool read_fields(std::string_view message, const Type& type, const Inside& inside, std::vector<Slot>& slots) {
    WireReader reader(message);
    while (const std::optional<WireField> wire = reader.next()) {
      const std::optional<Destination> destination = locate(type, inside, wire->number);
      if (!destination) continue;
      if (destination->deeper) {
        if (wire->type != WireType::kBytes) return wrong_type(*wire, struct_name(type));
        if (!read_fields(wire->bytes, type, *destination->deeper, slots)) return false;
        continue;
      }
      const Field& field = type.fields[destination->field];
      if (!add(*wire, field, slots[destination->field])) return false;
    }
    return finish(reader);
  }

  bool wrong_type(const WireField& wire, std::string_view field) {
    return fail(fmt::format("proto: wrong wireType = {} for field {}", static_cast<int>(wire.type), field));
  }

  bool add(const WireField& wire, const Field& field, Slot& slot) {
    slot.is_set = true;
    switch (field.type->form) {
      case Form::kList:
        return field.type->is_wrapped ? add_message(wire, field, slot) : add_element(wire, field, slot);
      case Form::kMap:
        if (wire.type != WireType::kBytes) return wrong_type(wire, field.name);
        return add_entry(wire.bytes, field, slot);
      case Form::kObject:
        return add_message(wire, field, slot);
      default:
        return read_single(wire, *field.type, field.name, slot.value);
    }
  }

  bool add_message(const WireField& wire, const Field& field, Slot& slot) {
    if (wire.type != WireType::kBytes) return wrong_type(wire, field.name);
    if (slot.message.data() == nullptr) {
      slot.message = wire.bytes;
    } else {
      if (slot.joined.empty()) slot.joined = slot.message;
      slot.joined += wire.bytes;
      slot.message = slot.joined;
    }
    return true;
  }

  bool add_element(const WireField& wire, const Field& field, Slot& slot) {
    const Type& element = *field.type->element;
    const bool is_integer = element.form == Form::kInt32 || element.form == Form::kInt64;
    if (is_integer && wire.type == WireType::kBytes) return add_packed(wire.bytes, element, slot);
    return read_single(wire, element, field.name, slot.elements.emplace_back());
  }

  bool add_packed(std::string_view bytes, const Type& element, Slot& slot) {
    WireReader reader(bytes);
    while (!reader.at_end()) {
      const std::optional<std::uint64_t> number = reader.next_varint();
      if (!number) return finish(reader);
      slot.elements.push_back(integer(*number, element.form));
    }
    return true;
  }

  bool add_entry(std::string_view entry, const Field& field, Slot& slot) {
    std::string key;
    const Type& element = *field.type->element;
    Value value = element.form == Form::kBytes ? Value("") : zero_value(element);
    WireReader reader(entry);
    while (const std::optional<WireField> wire = reader.next()) {
      if (wire->number == 1) {
        if (wire->type != WireType::kBytes) return wrong_type(*wire, field.name);
        key = document::to_valid_utf8(wire->bytes);
      } else if (wire->number == 2) {
        if (!read_single(*wire, element, field.name, value)) return false;
      }
    }
    slot.members.push_back({std::move(key), std::move(value), {}});
    return finish(reader);
  }

  bool take(Slot& slot, const Type& type, Value& value) {
    if (type.form == Form::kObject) return read_object(slot.message, type, value);
    if (type.form == Form::kMap) {
      value = Value(unique(std::move(slot.members)));
      return true;
    }
    if (type.form != Form::kList) {
      value = std::move(slot.value);
      return true;
    }
    if (type.is_wrapped) return read_wrapped(slot.message, type, value);
    value = Value(std::move(slot.elements));
    return true;
  }

  /// Sorted, of equal keys only the last.
  static Object unique(Object members) {
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    Object last;
    for (document::Member& member : members) {
      if (!last.empty() && last.back().key == member.key) last.pop_back();
      last.push_back(std::move(member));
    }
    return last;
  }

  bool read_wrapped(std::string_view message, const Type& type, Value& value) {
    Array elements;
    WireReader reader(message);
    while (const std::optional<WireField> wire = reader.next()) {
      if (wire->number != 1) continue;
      if (!read_single(*wire, *type.element, "items", elements.emplace_back())) return false;
    }
    value = Value(std::move(elements));
    return finish(reader);
  }

  bool read_single(const WireField& wire, const Type& type, std::string_view name, Value& value) {
    const WireType expected = wire_type(type.form);
    if (wire.type != expected) return wrong_type(wire, name);
    switch (type.form) {
      case Form::kString:
        value = Value(document::to_valid_utf8(wire.bytes));
        return true;
      case Form::kBytes:
        value = Value(encode_base64(wire.bytes));
        return true;
      case Form::kInt32:
      case Form::kInt64:
        value = integer(wire.scalar, type.form);
        return true;
      case Form::kBoolean:
        value = Value(wire.scalar != 0);
        return true;
      case Form::kNumber:
        return read_number(wire.scalar, value);
      case Form::kObject:
        return read_object(wire.bytes, type, value);
      case Form::kList:
        return read_wrapped(wire.bytes, type, value);
      case Form::kMap:
        return fail(fmt::format("proto: {} is a map of maps", name));
      default:
        return read_special(wire.bytes, type, value);
    }
  }

  static WireType wire_type(Form form) {
    switch (form) {
      case Form::kInt32:
      case Form::kInt64:
      case Form::kBoolean:
        return WireType::kVarint;
      case Form::kNumber:
        return WireType::kFixed64;
      default:
        return WireType::kBytes;
    }
  }

  static Value integer(std::uint64_t number, Form form) {
    if (form == Form::kInt64) return Value(static_cast<std::int64_t>(number));
    return Value(std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(number))});
  }

  bool read_number(std::uint64_t bits, Value& value) {
    double number = 0;
    static_assert(sizeof number == sizeof bits);
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) return fail("json: unsupported value: a number that is not finite");
    // JSON tells whole numbers and others apart by how they are written, and Go writes 1.0 as 1.
    const bool is_whole = std::trunc(number) == number && std::abs(number) < 1e15;
    value = is_whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
    return true;
  }

  /// Types whose messages are made by hand upstream.
  bool read_special(std::string_view message, const Type& type, Value& value) {
    if (type.form == Form::kAny && type.name.find("JSONSchemaPropsOr") != std::string::npos) {
      return read_schema_choice(message, type, value);
    }
    Parts parts;
    if (!read_parts(message, parts)) return false;
    switch (type.form) {
      case Form::kQuantity:
        value = Value(parts.first_bytes.data() == nullptr ? std::string("0") : std::string(parts.first_bytes));
        return true;
      case Form::kTime:
      case Form::kMicroTime:
        value = message.empty() ? Value() : time(parts, type.form);
        return value.is_null() ? message.empty() || fail("Time.MarshalJSON: year outside of range [0,9999]") : true;
      case Form::kDuration:
        value = Value(format_duration({static_cast<std::int64_t>(parts.first)}));
        return true;
      case Form::kIntOrString:
        value =
            parts.first == 1 ? Value(document::to_valid_utf8(parts.third_bytes)) : integer(parts.second, Form::kInt32);
        return true;
      default:
        return read_json(parts.first_bytes, value);
    }
  }

  /// The first three fields of a message.
  struct Parts {
    std::uint64_t first = 0;
    std::string_view first_bytes;
    std::uint64_t second = 0;
    std::string_view third_bytes;
  };

  bool read_parts(std::string_view message, Parts& parts) {
    WireReader reader(message);
    while (const std::optional<WireField> wire = reader.next()) {
      const bool is_bytes = wire->type == WireType::kBytes;
      if (wire->number == 1 && is_bytes) parts.first_bytes = wire->bytes;
      if (wire->number == 1 && !is_bytes) parts.first = wire->scalar;
      if (wire->number == 2 && !is_bytes) parts.second = wire->scalar;
      if (wire->number == 3 && is_bytes) parts.third_bytes = wire->bytes;
    }
    return finish(reader);
  }

  /// Null if the year has no four digits.
  static Value time(const Parts& parts, Form form) {
    constexpr std::int64_t kYear0 = -62'167'219'200;
    constexpr std::int64_t kYear10000 = 253'402'300'800;
    Timestamp at{static_cast<std::int64_t>(parts.first), 0};
    if (at.seconds <= kYear0 || at.seconds >= kYear10000) return {};
    const TimePrecision precision = form == Form::kTime ? TimePrecision::kSeconds : TimePrecision::kMicroseconds;
    const auto nanoseconds = static_cast<std::int32_t>(static_cast<std::uint32_t>(parts.second));
    if (nanoseconds > 0 && nanoseconds < 1'000'000'000) at.nanoseconds = nanoseconds;
    return Value(format_timestamp(at, precision));
  }

  bool read_json(std::string_view text, Value& value) {
    value = Value();
    if (text.empty()) return true;
    document::Reading reading = document::read_json(text, "");
    for (const Diagnostic& problem : reading.problems) {
      if (reading.documents.empty()) return fail(problem.message);
    }
    if (reading.documents.size() > 1) return fail("invalid character after top-level value");
    if (!reading.documents.empty()) value = std::move(reading.documents.front());
    return true;
  }

  /// JSONSchemaPropsOrBool {allows, schema}, …OrArray {schema, schemas}, …OrStringArray {schema, strings}: the schema
  /// is of the type that the choice is a field of.
  bool read_schema_choice(std::string_view message, const Type& type, Value& value) {
    const bool or_bool = type.name.ends_with("OrBool");
    const bool or_strings = type.name.ends_with("OrStringArray");
    bool allows = false;
    std::optional<Value> schema;
    Array list;
    WireReader reader(message);
    while (const std::optional<WireField> wire = reader.next()) {
      if (wire->number > 2) continue;
      const bool is_schema = (wire->number == 1) != or_bool;
      const bool is_boolean = or_bool && !is_schema;
      if ((wire->type == WireType::kBytes) == is_boolean) return wrong_type(*wire, struct_name(type));
      if (is_boolean) {
        allows = wire->scalar != 0;
      } else if (is_schema) {
        if (!read_object(wire->bytes, *owner_, schema.emplace())) return false;
      } else if (or_strings) {
        list.emplace_back(document::to_valid_utf8(wire->bytes));
      } else if (!read_object(wire->bytes, *owner_, list.emplace_back())) {
        return false;
      }
    }
    value = !list.empty() ? Value(std::move(list)) : schema ? std::move(*schema) : or_bool ? Value(allows) : Value();
    return finish(reader);
  }

  const Type* owner_ = nullptr;  // the object whose fields are being read
  int depth_ = 0;
  std::string error_;
};

/// The strings of a message by number.
std::optional<std::string> read_strings(std::string_view message, std::string_view (&strings)[5]) {
  WireReader reader(message);
  while (const std::optional<WireField> wire = reader.next()) {
    if (wire->number > 4) continue;
    if (wire->type != WireType::kBytes) {
      return fmt::format("proto: wrong wireType = {} for field {}", static_cast<int>(wire->type), wire->number);
    }
    strings[wire->number] = wire->bytes;
  }
  if (reader.error().empty()) return std::nullopt;
  return reader.error();
}

}  // namespace

Result<ProtobufEnvelope> read_protobuf_envelope(std::string_view body) {
  if (body.empty()) return failure("empty data");
  if (!body.starts_with(kMagic)) {
    return failure("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (body.size() == kMagic.size()) return failure("empty body");
  std::string_view parts[5];
  if (const auto error = read_strings(body.substr(kMagic.size()), parts)) return failure(*error);
  std::string_view type_meta[5];
  if (const auto error = read_strings(parts[1], type_meta)) return failure(*error);
  ProtobufEnvelope envelope;
  envelope.api_version = document::to_valid_utf8(type_meta[1]);
  envelope.kind = document::to_valid_utf8(type_meta[2]);
  envelope.message = parts[2];
  return envelope;
}

Result<Value> decode_protobuf(std::string_view message, const Type& type, std::string_view api_version,
                              std::string_view kind) {
  if (type.form != Form::kObject) return failure("this kind has no protobuf message");
  return MessageDecoder().run(message, type, api_version, kind);
}

}  // namespace loadline::api
