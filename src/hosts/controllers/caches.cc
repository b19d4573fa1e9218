#include "hosts/controllers/caches.h"

namespace loadline::controllers {

AnyCache* Caches::find(std::string_view kind) {
  for (const auto& cache : caches_) {
    if (cache != nullptr && cache->kind().kind == kind) return cache.get();
  }
  return nullptr;
}

}  // namespace loadline::controllers
