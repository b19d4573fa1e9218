// Whatever text is given: reading it never crashes, and every value read is written and read back equal.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace {

using loadline::document::Array;
using loadline::document::JsonStyle;
using loadline::document::Member;
using loadline::document::Object;
using loadline::document::Reading;
using loadline::document::Value;

/// A float without a fraction is written, as by Go, as an integer: `1.0` becomes `1`. What it becomes is what must
/// last.
Value settled(const Value& value) {
  if (value.is_array()) {
    Array array;
    for (const Value& element : value.array()) array.push_back(settled(element));
    return Value(std::move(array));
  }
  if (value.is_object()) {
    Object object;
    for (const Member& member : value.object()) object.push_back({member.key, settled(member.value), {}});
    return Value(std::move(object));
  }
  if (!value.is_float()) return value;
  const Reading number = loadline::document::read_json(loadline::document::format_number(value.number()), "number");
  if (number.documents.size() != 1 || number.documents[0].number() != value.number()) {
    // Only beyond 2^53 may the shortest digits, read as an integer, be another integer than the float.
    if (!number.documents.empty() && number.documents[0].is_integer()) return number.documents[0];
    std::abort();
  }
  return number.documents[0];
}

void require(bool sound, const Value& value, const std::string& text) {
  if (sound) return;
  std::cerr << write_json(value) << "\nis written as\n" << text << "\n";
  std::abort();
}

void require_round_trip(const Value& document) {
  const Value value = settled(document);
  for (const JsonStyle style : {JsonStyle::kCompact, JsonStyle::kIndented}) {
    const std::string json = write_json(value, style);
    const Reading again = loadline::document::read_json(json, "again");
    require(again.documents.size() == 1 && again.problems.empty() && again.documents[0] == value, value, json);
  }
  const std::string yaml = write_yaml(value);
  const Reading again = loadline::document::read_yaml(yaml, "again");
  require(again.documents.size() == 1 && again.problems.empty() && again.documents[0] == value, value, yaml);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Value& document : loadline::document::read_json(text, "fuzz").documents) require_round_trip(document);
  return 0;
}
