#include "objects/kube/node/runtime_class.h"

#include <gtest/gtest.h>

#include "objects/kube/scalars.h"

namespace loadline::kube {
namespace {

TEST(RuntimeClassHandler, IsALabelWhereTheClassIsASubdomain) {
  EXPECT_EQ(handler_for("nvidia"), "nvidia");
  EXPECT_EQ(handler_for("kata.v3.example"), "kata-v3-example");
  const std::string stem(62, 'a');
  EXPECT_EQ(handler_for(stem + "bc"), stem + "b");
  EXPECT_EQ(handler_for(stem + ".b"), stem) << "a label does not end in a dash";
  EXPECT_TRUE(dns_label_problems(handler_for("1.5." + stem + stem)).empty());
}

}  // namespace
}  // namespace loadline::kube
