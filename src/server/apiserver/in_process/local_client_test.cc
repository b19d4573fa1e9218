#include "server/apiserver/in_process/local_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::ResourceReference;

Value parsed(std::string_view json) { return document::read_json(json, {}).documents.at(0); }

std::string text(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = document::find_at(object, path);
  if (found == nullptr) return {};
  return found->is_string() ? found->string() : document::write_json(*found);
}

ResourceReference config_maps(std::string name = {}) { return {"", "v1", "configmaps", "default", std::move(name)}; }
ResourceReference pods(std::string name = {}, std::string subresource = {}) {
  return {"", "v1", "pods", "default", std::move(name), std::move(subresource)};
}

Value config_map(std::string_view name, std::string_view color, std::string_view value = "1") {
  return parsed(fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"color":"{}"}}}},"data":{{"a":"{}"}}}})", name,
                            color, value));
}

Value pod(std::string_view name) {
  return parsed(
      fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})", name));
}

class LocalClientTest : public testing::Test {
 protected:
  /// The answer to one request: the object, or "409 Conflict: message" as text.
  template <class Ask>
  Value ask(Ask&& request) {
    std::optional<kube::Answer<Value>> answer;
    request([&](kube::Answer<Value> result) { answer = std::move(result); });
    EXPECT_FALSE(answer.has_value()) << "answered within the call";
    server_.loop().run_until_idle();
    if (!answer) return Value("no answer");
    if (*answer) return **answer;
    const kube::Status& status = answer->error();
    EXPECT_EQ(text(status.document, {"kind"}), "Status");
    return Value(fmt::format("{} {}: {}", status.code, status.reason, status.message));
  }
  Value get(const ResourceReference& of) {
    return ask([&](auto done) { client_->get(of, done); });
  }
  Value create(const ResourceReference& of, const Value& object) {
    return ask([&](auto done) { client_->create(of, object, done); });
  }
  Value update(const ResourceReference& of, const Value& object) {
    return ask([&](auto done) { client_->update(of, object, done); });
  }
  Value patch(const ResourceReference& of, kube::PatchType type, std::string_view json, bool force = false) {
    return ask([&](auto done) { client_->patch(of, {type, parsed(json), force}, done); });
  }
  Value remove(const ResourceReference& of, const kube::DeleteOptions& options = {}) {
    return ask([&](auto done) { client_->remove(of, options, done); });
  }
  kube::Answer<kube::ObjectList> list(const ResourceReference& of, const kube::ListOptions& options = {}) {
    std::optional<kube::Answer<kube::ObjectList>> answer;
    client_->list(of, options, [&](auto result) { answer = std::move(result); });
    server_.loop().run_until_idle();
    return answer.value();
  }
  std::unique_ptr<kube::Watch> watch(const ResourceReference& of, const kube::WatchOptions& options) {
    return client_->watch(of, options, [this](const kube::WatchEvent& event) {
      constexpr std::string_view kTypes[] = {"+", "~", "-", "bookmark ", "error "};
      const bool is_error = event.type == kube::WatchEvent::Type::kError;
      seen_.push_back(std::string(kTypes[static_cast<std::size_t>(event.type)]) +
                      (is_error ? text(event.object, {"reason"}) : text(event.object, {"metadata", "name"})));
      last_ = event.object;
    });
  }
  std::vector<std::string> seen() {
    server_.loop().run_until_idle();
    return std::exchange(seen_, {});
  }

  using Seen = std::vector<std::string>;

  TestServer server_;
  std::unique_ptr<kube::Client> client_ = server_.plane().client({"admin", "", {"system:masters"}, {}}, "tester");
  std::vector<std::string> seen_;
  Value last_;
};

TEST_F(LocalClientTest, CreatesReadsChangesAndRemoves) {
  const Value made = create(config_maps(), config_map("a", "red"));
  EXPECT_EQ(text(made, {"kind"}), "ConfigMap");
  EXPECT_EQ(text(made, {"metadata", "namespace"}), "default");
  EXPECT_EQ(get(config_maps("a")), made);
  EXPECT_EQ(server_.get("/api/v1/namespaces/default/configmaps/a").json(), made);
  EXPECT_NE(document::write_json(made).find(R"("manager":"tester")"), std::string::npos);

  const Value changed = update(config_maps("a"), document::with_at(made, {"data", "a"}, Value("2")));
  EXPECT_EQ(text(changed, {"data", "a"}), "2");
  EXPECT_EQ(text(update(config_maps("a"), made), {}).substr(0, 13), "409 Conflict:");
  EXPECT_EQ(text(create(config_maps(), config_map("a", "red")), {}).substr(0, 18), "409 AlreadyExists:");

  kube::DeleteOptions other;
  other.uid = "00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(text(remove(config_maps("a"), other), {}).substr(0, 13), "409 Conflict:");
  EXPECT_EQ(text(remove(config_maps("a")), {"status"}), "Success");
  EXPECT_EQ(text(get(config_maps("a")), {}), "404 NotFound: configmaps \"a\" not found");
}

TEST_F(LocalClientTest, PatchesInFourWays) {
  create(pods(), pod("p"));
  EXPECT_EQ(
      text(patch(pods("p"), kube::PatchType::kMerge, R"({"metadata":{"labels":{"a":"1"}}})"), {"metadata", "labels"}),
      R"({"a":"1"})");
  EXPECT_EQ(text(patch(pods("p"), kube::PatchType::kJson, R"([{"op":"add","path":"/metadata/labels/b","value":"2"}])"),
                 {"metadata", "labels"}),
            R"({"a":"1","b":"2"})");
  const Value strategic =
      patch(pods("p"), kube::PatchType::kStrategic, R"({"spec":{"containers":[{"name":"c","image":"j"}]}})");
  EXPECT_EQ(text(strategic.find("spec")->find("containers")->array().at(0), {"image"}), "j");

  const std::string_view wants = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"3"}}})";
  EXPECT_EQ(text(patch(pods("p"), kube::PatchType::kApply, wants, true), {"metadata", "labels", "a"}), "3");
  auto rival = server_.plane().client({"admin", "", {"system:masters"}, {}}, "rival");
  std::swap(client_, rival);
  const std::string_view takes = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"4"}}})";
  EXPECT_EQ(text(patch(pods("p"), kube::PatchType::kApply, takes), {}).substr(0, 13), "409 Conflict:");
  EXPECT_EQ(text(patch(pods("p"), kube::PatchType::kApply, takes, true), {"metadata", "labels", "a"}), "4");
  EXPECT_EQ(text(patch(pods("p"), kube::PatchType::kMerge, "7"), {}).substr(0, 4), "400 ");
}

TEST_F(LocalClientTest, Subresources) {
  create({"", "v1", "nodes"}, parsed(R"({"metadata":{"name":"n"}})"));
  create(pods(), pod("p"));
  const Value binding = parsed(R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(text(create(pods("p", "binding"), binding), {"status"}), "Success");
  EXPECT_EQ(text(create(pods("p", "binding"), binding), {}).substr(0, 13), "409 Conflict:");
  EXPECT_EQ(text(get(pods("p")), {"spec", "nodeName"}), "n");

  patch(pods("p", "status"), kube::PatchType::kMerge, R"({"status":{"phase":"Running"},"spec":{"nodeName":"m"}})");
  EXPECT_EQ(text(get(pods("p")), {"status", "phase"}), "Running");
  EXPECT_EQ(text(get(pods("p")), {"spec", "nodeName"}), "n");

  EXPECT_EQ(text(create(pods("p", "eviction"), parsed(R"({"metadata":{"name":"p"}})")), {"status"}), "Success");
  EXPECT_NE(text(get(pods("p")), {"metadata", "deletionTimestamp"}), "");

  const ResourceReference sets{"apps", "v1", "replicasets", "default", "r"};
  ResourceReference scale = sets;
  scale.subresource = "scale";
  create(sets, parsed(R"({"metadata":{"name":"r"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":
      {"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})"));
  EXPECT_EQ(text(patch(scale, kube::PatchType::kMerge, R"({"spec":{"replicas":5}})"), {"kind"}), "Scale");
  EXPECT_EQ(text(get(sets), {"spec", "replicas"}), "5");
}

TEST_F(LocalClientTest, RefusesAsOutside) {
  EXPECT_EQ(text(get({"", "v1", "unicorns", "default", "u"}), {}),
            "404 NotFound: the server could not find the requested resource");
  client_ = server_.plane().client({"bob", "", {"system:authenticated"}, {}}, "tester");
  EXPECT_EQ(
      text(get(config_maps("a")), {}),
      "403 Forbidden: configmaps \"a\" is forbidden: User \"bob\" cannot get resource \"configmaps\" in API group "
      "\"\" in the namespace \"default\"");
  EXPECT_EQ(list(config_maps()).error().code, 403);
  const auto refused = watch(config_maps(), {});
  EXPECT_EQ(seen(), Seen{"error Forbidden"});
}

TEST_F(LocalClientTest, ListsInPages) {
  for (const std::string_view name : {"a", "b", "c"})
    create(config_maps(), config_map(name, name == "b" ? "red" : "blue"));
  const auto only = list(config_maps(), {.label_selector = "color=red"});
  ASSERT_TRUE(only && only->items.size() == 1);
  EXPECT_EQ(text(only->items[0], {"kind"}), "ConfigMap");
  EXPECT_EQ(list(config_maps(), {.label_selector = "color in"}).error().code, 400);

  kube::ListOptions options{.field_selector = "metadata.name!=kube-root-ca.crt", .limit = 2};
  const auto first = list(config_maps(), options);
  ASSERT_TRUE(first && first->items.size() == 2 && !first->continue_token.empty());
  create(config_maps(), config_map("d", "blue"));
  options.continue_token = first->continue_token;
  const auto second = list(config_maps(), options);
  ASSERT_TRUE(second && second->items.size() == 1);
  EXPECT_EQ(text(second->items[0], {"metadata", "name"}), "c");
  EXPECT_TRUE(second->continue_token.empty() || list(config_maps(), {.continue_token = second->continue_token}));
  EXPECT_EQ(second->resource_version, first->resource_version);
}

TEST_F(LocalClientTest, WatchesWhatItSelects) {
  create(config_maps(), config_map("a", "red"));
  create(config_maps(), config_map("b", "blue"));
  auto reds = watch(config_maps(), {.label_selector = "color=red", .sends_initial_events = true});
  EXPECT_EQ(seen(), (Seen{"+a", "bookmark "}));
  EXPECT_EQ(text(last_, {"metadata", "annotations"}), R"({"k8s.io/initial-events-end":"true"})");

  const auto paint = [&](std::string_view name, std::string_view color) {
    return patch(config_maps(std::string(name)), kube::PatchType::kMerge,
                 fmt::format(R"({{"metadata":{{"labels":{{"color":"{}"}}}}}})", color));
  };
  paint("b", "red");
  EXPECT_EQ(seen(), Seen{"+b"});
  patch(config_maps("b"), kube::PatchType::kMerge, R"({"data":{"a":"2"}})");
  EXPECT_EQ(seen(), Seen{"~b"});
  const Value left = paint("b", "blue");
  EXPECT_EQ(seen(), Seen{"-b"});
  EXPECT_EQ(text(last_, {"metadata", "labels", "color"}), "red");
  EXPECT_EQ(text(last_, {"metadata", "resourceVersion"}), text(left, {"metadata", "resourceVersion"}));
  remove(config_maps("b"));
  remove(config_maps("a"));
  EXPECT_EQ(seen(), Seen{"-a"});
  reds.reset();
  create(config_maps(), config_map("a", "red"));
  EXPECT_EQ(seen(), Seen{});
}

TEST_F(LocalClientTest, AWatchMayEndFromWithin) {
  create(config_maps(), config_map("a", "red"));
  create(config_maps(), config_map("b", "red"));
  int events = 0;
  std::unique_ptr<kube::Watch> ends;
  ends = client_->watch(config_maps(), {}, [&](const kube::WatchEvent&) {
    ++events;
    ends.reset();
  });
  server_.loop().run_until_idle();
  EXPECT_EQ(events, 1);
}

TEST_F(LocalClientTest, ExpiredHistoryIsGone) {
  const Value made = create(config_maps(), config_map("a", "red"));
  const std::string version = text(made, {"metadata", "resourceVersion"});
  patch(config_maps("a"), kube::PatchType::kMerge, R"({"data":{"a":"2"}})");
  const auto goes_on = watch(config_maps(), {.resource_version = version});
  EXPECT_EQ(seen(), Seen{"~a"});
  patch(config_maps("a"), kube::PatchType::kMerge, R"({"data":{"a":"3"}})");
  EXPECT_EQ(seen(), Seen{"~a"});

  server_.plane().store().compact(server_.plane().store().revision());
  server_.loop().run_until_idle();
  const auto late = watch(config_maps(), {.resource_version = version});
  EXPECT_EQ(seen(), Seen{"error Expired"});
  EXPECT_EQ(text(last_, {"code"}), "410");
}

TEST_F(LocalClientTest, BookmarksComeWithTime) {
  const auto watching = watch(config_maps(), {.allows_bookmarks = true});
  seen();
  create({"", "v1", "namespaces"}, parsed(R"({"metadata":{"name":"other"}})"));
  server_.loop().advance(Duration::seconds(61));
  EXPECT_EQ(seen(), Seen{"bookmark "});
  EXPECT_NE(text(last_, {"metadata", "resourceVersion"}), "");
}

TEST_F(LocalClientTest, NoCallbackRunsAfterTheClientWent) {
  bool is_called = false;
  client_->create(config_maps(), config_map("a", "red"), [&](const kube::Answer<Value>&) { is_called = true; });
  client_.reset();
  server_.loop().run_until_idle();
  EXPECT_FALSE(is_called);
}

}  // namespace
}  // namespace loadline::apiserver
