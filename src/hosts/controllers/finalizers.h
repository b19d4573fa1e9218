#pragma once

#include <string_view>

#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/meta.h"

namespace loadline::controllers {

bool has_finalizer(const kube::ObjectMeta& object, std::string_view finalizer);

/// Of that very object: one of the same name that came later is left alone.
Action add_finalizer(const KindName& kind, const kube::ObjectMeta& object, std::string_view finalizer);
Action remove_finalizer(const KindName& kind, const kube::ObjectMeta& object, std::string_view finalizer);

}  // namespace loadline::controllers
