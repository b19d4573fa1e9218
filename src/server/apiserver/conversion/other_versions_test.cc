#include "server/apiserver/conversion/other_versions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "foundation/document/same_document.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The second version has spec.extra, spec.nested.y, b of spec.parts and of spec.pairs, and status.more.
std::string definition() {
  constexpr std::string_view kPart = R"({"type":"array","items":{"type":"object","properties":{)"
                                     R"("name":{"type":"string"},"a":{"type":"integer"}%}}})";
  constexpr std::string_view kVersion =
      R"({"name":"NAME","served":true,"storage":STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{
      "spec":{"type":"object","properties":{"size":{"type":"integer"}EXTRA,
        "nested":{"type":"object","properties":{"x":{"type":"integer"}NESTED}},
        "parts":PARTS,"pairs":PARTS}},
      "status":{"type":"object","properties":{"n":{"type":"integer"}MORE}}}}},
      "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.n"}}})";
  const auto version = [&](std::string_view name, std::string_view stored, bool has_more) {
    std::string text(kVersion);
    const auto replace = [&text](std::string_view what, const std::string& with) {
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
      }
    };
    std::string part(kPart);
    part.replace(part.find('%'), 1, has_more ? R"(,"b":{"type":"integer"})" : "");
    replace("NAME", std::string(name));
    replace("STORED", std::string(stored));
    replace("EXTRA", has_more ? R"(,"extra":{"type":"string","enum":["one","two"]})" : "");
    replace("NESTED", has_more ? R"(,"y":{"type":"integer"})" : "");
    replace("MORE", has_more ? R"(,"more":{"type":"string"})" : "");
    replace("PARTS", part);
    return text;
  };
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{{"name":"gadgets.example.com"}},"spec":{{"group":"example.com","scope":"Namespaced",
      "names":{{"plural":"gadgets","kind":"Gadget"}},"versions":[{},{}]}}}})",
      version("v1", "false", false), version("v2", "true", true));
}

constexpr std::string_view kFirst = "/apis/example.com/v1/namespaces/default/gadgets";
constexpr std::string_view kOne = "/apis/example.com/v1/namespaces/default/gadgets/g";
constexpr std::string_view kTwo = "/apis/example.com/v2/namespaces/default/gadgets/g";

std::string gadget(std::string_view version, std::string_view spec) {
  return fmt::format(R"({{"apiVersion":"example.com/{}","kind":"Gadget","metadata":{{"name":"g"}},"spec":{}}})",
                     version, spec);
}

class OtherVersionsTest : public testing::Test {
 protected:
  OtherVersionsTest() {
    EXPECT_EQ(server.post(kDefinitions, definition()).status, 201);
    EXPECT_EQ(server
                  .post("/apis/example.com/v2/namespaces/default/gadgets?fieldManager=two",
                        gadget("v2", R"({"size":1,"extra":"one","nested":{"x":1,"y":2},
                               "parts":[{"name":"p","a":1,"b":2},{"name":"q","a":3,"b":4}],
                               "pairs":[{"a":1,"b":2},{"a":3,"b":4}]})"))
                  .status,
              201);
    EXPECT_EQ(server.patch("merge", std::string(kTwo) + "/status", R"({"status":{"n":1,"more":"m"}})").status, 200);
  }

  std::string spec(std::string_view name) { return server.get(kTwo).at({"spec", name}); }
  void expect_that_all_stayed() {
    EXPECT_EQ(spec("extra"), "one");
    EXPECT_EQ(spec("nested"), R"({"x":1,"y":2})");
    EXPECT_EQ(spec("parts"), R"([{"a":1,"b":2,"name":"p"},{"a":3,"b":4,"name":"q"}])");
    EXPECT_EQ(spec("pairs"), R"([{"a":1,"b":2},{"a":3,"b":4}])");
    EXPECT_EQ(server.get(kTwo).at({"status", "more"}), "m");
  }

  TestServer server;
};

TEST_F(OtherVersionsTest, APatchKeepsWhatItsVersionCannotSay) {
  const Reply merged = server.patch("merge", kOne, R"({"spec":{"size":2}})");
  EXPECT_EQ(merged.status, 200);
  EXPECT_THAT(merged.header("Warning"), IsEmpty());
  expect_that_all_stayed();
  EXPECT_EQ(server.patch("json", kOne, R"([{"op":"replace","path":"/spec/size","value":3}])").status, 200);
  EXPECT_EQ(spec("size"), "3");
  expect_that_all_stayed();
}

TEST_F(OtherVersionsTest, AReplacementKeepsIt) {
  const std::string version = server.get(kOne).at({"metadata", "resourceVersion"});
  std::string without = gadget("v1", R"({"size":5,"nested":{"x":1},
    "parts":[{"name":"p","a":1},{"name":"q","a":3}],"pairs":[{"a":1},{"a":3}]})");
  without.replace(without.find(R"("name":"g")"), 10, fmt::format(R"("name":"g","resourceVersion":"{}")", version));
  EXPECT_EQ(server.put(kOne, without).status, 200);
  EXPECT_EQ(spec("size"), "5");
  expect_that_all_stayed();
}

TEST_F(OtherVersionsTest, WhatAClientGotItMaySendBack) {
  const Reply sent = server.put(std::string(kOne) + "?fieldValidation=Strict", server.get(kOne).body);
  EXPECT_EQ(sent.verdict(), "200");
  expect_that_all_stayed();
}

TEST_F(OtherVersionsTest, NoVersionChangesWhatItDoesNotKnow) {
  const Reply changed = server.patch("merge", kOne, R"({"spec":{"extra":"bogus"}})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_THAT(changed.header("Warning"), HasSubstr(R"(unknown field \"spec.extra\")"));
  expect_that_all_stayed();
  EXPECT_EQ(server.patch("merge", std::string(kOne) + "?fieldValidation=Strict", R"({"spec":{"extra":"two"}})").status,
            422);
  const Reply removed = server.patch("merge", kOne, R"({"spec":{"extra":null}})");
  EXPECT_THAT(removed.header("Warning"), HasSubstr("spec.extra (example.com/v2) stays"));
  expect_that_all_stayed();
  EXPECT_EQ(server.patch("merge", kTwo, R"({"spec":{"extra":null}})").status, 200);
  EXPECT_EQ(spec("extra"), "");
}

TEST_F(OtherVersionsTest, AnApplyKeepsItWhoeverOwnsIt) {
  const std::string path = std::string(kOne) + "?fieldManager=other&force=true";
  EXPECT_EQ(server.patch("apply", path, gadget("v1", R"({"size":7})")).status, 200);
  expect_that_all_stayed();
  const std::string mine = "?fieldManager=mine&force=true";
  EXPECT_EQ(server.patch("apply", std::string(kTwo) + mine, gadget("v2", R"({"size":8,"extra":"one"})")).status, 200);
  EXPECT_EQ(server.patch("apply", std::string(kOne) + mine, gadget("v1", R"({"size":9})")).status, 200);
  EXPECT_EQ(spec("size"), "9");
  expect_that_all_stayed();
}

TEST_F(OtherVersionsTest, ItsOwnersStayItsOwners) {
  EXPECT_EQ(server.patch("merge", std::string(kOne) + "?fieldManager=other", R"({"spec":{"size":2}})").status, 200);
  EXPECT_EQ(
      server
          .patch("apply", std::string(kOne) + "?fieldManager=applies&force=true", gadget("v1", R"({"nested":{"x":5}})"))
          .status,
      200);
  EXPECT_EQ(server.patch("apply", std::string(kTwo) + "?fieldManager=third", gadget("v2", R"({"extra":"two"})"))
                .verdict()
                .substr(0, 12),
            "409 Conflict");
  EXPECT_THAT(server.patch("apply", std::string(kTwo) + "?fieldManager=third", gadget("v2", R"({"size":3})")).verdict(),
              HasSubstr(R"(conflict with "other" using example.com/v1: .spec.size)"));
}

TEST_F(OtherVersionsTest, ScaleAndStatusKeepIt) {
  EXPECT_EQ(server.patch("merge", std::string(kOne) + "/scale", R"({"spec":{"replicas":4}})").status, 200);
  EXPECT_EQ(spec("size"), "4");
  EXPECT_EQ(server.patch("merge", std::string(kOne) + "/status", R"({"status":{"n":4}})").status, 200);
  EXPECT_EQ(server.get(kTwo).at({"status", "n"}), "4");
  const Reply whole = server.get(kOne);
  std::string body = whole.body;
  body.replace(body.find(R"("more":"m",)"), 11, "");
  EXPECT_EQ(server.put(std::string(kOne) + "/status", body).verdict(), "200");
  expect_that_all_stayed();
}

TEST_F(OtherVersionsTest, ItGoesWithWhatItIsIn) {
  EXPECT_EQ(
      server.patch("merge", kOne, R"({"spec":{"nested":null,"parts":[{"name":"q","a":3},{"name":"r","a":5}]}})").status,
      200);
  EXPECT_EQ(spec("nested"), "");
  EXPECT_EQ(spec("parts"), R"([{"a":3,"b":4,"name":"q"},{"a":5,"name":"r"}])");
}

TEST_F(OtherVersionsTest, ANewObjectSaysWhatItsVersionCan) {
  ASSERT_EQ(server.remove(kTwo).status, 200);
  const Reply made = server.post(kFirst, gadget("v1", R"({"size":1,"extra":"one"})"));
  EXPECT_THAT(made.header("Warning"), HasSubstr(R"(unknown field \"spec.extra\")"));
  EXPECT_EQ(spec("extra"), "");
}

// ---- what needs no installing -----------------------------------------------------------------------------------

constexpr std::string_view kMpiJob = R"({"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob","metadata":{"name":"pi"},
    "spec":{"slotsPerWorker":1,"launcherCreationPolicy":"WaitForWorkersReady","sshAuthMountPath":"/etc/mpi/.ssh",
    "mpiImplementation":"Intel","mpiReplicaSpecs":{
    "Launcher":{"replicas":1,"template":{"spec":{"containers":[{"name":"l","image":"i"}]}}},
    "Worker":{"replicas":2,"template":{"spec":{"containers":[{"name":"w","image":"i"}]}}}}}})";

TEST(VersionsOfBuiltInKinds, AnMpiJobKeepsWhatOnlyItsOwnVersionHas) {
  TestServer server;
  const std::string first = "/apis/kubeflow.org/v1/namespaces/default/mpijobs";
  const std::string second = "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs";
  ASSERT_EQ(server.post(second, kMpiJob).verdict(), "201");
  EXPECT_EQ(server.patch("merge", first + "/pi", R"({"metadata":{"labels":{"a":"b"}}})").header("Warning"), "");
  EXPECT_EQ(server.patch("merge", first + "/pi", R"({"spec":{"mpiReplicaSpecs":{"Worker":{"replicas":3}}}})").verdict(),
            "200");
  EXPECT_EQ(server.put(first + "/pi?fieldValidation=Strict", server.get(first + "/pi").body).verdict(), "200");
  const Reply job = server.get(second + "/pi");
  EXPECT_EQ(job.at({"spec", "launcherCreationPolicy"}), "WaitForWorkersReady");
  EXPECT_EQ(job.at({"spec", "sshAuthMountPath"}), "/etc/mpi/.ssh");
  EXPECT_EQ(job.at({"spec", "mpiImplementation"}), "Intel");
  EXPECT_EQ(job.at({"spec", "mpiReplicaSpecs", "Worker", "replicas"}), "3");
}

/// Something that has every field of the type.
Value sample(const schema::Type& type, int depth = 0) {
  using schema::Form;
  if (type.form == Form::kObject) {
    document::Object members;
    for (const schema::Field& field : type.fields) {
      if (field.type == nullptr || depth > 12) continue;
      members.push_back({field.name, field.name == "name" ? Value("n") : sample(*field.type, depth + 1), {}});
    }
    return Value(std::move(members));
  }
  if (type.form == Form::kMap && type.element != nullptr) {
    return Value(document::Object{{"key", sample(*type.element, depth + 1), {}}});
  }
  if (type.form == Form::kList && type.element != nullptr)
    return Value(document::Array{sample(*type.element, depth + 1)});
  return Value("text");
}

TEST(VersionsOfBuiltInKinds, WhatOneCannotSayIsTakenOutAndPutBack) {
  TestServer server;
  ServerContext context = server.plane().context();
  std::size_t with_more = 0;
  for (const auto& resource : context.catalog.all()) {
    if (!resource->is_custom) continue;
    const auto served = context.served.find(resource->kind.group, resource->kind.version, resource->plural);
    ASSERT_NE(served, nullptr);
    if (served->other_versions == nullptr) continue;
    ++with_more;
    for (const auto& other : context.catalog.all()) {
      if (other->kind.group != resource->kind.group || other->plural != resource->plural) continue;
      const Value whole = sample(*other->type);
      const Value bare = served->other_versions->without_kept(whole, whole);
      const Value again = served->other_versions->with_kept(bare, whole);
      EXPECT_TRUE(document::same_document(again, whole)) << resource->group_resource() << ' ' << other->kind.version;
      if (other->kind.version == resource->kind.version) {
        EXPECT_EQ(bare, whole) << resource->group_resource();
      }
    }
  }
  EXPECT_GE(with_more, 5U) << "of MPIJobs, of Ray";
}

}  // namespace
}  // namespace loadline::apiserver
