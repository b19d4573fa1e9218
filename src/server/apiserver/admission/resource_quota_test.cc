#include "server/apiserver/admission/resource_quota.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kNamespace = "/api/v1/namespaces/default";

std::string path(std::string_view rest) { return std::string(kNamespace).append("/").append(rest); }

std::string quota(std::string_view name, std::string_view hard, std::string_view more = {}) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ResourceQuota","metadata":{{"name":"{}"}},"spec":{{"hard":{}{}}}}})", name, hard,
      more);
}

std::string pod_that_asks(std::string_view name, std::string_view resources = "{}", std::string_view more = {}) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"x",)"
      R"("resources":{}}}]{}}}}})",
      name, resources, more);
}

std::string used(TestServer& server, std::string_view name = "q") {
  return server.get(path("resourcequotas/") + std::string(name)).at({"status", "used"});
}

TEST(ResourceQuotaPlugin, SpeaksAsUpstream) {
  TestServer server;
  const Reply created = server.post(path("resourcequotas"), quota("q", R"({"pods":"0"})"));
  EXPECT_EQ(created.verdict(), "201");
  EXPECT_EQ(created.at({"status"}), "{}");
  EXPECT_EQ(server.get(path("resourcequotas/q")).at({"status"}), R"({"hard":{"pods":"0"},"used":{"pods":"0"}})");
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("pq")).verdict(),
            "403 Forbidden: pods \"pq\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: "
            "pods=0");
  EXPECT_EQ(server.remove(path("resourcequotas/q")).status, 200);
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("pq")).status, 201);
}

TEST(ResourceQuotaPlugin, ChargesWithTheWriteAndNothingForADryRun) {
  TestServer server;
  server.post(path("resourcequotas"),
              quota("q", R"({"pods":"2","requests.cpu":"1500m","requests.example.com/gpu":"1"})"));
  const std::string one_cpu = R"({"requests":{"cpu":"1"}})";
  EXPECT_EQ(server.post(path("pods?dryRun=All"), pod_that_asks("a", one_cpu)).status, 201);
  EXPECT_EQ(used(server), R"({"pods":"0","requests.cpu":"0","requests.example.com/gpu":"0"})");
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("a", one_cpu)).status, 201);
  EXPECT_EQ(used(server), R"({"pods":"1","requests.cpu":"1","requests.example.com/gpu":"0"})");
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("b", one_cpu)).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: "
            "requests.cpu=1, limited: requests.cpu=1500m");
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("b")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: failed quota: q: must specify requests.cpu for: c");
  EXPECT_EQ(server
                .post(path("pods"),
                      pod_that_asks(
                          "b", R"({"requests":{"cpu":"1m","example.com/gpu":"2"},"limits":{"example.com/gpu":"2"}})"))
                .verdict(),
            "403 Forbidden: pods \"b\" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=2, used: "
            "requests.example.com/gpu=0, limited: requests.example.com/gpu=1");
}

/// The managers that own `status.used` of pods, and since when: "kube-apiserver 2026-11-21T12:00:00Z".
std::vector<std::string> owners_of_used_pods(TestServer& server) {
  std::vector<std::string> owners;
  const Value quota = server.get(path("resourcequotas/q")).json();
  for (const Value& entry : document::find_at(quota, {"metadata", "managedFields"})->array()) {
    if (document::find_at(entry, {"fieldsV1", "f:status", "f:used", "f:pods"}) == nullptr) continue;
    owners.push_back(fmt::format("{} {}", document::text_at(entry, {"manager"}), document::text_at(entry, {"time"})));
  }
  return owners;
}

TEST(ResourceQuotaPlugin, OwnsWhatItChargesHoweverOften) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"pods":"9","requests.cpu":"9"})"));
  const std::string one_cpu = R"({"requests":{"cpu":"1"}})";
  std::string version;
  for (int count = 1; count <= 6; ++count) {
    // Some in one second, some with a pause in which the quota is recounted.
    if (count % 3 == 0) server.loop().advance(Duration::seconds(2));
    ASSERT_EQ(server.post(path("pods"), pod_that_asks(fmt::format("p{}", count), one_cpu)).status, 201);
    EXPECT_EQ(used(server), fmt::format(R"({{"pods":"{0}","requests.cpu":"{0}"}})", count));
    EXPECT_EQ(owners_of_used_pods(server),
              std::vector<std::string>{"kube-apiserver " + format_rfc3339(server.loop().now())});
    EXPECT_NE(std::exchange(version, server.get(path("resourcequotas/q")).at({"metadata", "resourceVersion"})),
              version);
  }
}

TEST(ResourceQuotaPlugin, TakesBackWhatAnotherWriterSaidWasUsed) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"pods":"9"})"));
  server.post(path("pods"), pod_that_asks("a"));
  server.post(path("pods"), pod_that_asks("b"));
  ASSERT_EQ(
      server.patch("merge", path("resourcequotas/q/status?fieldManager=other"), R"({"status":{"used":{"pods":"5"}}})")
          .status,
      200);
  const std::string now = format_rfc3339(server.loop().now());
  EXPECT_EQ(owners_of_used_pods(server), std::vector<std::string>{"other " + now});
  server.post(path("pods"), pod_that_asks("c"));
  EXPECT_EQ(used(server), R"({"pods":"6"})");
  EXPECT_EQ(owners_of_used_pods(server), std::vector<std::string>{"kube-apiserver " + now});
}

TEST(ResourceQuotaPlugin, KnowsNothingWhileTheStatusDoesNot) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"pods":"5"})"));
  ASSERT_EQ(server.patch("merge", path("resourcequotas/q/status"), R"({"status":{"used":null}})").status, 200);
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("a")).verdict(),
            "403 Forbidden: pods \"a\" is forbidden: status unknown for quota: q, resources: pods");
  server.loop().advance(Duration::seconds(2));
  EXPECT_EQ(server.post(path("pods"), pod_that_asks("a")).status, 201);
  EXPECT_EQ(used(server), R"({"pods":"1"})");
}

TEST(ResourceQuotaPlugin, CountsObjectsOfAllKinds) {
  struct Case {
    std::string_view hard;
    std::string_view path;
    std::string_view first;   // fits
    std::string_view second;  // is refused
    std::string_view why;
  };
  const Case cases[] = {
      {R"({"count/configmaps":"2"})", "configmaps", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})",
       "configmaps \"b\" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, "
       "limited: count/configmaps=2"},
      {R"({"secrets":"1"})", "secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})",
       R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"}})",
       "secrets \"b\" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1"},
      {R"({"services":"2","services.nodeports":"0"})", "services",
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":1}]}})",
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"b"},"spec":{"type":"NodePort","ports":[{"port":1}]}})",
       "services \"b\" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=0, "
       "limited: services.nodeports=0"},
      {R"({"slow.storageclass.storage.k8s.io/requests.storage":"5Gi"})", "persistentvolumeclaims",
       R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"},"spec":{"storageClassName":"slow",
           "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"3Gi"}}}})",
       R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"b"},"spec":{"storageClassName":"slow",
           "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"3Gi"}}}})",
       "persistentvolumeclaims \"b\" is forbidden: exceeded quota: q, requested: "
       "slow.storageclass.storage.k8s.io/requests.storage=3Gi, used: "
       "slow.storageclass.storage.k8s.io/requests.storage=3Gi, limited: "
       "slow.storageclass.storage.k8s.io/requests.storage=5Gi"},
      {R"({"limits.ephemeral-storage":"1Gi"})", "pods",
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"x"}]}})",
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"containers":[{"name":"c","image":"x",
           "resources":{"limits":{"ephemeral-storage":"2Gi"}}}]}})",
       "pods \"b\" is forbidden: exceeded quota: q, requested: limits.ephemeral-storage=2Gi, used: "
       "limits.ephemeral-storage=0, limited: limits.ephemeral-storage=1Gi"},
  };
  for (const Case& item : cases) {
    SCOPED_TRACE(item.hard);
    TestServer server;
    server.post("/api/v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}})");
    const std::string in_team = "/api/v1/namespaces/team/";
    if (item.path == "configmaps") {  // one that is older than the quota counts
      server.post(in_team + "configmaps", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"old"}})");
    }
    const bool has_root_map = server.get(in_team + "configmaps/kube-root-ca.crt").status == 200;
    if (item.path == "configmaps" && has_root_map) server.remove(in_team + "configmaps/old");
    server.post(in_team + "resourcequotas", quota("q", item.hard));
    EXPECT_EQ(server.post(in_team + std::string(item.path), item.first).verdict(), "201");
    EXPECT_EQ(server.post(in_team + std::string(item.path), item.second).verdict(),
              "403 Forbidden: " + std::string(item.why));
  }
}

TEST(ResourceQuotaPlugin, AppliesWithinItsScopes) {
  struct Case {
    std::string_view scope;
    std::string_view in;  // pods: more of their spec
    std::string_view out;
  };
  const Case cases[] = {
      {R"(,"scopes":["BestEffort"])", "", R"(,"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}})"},
      {R"(,"scopes":["Terminating"])", R"(,"activeDeadlineSeconds":9)", ""},
      {R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In",)"
       R"("values":["system-node-critical"]}]})",
       R"(,"priorityClassName":"system-node-critical")", ""},
      {R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"CrossNamespacePodAffinity","operator":"Exists"}]})",
       R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",)"
       R"("namespaces":["x"],"labelSelector":{}}]}})",
       ""},
  };
  for (const Case& item : cases) {
    SCOPED_TRACE(item.scope);
    TestServer server;
    ASSERT_EQ(server.post(path("resourcequotas"), quota("q", R"({"pods":"0"})", item.scope)).verdict(), "201");
    EXPECT_EQ(server.post(path("pods"), pod_that_asks("in", "{}", item.in)).verdict(),
              "403 Forbidden: pods \"in\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: "
              "pods=0");
    EXPECT_EQ(server.post(path("pods"), pod_that_asks("out", "{}", item.out)).verdict(), "201");
  }
}

TEST(ResourceQuotaPlugin, ChargesWhatAnUpdateAdds) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"services.nodeports":"1","requests.storage":"5Gi"})"));
  ASSERT_EQ(server
                .post(path("services"), R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
      "spec":{"ports":[{"name":"a","port":1},{"name":"b","port":2}]}})")
                .status,
            201);
  EXPECT_EQ(server.patch("merge", path("services/s"), R"({"spec":{"type":"NodePort"}})").verdict(),
            "403 Forbidden: services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: "
            "services.nodeports=0, limited: services.nodeports=1");
  EXPECT_EQ(server.patch("merge", path("services/s"), R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
  EXPECT_EQ(used(server), R"({"requests.storage":"0","services.nodeports":"0"})");
}

TEST(QuotaStatusKeeper, GivesBackWhatIsNotUsedAnyMore) {
  TestServer server;
  ASSERT_EQ(server.post(path("pods"), pod_that_asks("before", R"({"requests":{"cpu":"1"}})")).status, 201);
  server.post(path("resourcequotas"), quota("q", R"({"cpu":"4","count/pods":"9"})"));
  EXPECT_EQ(used(server), R"({"count/pods":"1","cpu":"1"})");
  ASSERT_EQ(server.post(path("pods"), pod_that_asks("a", R"({"requests":{"cpu":"2"}})")).status, 201);
  EXPECT_EQ(used(server), R"({"count/pods":"2","cpu":"3"})");
  ASSERT_EQ(server.patch("merge", path("pods/a/status"), R"({"status":{"phase":"Succeeded"}})").status, 200);
  EXPECT_EQ(used(server), R"({"count/pods":"2","cpu":"1"})");
  ASSERT_EQ(server.remove(path("pods/before?gracePeriodSeconds=0")).status, 200);
  EXPECT_EQ(used(server), R"({"count/pods":"1","cpu":"0"})");
  ASSERT_EQ(server.patch("merge", path("resourcequotas/q"), R"({"spec":{"hard":{"cpu":"5","pods":"1"}}})").status, 200);
  EXPECT_EQ(server.get(path("resourcequotas/q")).at({"status"}),
            R"({"hard":{"count/pods":"9","cpu":"5","pods":"1"},"used":{"count/pods":"1","cpu":"0","pods":"0"}})");
}

TEST(QuotaStatusKeeper, CountsLargeNamespacesPieceByPieceWhileTheyChange) {
  TestServer server;
  constexpr int kPodCount = 1200;
  for (int i = 0; i < kPodCount; ++i) {
    ASSERT_EQ(server.post(path("pods"), pod_that_asks(fmt::format("p{}", i), R"({"requests":{"cpu":"1"}})")).status,
              201);
  }
  server.post(path("resourcequotas"), quota("q", R"({"cpu":"4k","pods":"4k"})"));
  EXPECT_EQ(used(server), R"({"cpu":"1200","pods":"1200"})");
  // Some go, some finish, some are new; then the quota is another.
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(server.remove(path(fmt::format("pods/p{}?gracePeriodSeconds=0", i * 7))).status, 200);
    ASSERT_EQ(
        server.patch("merge", path(fmt::format("pods/p{}/status", i * 7 + 1)), R"({"status":{"phase":"Succeeded"}})")
            .status,
        200);
  }
  ASSERT_EQ(server.post(path("pods"), pod_that_asks("p0", R"({"requests":{"cpu":"3"}})")).status, 201);
  server.loop().advance(Duration::seconds(3));
  EXPECT_EQ(used(server), R"({"cpu":"1163","pods":"1161"})");
  server.patch("merge", path("resourcequotas/q"), R"({"spec":{"hard":{"cpu":"5k","requests.memory":"1"}}})");
  server.loop().advance(Duration::seconds(3));
  EXPECT_EQ(used(server), R"({"cpu":"1163","pods":"1161","requests.memory":"0"})");
}

TEST(QuotaStatusKeeper, WritesNothingWhereNothingDiffers) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"pods":"5","deviceclass.x/odd":"1"})"));
  server.post(path("pods"), pod_that_asks("a"));
  server.loop().advance(Duration::seconds(5));
  const std::string version = server.get(path("resourcequotas/q")).at({"metadata", "resourceVersion"});
  server.patch("merge", path("pods/a"), R"({"metadata":{"labels":{"a":"b"}}})");
  server.loop().advance(Duration::seconds(600));
  EXPECT_EQ(server.get(path("resourcequotas/q")).at({"metadata", "resourceVersion"}), version);
  // Wrong numbers of another client do not last.
  server.patch("merge", path("resourcequotas/q/status"), R"({"status":{"used":{"pods":"4"}}})");
  server.loop().advance(Duration::seconds(2));
  EXPECT_EQ(server.get(path("resourcequotas/q")).at({"status", "used", "pods"}), "1");
}

/// Several clients at once: their writes come between the tasks that recount, and between a write and its event.
class Clients {
 public:
  explicit Clients(std::uint64_t seed) : rng_(seed), writer_(server_.plane().context(), "alice", "test") {
    server_.post(path("resourcequotas"), quota("q", R"({"pods":"7","requests.cpu":"5","count/pods":"9"})"));
    server_.post(path("resourcequotas"), quota("r", R"({"requests.cpu":"6","services":"3"})"));
  }

  void step() {
    const std::string name = fmt::format("p{}", rng_.below(14));
    switch (rng_.below(6)) {
      case 0:
      case 1:
        create(name);
        break;
      case 2:
        static_cast<void>(writer_.remove({"pods", "default", name}, now()));
        break;
      case 3:
        finish(name);
        break;
      case 4:
        if (rng_.below(2) == 0) {
          service(name);
        } else {
          static_cast<void>(writer_.remove({"services", "default", name}, now()));
        }
        break;
      default:
        if (rng_.below(2) == 0) server_.loop().run_until_idle();
        if (rng_.below(4) == 0) server_.loop().advance(Duration{400'000'000});
    }
  }

  /// Empty: within the limits.
  [[nodiscard]] std::string excess() {
    for (const std::string_view name : {"q", "r"}) {
      const Value document = writer_.get({"resourcequotas", "default", std::string(name)});
      const kube::ResourceList hard = read_amounts(document::find_at(document, {"status", "hard"}));
      for (const auto& [resource, amount] : read_amounts(document::find_at(document, {"status", "used"}))) {
        if (amount > hard.at(resource)) return fmt::format("{}: {}={}", name, resource, amount.to_string());
      }
    }
    for (const auto& [resource, amount] : recounted()) {
      if (amount > limit(resource)) return fmt::format("really: {}={}", resource, amount.to_string());
    }
    return {};
  }

  void rest() { server_.loop().advance(Duration::seconds(3)); }

  [[nodiscard]] kube::ResourceList status_used(std::string_view name) const {
    return read_amounts(
        document::find_at(writer_.get({"resourcequotas", "default", std::string(name)}), {"status", "used"}));
  }

  /// By hand, from all that is there.
  [[nodiscard]] kube::ResourceList recounted() {
    kube::ResourceList sum{{"pods", {}}, {"requests.cpu", {}}, {"count/pods", {}}, {"services", {}}};
    auto pods = server_.plane().store().list("pods", {.name_space = "default"});
    for (const store::ObjectPtr* object = pods->next(); object != nullptr; object = pods->next()) {
      const Value document = (*object)->document();
      sum["count/pods"] += kube::Quantity::of(1);
      if (document::text_at(document, {"status", "phase"}) == "Succeeded") continue;
      sum["pods"] += kube::Quantity::of(1);
      const Value& container = document::find_at(document, {"spec", "containers"})->array().front();
      const kube::ResourceList requests = read_amounts(document::find_at(container, {"resources", "requests"}));
      sum["requests.cpu"] += requests.at("cpu");
    }
    auto services = server_.plane().store().list("services", {.name_space = "default"});
    for (const store::ObjectPtr* object = services->next(); object != nullptr; object = services->next()) {
      sum["services"] += kube::Quantity::of(1);
    }
    return sum;
  }

  [[nodiscard]] int refused() const { return refused_; }
  [[nodiscard]] int admitted() const { return admitted_; }

 private:
  static kube::Quantity limit(const std::string& resource) {
    const std::map<std::string, int> limits = {{"pods", 7}, {"requests.cpu", 5}, {"count/pods", 9}, {"services", 3}};
    return kube::Quantity::of(limits.at(resource));
  }
  static DeleteOptions now() {
    DeleteOptions options;
    options.grace_period_seconds = 0;
    return options;
  }
  static Value read(const std::string& text) { return document::read_json(text, {}).documents.front(); }

  void create(const std::string& name) {
    const std::string cpu = fmt::format(R"({{"requests":{{"cpu":"{}m"}}}})", 250 * (1 + rng_.below(8)));
    const bool is_admitted = writer_.create({"pods", "default", name}, read(pod_that_asks(name, cpu))).has_value();
    ++(is_admitted ? admitted_ : refused_);
  }
  void service(const std::string& name) {
    static_cast<void>(writer_.create(
        {"services", "default", name},
        read(fmt::format(
            R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}"}},"spec":{{"ports":[{{"port":1}}]}}}})",
            name))));
  }
  void finish(const std::string& name) {
    static_cast<void>(writer_.change(
        {"pods", "default", name},
        [](const Value& old) -> Answer<Value> {
          return document::with_at(old, {"status", "phase"}, Value("Succeeded"));
        },
        Writer::Target::kStatus));
  }

  TestServer server_;
  Rng rng_;
  SystemWriter writer_;
  int refused_ = 0;
  int admitted_ = 0;
};

TEST(ResourceQuotaProperty, IsNeverExceededAndComesToTheRecount) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Clients clients(seed);
    for (int step = 0; step < 250; ++step) {
      clients.step();
      ASSERT_EQ(clients.excess(), "") << "step " << step;
    }
    clients.rest();
    const kube::ResourceList truth = clients.recounted();
    for (const std::string_view name : {"q", "r"}) {
      for (const auto& [resource, amount] : clients.status_used(name)) {
        EXPECT_EQ(amount, truth.at(resource)) << name << " " << resource;
      }
    }
    EXPECT_GT(clients.admitted(), 10);
    EXPECT_GT(clients.refused(), 10);
  }
}

std::string reservation(std::string_view name, int pods, std::string_view more = {}) {
  return fmt::format(
      R"({{"apiVersion":"loadline.dev/v1alpha1","kind":"Reservation","metadata":{{"name":"{}"}},"spec":{{"pods":{}{},)"
      R"("template":{{"metadata":{{"labels":{{"app":"train"}}}},"spec":{{"containers":[{{"name":"c","image":"x",)"
      R"("resources":{{"limits":{{"example.com/gpu":"1"}}}}}}]}}}}}}}})",
      name, pods, more);
}

constexpr std::string_view kReservationPath = "/apis/loadline.dev/v1alpha1/namespaces/default/reservations";
constexpr std::string_view kOneGpu = R"({"limits":{"example.com/gpu":"1"},"requests":{"example.com/gpu":"1"}})";

std::string pod_of_app(std::string_view name, std::string_view app) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{"app":"{}"}}}},"spec":{{"containers":[{{)"
      R"("name":"c","image":"x","resources":{}}}]}}}})",
      name, app, kOneGpu);
}

TEST(ResourceQuotaPlugin, CountsReservedRoomAsThePodsThatItIsHeldFor) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"pods":"9","requests.example.com/gpu":"5"})"));
  EXPECT_EQ(server.post(kReservationPath, reservation("room", 50)).verdict(),
            "403 Forbidden: reservations.loadline.dev \"room\" is forbidden: exceeded quota: q, requested: "
            "pods=50,requests.example.com/gpu=50, used: pods=0,requests.example.com/gpu=0, limited: "
            "pods=9,requests.example.com/gpu=5");
  EXPECT_EQ(server.post(kReservationPath, reservation("room", 3)).status, 201);
  EXPECT_EQ(used(server), R"({"pods":"3","requests.example.com/gpu":"3"})");
  EXPECT_EQ(server.post(kReservationPath, reservation("other", 3)).status, 403);
  EXPECT_EQ(server.patch("merge", std::string(kReservationPath) + "/room", R"({"spec":{"pods":6}})").status, 403);
  EXPECT_EQ(server.patch("merge", std::string(kReservationPath) + "/room", R"({"spec":{"pods":5}})").status, 200);
  EXPECT_EQ(used(server), R"({"pods":"5","requests.example.com/gpu":"5"})");
  EXPECT_EQ(server.post(path("pods"), pod_of_app("a", "other")).status, 403) << "the room is not for it";
  EXPECT_EQ(server.remove(std::string(kReservationPath) + "/room").status, 200);
  server.loop().advance(Duration::seconds(2));
  EXPECT_EQ(used(server), R"({"pods":"0","requests.example.com/gpu":"0"})");
}

TEST(ResourceQuotaPlugin, PodsThatMayConsumeReservedRoomNeedNoMore) {
  TestServer server;
  server.post(path("resourcequotas"), quota("q", R"({"requests.example.com/gpu":"2"})"));
  ASSERT_EQ(server.post(kReservationPath, reservation("room", 2)).status, 201);
  EXPECT_EQ(server.post(path("pods"), pod_of_app("a", "train")).status, 201);
  EXPECT_EQ(server.post(path("pods"), pod_of_app("b", "train")).status, 201);
  EXPECT_EQ(used(server), R"({"requests.example.com/gpu":"4"})") << "until they have consumed it";
  EXPECT_EQ(server.post(path("pods"), pod_of_app("c", "train")).status, 403) << "the pods alone are two";
  EXPECT_EQ(server.post(kReservationPath, reservation("more", 1)).status, 403);
  ASSERT_EQ(server
                .patch("merge", std::string(kReservationPath) + "/room/status",
                       R"({"status":{"phase":"Consumed","consumed":2}})")
                .status,
            200);
  server.loop().advance(Duration::seconds(2));
  EXPECT_EQ(used(server), R"({"requests.example.com/gpu":"2"})");
}

TEST(ResourceQuotaPlugin, CountsRoomPerDomainInEachOfThem) {
  TestServer server;
  for (const std::string_view rack : {"a", "b", "b"}) {
    static int nodes = 0;
    server.post(
        "/api/v1/nodes",
        fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n{}","labels":{{"rack":"{}"}}}}}})",
                    nodes++, rack));
  }
  server.post(path("resourcequotas"), quota("q", R"({"requests.example.com/gpu":"5"})"));
  const std::string_view spares = R"(,"perDomain":"rack","refill":true)";
  EXPECT_EQ(server.post(kReservationPath, reservation("spares", 3, spares)).status, 403);
  EXPECT_EQ(server.post(kReservationPath, reservation("spares", 2, spares)).status, 201);
  EXPECT_EQ(used(server), R"({"requests.example.com/gpu":"4"})");
}

}  // namespace
}  // namespace loadline::apiserver
