// Whatever text is given: reading it never crashes, and every document read is written and read back equal.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace {

using loadline::document::Reading;
using loadline::document::Value;

// A float without a fraction is written, as by Go, as an integer; YAML reads it as one, so there is none here.
void require_round_trip(const Value& value) {
  const std::string yaml = write_yaml(value);
  const Reading again = loadline::document::read_yaml(yaml, "again");
  const Reading json = loadline::document::read_json(write_json(value), "again");
  if (again.documents.size() == 1 && again.problems.empty() && again.documents[0] == value &&
      json.documents.size() == 1 && json.problems.empty() && json.documents[0] == value) {
    return;
  }
  std::cerr << write_json(value) << "\nis written as\n" << yaml << "\n";
  for (const auto& problem : again.problems) std::cerr << problem.to_string() << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Value& document : loadline::document::read_yaml(text, "fuzz").documents) require_round_trip(document);
  return 0;
}
