#include "server/api/apply/managed_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "server/api/apply/apply.h"

namespace loadline::api {

using schema::Catalog;
using schema::conform;
using schema::GroupVersionKind;
using schema::zero_value;
namespace {

using document::Value;

Value parse(const std::string& text) {
  const document::Reading reading = document::read_json(text, "test");
  EXPECT_TRUE(reading.problems.empty()) << text;
  return reading.documents.empty() ? Value() : reading.documents[0];
}

TEST(FieldSet, IsReadAndWrittenByteForByte) {
  const std::string text = R"({"f:metadata":{"f:finalizers":{".":{},"v:\"a<b\"":{}},"f:labels":{".":{},"f:a":{}}},)"
                           R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:ports":{".":{},)"
                           R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}},)"
                           R"("k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{".":{}}}}},"f:replicas":{},"i:3":{}}})";
  const auto set = FieldSet::from_fields_v1(parse(text));
  ASSERT_TRUE(set);
  std::string written = document::write_json(set->to_fields_v1());
  // A key that only has "." below it is a member without children; `<` is written safe for HTML.
  std::string expected = text;
  expected.replace(expected.find("a<b"), 3, "a\\\\u003cb");
  expected.replace(expected.rfind("{\".\":{}}"), 8, "{}");
  EXPECT_EQ(written, expected);
}

TEST(FieldSet, RefusesWhatIsNoSet) {
  EXPECT_FALSE(FieldSet::from_fields_v1(parse(R"({"spec":{}})")));
  EXPECT_FALSE(FieldSet::from_fields_v1(parse(R"({"f:spec":1})")));
  EXPECT_FALSE(FieldSet::from_fields_v1(parse(R"({"k:nothing":{}})")));
  EXPECT_FALSE(FieldSet::from_fields_v1(parse(R"({"i:x":{}})")));
  // A later version may know it.
  EXPECT_TRUE(FieldSet::from_fields_v1(parse(R"({"z:later":{}})"))->empty());
}

TEST(FieldSet, OperationsTreatParentsAndChildrenApart) {
  const FieldSet a = FieldSet::of_fields({{"a"}, {"a", "b"}, {"a", "c"}});
  EXPECT_EQ(a.without(FieldSet::of_fields({{"a"}})), FieldSet::of_fields({{"a", "b"}, {"a", "c"}}));
  EXPECT_TRUE(a.without_subtrees(FieldSet::of_fields({{"a"}})).empty());
  EXPECT_EQ(a.intersected(FieldSet::of_fields({{"a", "b"}, {"x"}})), FieldSet::of_fields({{"a", "b"}}));
  EXPECT_EQ(a.leaves(), FieldSet::of_fields({{"a", "b"}, {"a", "c"}}));
  const FieldSet::Path path{PathElement::field("a"), PathElement::field("b")};
  EXPECT_TRUE(a.has(path));
  EXPECT_EQ(readable_path(path), ".a.b");
}

TEST(ManagerName, ComesFromTheParameterOrTheUserAgent) {
  EXPECT_EQ(manager_name("me", "kubectl/v1.36"), "me");
  EXPECT_EQ(manager_name("", "kube-controller-manager/v1.36.2 (linux/amd64)"), "kube-controller-manager");
  EXPECT_EQ(manager_name("", std::string(200, 'x')), std::string(128, 'x'));
  EXPECT_EQ(manager_name("", "a\tb"), "ab");
}

/// A deployment as the recordings of a kube-apiserver 1.36.2 apply it.
class Apply : public ::testing::Test {
 protected:
  Apply() : catalog_(Catalog::published()) {
    management_.type = catalog_.find_type(kind_);
    management_.api_version = "apps/v1";
    management_.now = "2026-11-21T02:30:04Z";
  }
  static Value deployment(int replicas) {
    return parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d1"},"spec":{"replicas":)" +
                 std::to_string(replicas) +
                 R"(,"selector":{"matchLabels":{"a":"d1"}},"template":{"metadata":{"labels":{"a":"d1"}},)"
                 R"("spec":{"containers":[{"name":"c","image":"x"}]}}}})");
  }
  tl::expected<Value, ApplyError> run(const Value& live, const Value& applied, const char* manager, bool force) {
    return apply(live, applied, manager, force, kind_, management_);
  }
  Value created() {
    const auto first = run(zero_value(*management_.type), deployment(1), "m1", false);
    EXPECT_TRUE(first);
    return conform(*first, *management_.type).value;
  }
  static std::string managed(const Value& object) {
    const Value* list = document::find_at(object, {"metadata", "managedFields"});
    return list == nullptr ? "" : document::write_json(*list);
  }

  Catalog catalog_;
  GroupVersionKind kind_{"apps", "v1", "Deployment"};
  FieldManagement management_;
};

constexpr const char* kTemplate =
    R"("f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":)"
    R"({"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}}}}})";

std::string entry(const std::string& manager, const std::string& fields) {
  return R"({"manager":")" + manager +
         R"(","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-21T02:30:04Z","fieldsType":"FieldsV1",)"
         R"("fieldsV1":{"f:spec":{)" +
         fields + kTemplate;
}

/// What was written here is not read again where it does not matter; it leads to the same as reading it.
TEST_F(Apply, UpdatesAreRecordedAlikeWhetherEntriesAreReadOrNot) {
  Value live = record_update(zero_value(*management_.type), deployment(1), "creator", management_);
  live = document::with_at(live, {"metadata", "uid"}, Value("u"));
  const Value changes[] = {
      document::with_at(live, {"metadata", "labels", "a"}, Value("b")),
      document::with_at(live, {"spec", "replicas"}, Value(std::int64_t{5})),
      document::with_at(live, {"status", "replicas"}, Value(std::int64_t{1})),
      document::with_at(document::without_at(live, {"spec", "selector"}), {"status", "replicas"},
                        Value(std::int64_t{2})),
      live,
  };
  const auto reread = [](const Value& value) { return parse(document::write_json(value)); };
  for (const std::string manager : {"creator", "other"}) {
    for (const Value& changed : changes) {
      const Value recorded = record_update(live, changed, manager, management_);
      EXPECT_EQ(document::write_json(recorded),
                document::write_json(record_update(reread(live), reread(changed), manager, management_)));
      // And once more, on what was recorded.
      const Value next = document::with_at(recorded, {"metadata", "annotations", "x"}, Value("y"));
      EXPECT_EQ(document::write_json(record_update(recorded, next, "third", management_)),
                document::write_json(record_update(reread(recorded), reread(next), "third", management_)));
    }
  }
}

TEST_F(Apply, CreatesAsRecorded) { EXPECT_EQ(managed(created()), "[" + entry("m1", R"("f:replicas":{},)") + "]"); }

TEST_F(Apply, ConflictsAsRecorded) {
  const auto refused = run(created(), deployment(3), "m2", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (ApplyError{ApplyError::Kind::kConflict,
                                         R"(Apply failed with 1 conflict: conflict with "m1": .spec.replicas)",
                                         {{R"(conflict with "m1")", ".spec.replicas"}}}));
}

TEST_F(Apply, IsForcedAsRecorded) {
  const auto forced = run(created(), deployment(3), "m2", true);
  ASSERT_TRUE(forced);
  EXPECT_EQ(managed(*forced), "[" + entry("m1", "") + "," + entry("m2", R"("f:replicas":{},)") + "]");
  EXPECT_EQ(document::find_at(*forced, {"spec", "replicas"})->integer(), 3);
}

TEST_F(Apply, RefusesWhatIsNoConfiguration) {
  const auto refusal = [this](const std::string& text) { return run(created(), parse(text), "m", false).error(); };
  EXPECT_EQ(refusal(R"({"apiVersion":"v1","kind":"Pod"})"),
            (ApplyError{ApplyError::Kind::kBadRequest, "invalid object type: /v1, Kind=Pod", {}}));
  EXPECT_EQ(refusal(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"managedFields":[]}})"),
            (ApplyError{ApplyError::Kind::kBadRequest, "metadata.managedFields must be nil", {}}));
  EXPECT_EQ(
      refusal(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d1"},"spec":{"foo":1}})").message,
      "failed to create typed patch object (/d1; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema");
}

TEST_F(Apply, OfTheSameAgainChangesNothing) {
  const Value live = created();
  management_.now = "2027-01-01T00:00:00Z";
  const auto again = run(live, deployment(1), "m1", false);
  ASSERT_TRUE(again);
  EXPECT_EQ(managed(*again), managed(live));
}

TEST_F(Apply, OldUpdatersBecomeAncient) {
  Value live = created();
  for (int i = 0; i < 15; ++i) {
    management_.now = "2027-01-01T00:00:" + std::to_string(10 + i) + "Z";
    const std::string label = "l" + std::to_string(i);
    const Value next = document::with_at(live, {"metadata", "labels", label}, Value("x"));
    live = record_update(live, document::with_at(next, {"metadata", "uid"}, Value("u")), "u" + label, management_);
  }
  const Value* list = document::find_at(live, {"metadata", "managedFields"});
  ASSERT_EQ(list->array().size(), 11U) << managed(live);
  EXPECT_EQ(document::text_at(list->array()[1], {"manager"}), "ancient-changes");
}

}  // namespace
}  // namespace loadline::api
