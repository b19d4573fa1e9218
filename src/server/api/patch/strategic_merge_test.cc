#include "server/api/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::api {

using schema::Field;
using schema::Form;
using schema::Type;
using schema::TypeSet;
namespace {

using document::PatchError;
using document::PatchResult;
using document::Value;

/// A pod as far as these tests look at it.
class StrategicMerge : public ::testing::Test {
 protected:
  StrategicMerge() {
    Type& text = types_.add();
    text.form = Form::kString;
    Type& number = types_.add();
    number.form = Form::kInt32;
    Type& labels = add(Form::kMap, "");
    labels.element = &text;
    Type& env = object("io.k8s.api.core.v1.EnvVar", {{"name", &text}, {"value", &text}});
    Type& port =
        object("io.k8s.api.core.v1.ContainerPort", {{"containerPort", &number}, {"protocol", &text}, {"name", &text}});
    Type& container = object("io.k8s.api.core.v1.Container", {{"name", &text}, {"image", &text}});
    merging(container, "env", env, "name");
    merging(container, "ports", port, "containerPort");
    container.fields.push_back(field("args", list(text)));
    Type& claim = object("io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource", {{"claimName", &text}});
    Type& empty_dir = object("io.k8s.api.core.v1.EmptyDirVolumeSource", {{"medium", &text}});
    Type& volume = object("io.k8s.api.core.v1.Volume",
                          {{"name", &text}, {"emptyDir", &empty_dir}, {"persistentVolumeClaim", &claim}});
    Type& spec = object("io.k8s.api.core.v1.PodSpec", {{"nodeSelector", &labels}, {"priority", &number}});
    merging(spec, "containers", container, "name");
    merging(spec, "volumes", volume, "name").retains_keys = true;
    Type& meta = object("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", {{"name", &text}, {"labels", &labels}});
    merging(meta, "finalizers", text, "");
    pod_ = &object("io.k8s.api.core.v1.Pod", {{"metadata", &meta}, {"spec", &spec}});
  }

  std::string merge(const std::string& original, const std::string& patch) {
    const PatchResult result = strategic_merge(parse(original), parse(patch), *pod_);
    return result ? document::write_json(*result) : result.error().message;
  }
  /// The same within spec.
  std::string merge_spec(const std::string& original, const std::string& patch) {
    const std::string merged = merge("{\"spec\":" + original + "}", "{\"spec\":" + patch + "}");
    return merged.starts_with("{\"spec\":") ? merged.substr(8, merged.size() - 9) : merged;
  }
  PatchError refusal(const std::string& original, const std::string& patch) {
    const PatchResult result = strategic_merge(parse(original), parse(patch), *pod_);
    EXPECT_FALSE(result) << patch;
    return result ? PatchError{} : result.error();
  }

 private:
  static Value parse(const std::string& text) {
    const document::Reading reading = document::read_json(text, "test");
    EXPECT_TRUE(reading.problems.empty()) << text;
    return reading.documents.empty() ? Value() : reading.documents[0];
  }
  static Field field(const std::string& name, const Type& type) {
    Field field;
    field.name = name;
    field.type = &type;
    return field;
  }
  Type& add(Form form, const std::string& name) {
    Type& type = types_.add();
    type.form = form;
    type.name = name;
    return type;
  }
  Type& list(const Type& element) {
    Type& type = add(Form::kList, "");
    type.element = &element;
    return type;
  }
  Type& object(const std::string& name, std::initializer_list<std::pair<const char*, const Type*>> fields) {
    Type& type = add(Form::kObject, name);
    for (const auto& [field_name, field_type] : fields) type.fields.push_back(field(field_name, *field_type));
    return type;
  }
  Field& merging(Type& owner, const std::string& name, const Type& element, const std::string& key) {
    owner.fields.push_back(field(name, list(element)));
    owner.fields.back().merges = true;
    owner.fields.back().merge_key = key;
    return owner.fields.back();
  }

  TypeSet types_;
  Type* pod_ = nullptr;
};

TEST_F(StrategicMerge, MergesObjectsAndDeletesWhatIsNull) {
  EXPECT_EQ(merge(R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null,"c":"3"}}})"),
            R"({"metadata":{"labels":{"b":"2","c":"3"}}})");
  EXPECT_EQ(merge_spec(R"({"priority":1})", R"({"nodeSelector":{"a":null,"b":"1"}})"),
            R"({"priority":1,"nodeSelector":{"b":"1"}})");
  EXPECT_EQ(merge_spec(R"({"priority":1})", R"({"priority":null})"), R"({})");
}

TEST_F(StrategicMerge, ListsMergeByKeyInThePatchsOrder) {
  EXPECT_EQ(merge_spec(R"({"containers":[{"name":"a","image":"x"},{"name":"z","image":"z"}]})",
                       R"({"containers":[{"name":"b","image":"y"},{"name":"a","image":"w"}]})"),
            R"({"containers":[{"name":"b","image":"y"},{"name":"a","image":"w"},{"name":"z","image":"z"}]})");
  EXPECT_EQ(
      merge_spec(R"({"containers":[{"name":"a","args":["1","2"]}]})", R"({"containers":[{"name":"a","args":["3"]}]})"),
      R"({"containers":[{"name":"a","args":["3"]}]})");
  EXPECT_EQ(
      merge_spec(R"({"containers":[{"name":"a"},{"name":"b"}]})", R"({"containers":[{"name":"a","$patch":"delete"}]})"),
      R"({"containers":[{"name":"b"}]})");
  EXPECT_EQ(merge_spec(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                       R"({"containers":[{"$patch":"replace"},{"name":"c"}]})"),
            R"({"containers":[{"name":"c"}]})");
}

TEST_F(StrategicMerge, ListsOfScalarsMergeToo) {
  EXPECT_EQ(merge(R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["c","a"]}})"),
            R"({"metadata":{"finalizers":["c","a","b"]}})");
  EXPECT_EQ(merge(R"({"metadata":{"finalizers":["a","b"]}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
  EXPECT_EQ(merge(R"({"metadata":{"finalizers":["a","b","s"]}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],)"
                  R"("$setElementOrder/finalizers":["c","b"],"finalizers":["c"]}})"),
            R"({"metadata":{"finalizers":["c","b","s"]}})");
}

TEST_F(StrategicMerge, DirectivesOfAnObject) {
  EXPECT_EQ(merge_spec(R"({"nodeSelector":{"a":"1"}})", R"({"nodeSelector":{"$patch":"replace","b":"2"}})"),
            R"({"nodeSelector":{"b":"2"}})");
  EXPECT_EQ(merge_spec(R"({"nodeSelector":{"a":"1"}})", R"({"nodeSelector":{"$patch":"delete"}})"),
            R"({"nodeSelector":{}})");
  EXPECT_EQ(merge_spec(R"({"priority":1})", R"({"nodeSelector":{"$patch":"delete"}})"), R"({"priority":1})");
  EXPECT_EQ(merge_spec(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                       R"({"volumes":[{"name":"v","$retainKeys":["name","persistentVolumeClaim"],)"
                       R"("persistentVolumeClaim":{"claimName":"c"}}]})"),
            R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]})");
}

// As kubectl apply sends it: what only the server has keeps its place among the others as well as it can.
TEST_F(StrategicMerge, SetElementOrderOrdersWhatThePatchKnows) {
  EXPECT_EQ(merge_spec(R"({"containers":[{"name":"a"},{"name":"server"},{"name":"b"}]})",
                       R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],)"
                       R"("containers":[{"name":"a","image":"x"}]})"),
            R"({"containers":[{"name":"server"},{"name":"b"},{"name":"a","image":"x"}]})");
  EXPECT_EQ(merge_spec(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                       R"({"$setElementOrder/containers":[{"name":"d"}],)"
                       R"("containers":[{"name":"d"},{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b"},{"name":"c"},{"name":"d"}]})");
}

TEST_F(StrategicMerge, APatchIsAnObject) {
  EXPECT_EQ(strategic_merge(Value(document::Object{}), Value("x"), Type()).error(),
            (PatchError{PatchError::Kind::kMalformed,
                        "json: cannot unmarshal string into Go value of type map[string]interface {}"}));
  EXPECT_EQ(*strategic_merge(Value(document::Object{}), Value(), Type()), Value(document::Object{}));
}

TEST_F(StrategicMerge, ErrorsAreInUpstreamsWords) {
  using enum PatchError::Kind;
  const std::string pod = R"({"spec":{"nodeSelector":{"a":"1"},"containers":[{"name":"a","image":"x"}]}})";
  const struct {
    const char* spec;
    PatchError error;
  } cases[] = {
      {R"({"containers":[{"image":"y"}]})",
       {kCannotProcess, "map: map[image:y] does not contain declared merge key: name"}},
      {R"({"containers":[{"name":"a","$patch":"merge"}]})",
       {kCannotProcess, "merging lists cannot yet be specified in the patch"}},
      {R"({"containers":[{"name":"a","$patch":"grow"}]})",
       {kCannotProcess, "unknown patch type: grow in map: map[$patch:grow name:a]"}},
      {R"({"nodeSelector":{"$patch":"merge"}})",
       {kCannotProcess, "unknown patch type: merge in map: map[$patch:merge]"}},
      {R"({"containers":["a"]})",
       {kCannotProcess, "list element types are not identical: [[map[image:x name:a]] [a]]"}},
      {R"({"$setElementOrder/nothing":["a"]})",
       {kCannotProcess, "unable to find api field in struct PodSpec for the json field \"nothing\""}},
      {R"({"$setElementOrder":["a"]})", {kMalformed, "invalid patch format of setElementOrder list"}},
      {R"({"$deleteFromPrimitiveList":["a"]})", {kMalformed, "invalid patch format of primitive list"}},
      {R"({"$setElementOrder/containers":"a"})", {kCannotProcess, "expected a []interface {}, but received a string"}},
      {R"({"$retainKeys":"a"})", {kMalformed, "invalid patch format of retainKeys"}},
      {R"({"$retainKeys":["a"],"priority":1})", {kMalformed, "invalid patch format of retainKeys"}},
      {R"({"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"a"}]})",
       {kCannotProcess,
        "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"}},
  };
  for (const auto& test : cases) EXPECT_EQ(refusal(pod, "{\"spec\":" + std::string(test.spec) + "}"), test.error);
}

/// Each deletion used to look at, and move, the whole list.
TEST_F(StrategicMerge, DeletionsCostWhatTheyDelete) {
  constexpr int kMany = 100'000;
  const auto ports = [](int from, int step, std::string_view more) {
    std::string text;
    for (int i = from; i < kMany; i += step) {
      text += (text.empty() ? "" : ",") + ("{\"containerPort\":" + std::to_string(i)) + std::string(more) + "}";
    }
    return text;
  };
  EXPECT_EQ(merge_spec(R"({"containers":[{"name":"a","ports":[)" + ports(0, 1, "") + "]}]}",
                       R"({"containers":[{"name":"a","ports":[)" + ports(1, 2, R"(,"$patch":"delete")") +
                           R"(,{"containerPort":1,"$patch":"delete"}]}]})"),
            R"({"containers":[{"name":"a","ports":[)" + ports(0, 2, "") + "]}]}");
}

}  // namespace
}  // namespace loadline::api
