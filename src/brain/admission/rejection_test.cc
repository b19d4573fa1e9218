#include "brain/admission/rejection.h"

#include <gtest/gtest.h>

namespace loadline::admission {
namespace {

TEST(RejectedObject, SpeaksAsTheApiServerDoes) {
  EXPECT_EQ(reject({Plugin::kPriority, {}, {"no"}}, "pods", "a").message, R"(pods "a" is forbidden: no)");
  EXPECT_EQ(reject({Plugin::kValidation, {}, {"no"}}, "Pod", "a").message, R"(Pod "a" is invalid: no)");
}

TEST(RejectedObject, PutsSeveralComplaintsInBracketsAndEqualOnesOnce) {
  EXPECT_EQ(aggregate({"a"}), "a");
  EXPECT_EQ(aggregate({"a", "b", "a"}), "[a, b]");
  EXPECT_EQ(aggregate({"a", "a"}), "a");
}

}  // namespace
}  // namespace loadline::admission
