#include "server/apiserver/builtin_controllers/object_head.h"

#include <array>
#include <string_view>

#include "foundation/document/outline.h"

namespace loadline::apiserver {

document::Value head_of(const store::Object& object) {
  if (document::Value parsed = object.parsed_document(); !parsed.is_null()) return parsed;
  constexpr std::array<std::string_view, 1> kKept{"metadata"};
  constexpr std::array<std::string_view, 2> kLeftOut{"metadata.managedFields", "metadata.annotations"};
  document::Value head = document::read_outline(object.text(), {kKept, kLeftOut}).object;
  return head.is_null() ? object.document() : head;
}

}  // namespace loadline::apiserver
