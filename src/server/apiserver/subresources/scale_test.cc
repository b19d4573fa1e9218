#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kTemplate =
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})";

struct Case {
  std::string_view path;
  std::string selector;
};

TEST(Scale, OfAllThatHaveOne) {
  TestServer server;
  const std::string matching = R"({"matchLabels":{"a":"b"}})";
  const Case cases[] = {
      {"/apis/apps/v1/namespaces/default/deployments", matching},
      {"/apis/apps/v1/namespaces/default/replicasets", matching},
      {"/apis/apps/v1/namespaces/default/statefulsets", matching},
      {"/api/v1/namespaces/default/replicationcontrollers", R"({"a":"b"})"},
  };
  for (const Case& c : cases) {
    ASSERT_EQ(server
                  .post(c.path, fmt::format(R"({{"metadata":{{"name":"d"}},"spec":{{"replicas":3,"selector":{},{}}}}})",
                                            c.selector, kTemplate))
                  .verdict(),
              "201")
        << c.path;
    const std::string path = fmt::format("{}/d/scale", c.path);
    const Reply scale = server.get(path);
    EXPECT_EQ(scale.at({"kind"}), "Scale");
    EXPECT_EQ(scale.at({"spec"}), R"({"replicas":3})");
    EXPECT_EQ(scale.at({"status"}), R"({"replicas":0,"selector":"a=b"})");

    EXPECT_EQ(server.patch("merge", path, R"({"spec":{"replicas":5}})").at({"spec", "replicas"}), "5");
    const Reply object = server.get(fmt::format("{}/d", c.path));
    EXPECT_EQ(object.at({"spec", "replicas"}), "5");
    EXPECT_EQ(object.at({"metadata", "generation"}), "2");
    EXPECT_NE(object.body.find(R"("subresource":"scale")"), std::string::npos);

    EXPECT_EQ(server.put(path, scale.body).status, 409);  // it has changed since
    EXPECT_EQ(server.put(path, R"({"metadata":{"name":"d"},"spec":{"replicas":0}})").at({"spec"}), "{}");
    EXPECT_EQ(server.put(path, R"({"metadata":{"name":"e"},"spec":{"replicas":1}})").verdict(),
              "400 BadRequest: the name of the object (e) does not match the name on the URL (d)");
    EXPECT_EQ(server.put(path, R"({"metadata":{"name":"d"},"spec":{"replicas":-1}})").verdict(),
              "422 Invalid: Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than "
              "or equal to 0");
  }
}

}  // namespace
}  // namespace loadline::apiserver
