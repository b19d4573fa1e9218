// Whatever document and patch are given (a line each): patching never crashes nor hangs, and what comes out is no
// deeper than the reader accepts, and can be written and read again.

#include "foundation/document/json_patch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "foundation/document/merge_patch.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace {

using loadline::document::Value;

void require_readable(const Value& patched) {
  if (!patched.is_object()) return;
  const auto again = loadline::document::read_json(loadline::document::write_json(patched), "again");
  if (again.documents.size() != 1 || !again.problems.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto original = loadline::document::read_json(text.substr(0, end), "document");
  // The reader takes objects: a JSON patch, which is a list, stands in one.
  const auto patch = loadline::document::read_json(text.substr(std::min(end + 1, text.size())), "patch");
  if (original.documents.size() != 1 || patch.documents.size() != 1) return 0;
  // What is patched is an object of an API.
  if (!original.documents[0].is_object()) return 0;
  if (const auto merged = loadline::document::merge_patch(original.documents[0], patch.documents[0])) {
    require_readable(*merged);
  }
  const Value* operations = patch.documents[0].find("patch");
  if (operations == nullptr) return 0;
  if (const auto patched = loadline::document::json_patch(original.documents[0], *operations)) {
    require_readable(*patched);
  }
  return 0;
}
