#include "objects/kube/locate.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"

namespace loadline::kube {
namespace {

struct Place {
  std::string_view path;
  document::Mark mark;
};

TEST(Locate, FindsTheFieldOrTheNearestObjectAroundIt) {
  const document::Reading reading = document::read(
      "spec:\n"                              // 1
      "  containers:\n"                      // 2
      "  - name: a\n"                        // 3
      "    resources:\n"                     // 4
      "      limits: {nvidia.com/gpu: 1}\n"  // 5
      "  replicas: 3\n",                     // 6
      "f");
  const document::Value& root = reading.documents.at(0);
  const Place places[] = {
      {"", {1, 1}},
      {"spec", {1, 1}},
      {"spec.replicas", {6, 13}},
      {"spec.containers", {2, 3}},
      {"spec.containers[0]", {3, 5}},
      {"spec.containers[0].name", {3, 11}},
      {"spec.containers[0].resources.limits[nvidia.com/gpu]", {5, 32}},
      {"spec.containers[0].image", {3, 5}},
      {"spec.containers[7].image", {2, 3}},
      {"spec.selector.matchLabels", {1, 1}},
      {"metadata.name", {1, 1}},
  };
  for (const Place& place : places) {
    EXPECT_EQ(locate(root, place.path), place.mark)
        << place.path << " at " << locate(root, place.path).line << ":" << locate(root, place.path).column;
  }
}

TEST(Locate, EndsAtPathsThatAreNone) {
  const document::Value root(document::Object{}, {1, 1});
  for (const std::string_view path : {".", "[", "]", "a[", "[]", "..a", "a[9999999999999999999999]"}) {
    EXPECT_EQ(locate(root, path), (document::Mark{1, 1})) << path;
  }
}

}  // namespace
}  // namespace loadline::kube
