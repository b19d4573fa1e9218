// Any bytes as a JSONPath, evaluated on a document that has something of everything: read or refused, and soon done.

#include "server/api/json_path/json_path.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/document/reader.h"

namespace {

const loadline::document::Value& subject() {
  static const auto& value = *new loadline::document::Value(loadline::document::read_json(R"({
        "metadata": {"name": "a", "labels": {"a.b/c": "d"}},
        "spec": {"n": 3, "f": 0.5, "t": true, "z": null, "e": "", "l": [1, 2, 3], "ll": [[1], [2, [3]], []]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "It's"}, {}, 7]}
      })",
                                                                                          "subject")
                                                                .documents.at(0));
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = loadline::api::JsonPath::parse({reinterpret_cast<const char*>(data), size});
  if (!path) return 0;
  const auto found = path->find(subject());
  if (!found) return 0;
  for (const loadline::document::Value* value : *found) static_cast<void>(loadline::api::printed(*value));
  return 0;
}
