#include "hosts/watching/kind_name.h"

namespace loadline::watching {

KindName kind_name_of(const kube::KindInfo& info) {
  const std::size_t slash = info.api_version.find('/');
  if (slash == std::string_view::npos) return {"", info.api_version, info.kind, info.plural};
  return {info.api_version.substr(0, slash), info.api_version.substr(slash + 1), info.kind, info.plural};
}

}  // namespace loadline::watching
