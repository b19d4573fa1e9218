// Any bytes as a snapshot that is to be put back: read or refused; namespaces come first, and every node is one that
// machines can be made of.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "app/cli/live/snapshot_file.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace {

using loadline::document::Value;

constexpr loadline::Instant kNow{1'767'225'600'000'000'000};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  const loadline::cli::SnapshotFile snapshot = loadline::cli::read_snapshot({"-"}, text, kNow);
  std::size_t nodes = 0;
  bool others = false;
  for (const Value& object : snapshot.objects) {
    const std::string_view kind = loadline::document::text_at(object, {"kind"});
    if (!object.is_object()) std::abort();
    if (kind == "Namespace" && others) std::abort();
    others |= kind != "Namespace";
    nodes += kind == "Node" ? 1 : 0;
    static_cast<void>(loadline::document::write_json(object));
  }
  if (nodes < snapshot.nodes) std::abort();
  return 0;
}
