#include "hosts/controllers/kinds.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "hosts/controllers/caches.h"
#include "objects/schema/published.h"

namespace loadline::controllers {
namespace {

TEST(Kinds, AreNamedAsTheyArePublished) {
  std::size_t published = 0;
  Caches caches;
  caches.for_each([&]<class Kind>(Cache<Kind>&) {
    constexpr KindName kName = KindOf<Kind>::kName;
    const std::string api_version =
        kName.group.empty() ? std::string(kName.version) : std::string(kName.group) + "/" + std::string(kName.version);
    const schema::Resource* resource = schema::find_published(api_version, kName.kind);
    if (resource == nullptr) return;
    ++published;
    EXPECT_EQ(resource->plural, kName.plural) << kName.kind;
  });
  EXPECT_EQ(published, 26U);  // all but Stage, which is KWOK's
}

}  // namespace
}  // namespace loadline::controllers
