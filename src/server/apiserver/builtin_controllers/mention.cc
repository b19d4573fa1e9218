#include "server/apiserver/builtin_controllers/mention.h"

#include <cstring>

namespace loadline::apiserver {

bool mentions(const store::Object& object, std::string_view member) {
  const std::string_view text = object.text();
  return memmem(text.data(), text.size(), member.data(), member.size()) != nullptr;
}

}  // namespace loadline::apiserver
