// Any text as an expression: compiled, and evaluated within a small budget.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/document/reader.h"
#include "objects/schema/cel/program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace cel = loadline::schema::cel;
  static const auto& self = *new loadline::document::Value(
      loadline::document::read_json(
          R"({"s":"text","i":1,"n":1.5,"b":true,"l":[1,2,3],"ls":["a","b"],"m":{"k":1},"z":null})", "self")
          .documents.front());
  const auto program = cel::compile(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!program) {
    if (program.error().message.empty()) __builtin_trap();
    return 0;
  }
  cel::Budget budget{2000};
  const cel::Value value = cel::Value::of(self, nullptr);
  const auto result = (*program)->evaluate({{"self", value}, {"oldSelf", value}}, budget);
  if (!result && result.error().message.empty()) __builtin_trap();
  return 0;
}
