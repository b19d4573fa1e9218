#include "server/api/defaults/image_reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadline::api {
namespace {

TEST(ImageTag, IsLatestUnlessSomethingElseIsNamed) {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  struct Case {
    std::string image;
    std::string tag;
  };
  const std::vector<Case> cases = {
      {"nginx", "latest"},
      {"nginx:1.25", "1.25"},
      {"library/nginx:v1_a-b.c", "v1_a-b.c"},
      {"localhost:5000/a/b", "latest"},
      {"localhost:5000/a/b:v1", "v1"},
      {"example.com/a__b/c---d.e", "latest"},
      {"[::1]:5000/a:v1", "v1"},
      {"[::1]/a:v1", "v1"},
      {"HOST/a:v1", "v1"},
      {"nginx" + digest, ""},
      {"nginx:latest" + digest, "latest"},
      // What is no image's name has no tag, so it is pulled only if it is not there.
      {"", ""},
      {"Nginx", ""},
      {"a/Nginx", ""},
      {"nginx:", ""},
      {"nginx:-a", ""},
      {"nginx:" + std::string(129, 'a'), ""},
      {"a//b", ""},
      {"a/", ""},
      {"/a", ""},
      {"a..b", ""},
      {"a___b", ""},
      {"-a", ""},
      {"a-", ""},
      {"nginx@sha256:abc", ""},
      {"nginx@md5:" + std::string(32, 'a'), ""},
      {"a.b:port/c", ""},
      {"[::1/a", ""},
      {std::string(64, 'a'), ""},
      {std::string(256, 'a'), ""},
  };
  for (const Case& one : cases) EXPECT_EQ(image_tag(one.image), one.tag) << one.image;
}

}  // namespace
}  // namespace loadline::api
