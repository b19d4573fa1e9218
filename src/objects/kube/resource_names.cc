#include "objects/kube/resource_names.h"

#include <string>

#include "objects/kube/scalars.h"

namespace loadline::kube {

bool is_huge_page_resource(std::string_view name) { return name.starts_with(kHugePagesPrefix); }

bool is_native_resource(std::string_view name) {
  return name.find('/') == std::string_view::npos || is_prefixed_native_resource(name);
}

bool is_prefixed_native_resource(std::string_view name) {
  return name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_attachable_volume_resource(std::string_view name) { return name.starts_with("attachable-volumes-"); }

bool is_extended_resource(std::string_view name) {
  return !is_native_resource(name) && !name.starts_with(kRequestsPrefix) &&
         is_qualified_name(std::string(kRequestsPrefix).append(name));
}

bool is_overcommit_allowed(std::string_view name) { return is_native_resource(name) && !is_huge_page_resource(name); }

}  // namespace loadline::kube
