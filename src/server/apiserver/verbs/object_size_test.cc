// A small body that stands for a large object.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kGadgets = "/apis/example.com/v1/namespaces/default/gadgets";

class ObjectSizeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server_
                  .post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                        R"({"metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com",
                           "scope":"Namespaced","names":{"kind":"Gadget","plural":"gadgets"},"versions":[{"name":"v1",
                           "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
                           "x-kubernetes-preserve-unknown-fields":true}}}]}})")
                  .status,
              201);
    server_.loop().run_until_idle();
  }

  /// A text of that size, so many times.
  static std::string yaml(std::size_t size, int times) {
    std::string text =
        "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec:\n- &a '" + std::string(size, 'x') + "'\n";
    for (int i = 1; i < times; ++i) text += "- *a\n";
    return text;
  }

  TestServer server_;
};

TEST_F(ObjectSizeTest, AliasesDoNotMakeAnObjectOfAnySize) {
  const auto verdict = [&](std::size_t size, int times) {
    return server_.send("POST", kGadgets, yaml(size, times), "application/yaml").verdict();
  };
  EXPECT_TRUE(verdict(100'000, 100)
                  .starts_with("413 RequestEntityTooLarge: Request entity is too large: the object would have 100"));
  EXPECT_TRUE(verdict(100'000, 900).starts_with("400 BadRequest: "));
  EXPECT_EQ(verdict(100'000, 20), "201");
}

TEST_F(ObjectSizeTest, NorDoPatchesOneAfterTheOther) {
  ASSERT_EQ(server_.post(kGadgets, R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}})").status,
            201);
  const std::string path = fmt::format("{}/g", kGadgets);
  std::string verdict = "200";
  int patches = 0;
  for (; verdict == "200" && patches < 10; ++patches) {
    verdict =
        server_.patch("merge", path, fmt::format(R"({{"a{}":"{}"}})", patches, std::string(1'000'000, 'x'))).verdict();
  }
  EXPECT_TRUE(verdict.starts_with("413 RequestEntityTooLarge: ")) << verdict;
  EXPECT_EQ(patches, 5);
  EXPECT_EQ(server_.patch("merge", path, R"({"a1":null})").verdict(), "200");
}

}  // namespace
}  // namespace loadline::apiserver
