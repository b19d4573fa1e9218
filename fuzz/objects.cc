// Any bytes, read as documents and decoded as objects: no crash, no hang, and nothing kept that has an error.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  loadline::document::Reading reading = loadline::document::read(text, "fuzz");
  std::vector<loadline::kube::SourceDocument> documents;
  documents.reserve(reading.documents.size());
  for (loadline::document::Value& value : reading.documents) documents.push_back({std::move(value), "fuzz"});
  const loadline::kube::Decoding decoding = loadline::kube::decode(documents);
  for (const loadline::Diagnostic& diagnostic : decoding.diagnostics) {
    if (diagnostic.to_string().empty()) __builtin_trap();
  }
  return 0;
}
