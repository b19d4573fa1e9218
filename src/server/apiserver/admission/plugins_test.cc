#include "server/apiserver/admission/plugins.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";

std::string pod(std::string_view name, std::string_view spec = {}, std::string_view resources = "{}") {
  std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")";
  text.append(name).append(R"("},"spec":{"containers":[{"name":"c","image":"x","resources":)");
  return text.append(resources).append("}]").append(spec).append("}}");
}

TEST(PriorityPlugin, FillsInWhatTheClassSays) {
  TestServer server;
  EXPECT_EQ(server.post(kPods, pod("a", R"(,"priorityClassName":"nope")")).verdict(),
            "403 Forbidden: pods \"a\" is forbidden: no PriorityClass with name nope was found");
  ASSERT_EQ(server
                .post("/apis/scheduling.k8s.io/v1/priorityclasses",
                      R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"hi"},
                          "value":5,"preemptionPolicy":"Never"})")
                .verdict(),
            "201");
  const Reply named = server.post(kPods, pod("a", R"(,"priorityClassName":"hi")"));
  EXPECT_EQ(named.at({"spec", "priority"}), "5");
  EXPECT_EQ(named.at({"spec", "preemptionPolicy"}), "Never");
  const Reply unnamed = server.post(kPods, pod("b"));
  EXPECT_EQ(unnamed.at({"spec", "priority"}), "0");
  EXPECT_EQ(unnamed.at({"spec", "preemptionPolicy"}), "PreemptLowerPriority");
  EXPECT_EQ(unnamed.at({"spec", "priorityClassName"}), "");
  EXPECT_EQ(server.post(kPods, pod("c", R"(,"priority":7,"priorityClassName":"hi")")).verdict(),
            "403 Forbidden: pods \"c\" is forbidden: the integer value of priority (7) must not be provided in pod "
            "spec; priority admission controller computed 5 from the given PriorityClass name");
}

TEST(PriorityPlugin, AllowsOneDefaultForPodsWithoutAClass) {
  TestServer server;
  const std::string_view classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const auto marked = [](std::string_view name) {
    return R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":")" + std::string(name) +
           R"("},"value":9,"globalDefault":true})";
  };
  ASSERT_EQ(server.post(classes, marked("one")).verdict(), "201");
  EXPECT_EQ(server.post(classes, marked("two")).verdict(),
            "403 Forbidden: priorityclasses.scheduling.k8s.io \"two\" is forbidden: PriorityClass one is already "
            "marked as default. Only one default can exist");
  EXPECT_EQ(server.patch("merge", "/apis/scheduling.k8s.io/v1/priorityclasses/one", R"({"description":"d"})").verdict(),
            "200");
  const Reply created = server.post(kPods, pod("a"));
  EXPECT_EQ(created.at({"spec", "priorityClassName"}), "one");
  EXPECT_EQ(created.at({"spec", "priority"}), "9");
  ASSERT_EQ(server.remove("/apis/scheduling.k8s.io/v1/priorityclasses/one").status, 200);
  EXPECT_EQ(server.post(kPods, pod("b")).at({"spec", "priority"}), "0");
}

TEST(DefaultTolerationSecondsPlugin, AddsWhatThePodDoesNotSpeakOf) {
  TestServer server;
  EXPECT_EQ(server.post(kPods, pod("a")).at({"spec", "tolerations"}),
            R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
            R"("tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",)"
            R"("effect":"NoExecute","tolerationSeconds":300}])");
  EXPECT_EQ(server.post(kPods, pod("b", R"(,"tolerations":[{"operator":"Exists"}])")).at({"spec", "tolerations"}),
            R"([{"operator":"Exists"}])");
}

TEST(CreationMarks, AreOnNewNodesAndVolumes) {
  TestServer server;
  EXPECT_EQ(server.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})")
                .at({"spec", "taints"}),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(server.patch("merge", "/api/v1/nodes/n", R"({"spec":{"taints":null}})").at({"spec", "taints"}), "");
  const Reply claim = server.post("/api/v1/namespaces/default/persistentvolumeclaims",
                                  R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p"},
      "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  EXPECT_EQ(claim.at({"metadata", "finalizers"}), R"(["kubernetes.io/pvc-protection"])");
  EXPECT_EQ(claim.at({"spec", "storageClassName"}), "");
}

TEST(DefaultStorageClassPlugin, IsForClaimsThatNameNone) {
  TestServer server;
  ASSERT_EQ(server
                .post("/apis/storage.k8s.io/v1/storageclasses",
                      R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","provisioner":"example.com/disk",
      "metadata":{"name":"fast","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}}})")
                .verdict(),
            "201");
  const auto claim = [](std::string_view name, std::string_view storage_class) {
    return R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" + std::string(name) +
           R"("},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}})" +
           std::string(storage_class) + "}}";
  };
  const std::string_view claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  EXPECT_EQ(server.post(claims, claim("a", "")).at({"spec", "storageClassName"}), "fast");
  EXPECT_EQ(server.post(claims, claim("b", R"(,"storageClassName":"")")).at({"spec", "storageClassName"}), "");
  EXPECT_EQ(server.post(claims, claim("c", R"(,"storageClassName":"x")")).at({"spec", "storageClassName"}), "x");
}

TEST(PersistentVolumeClaimResizePlugin, AsksTheStorageClass) {
  TestServer server;
  ASSERT_EQ(server
                .post("/apis/storage.k8s.io/v1/storageclasses",
                      R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","provisioner":"example.com/disk",
      "metadata":{"name":"fast"}})")
                .verdict(),
            "201");
  const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  ASSERT_EQ(server
                .post(claims, R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},
      "spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"fast","volumeName":"v",
      "resources":{"requests":{"storage":"1Gi"}}}})")
                .verdict(),
            "201");
  ASSERT_EQ(server.patch("merge", claims + "/c/status", R"({"status":{"phase":"Bound"}})").verdict(), "200");
  const auto grow = [&] {
    return server.patch("merge", claims + "/c", R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})");
  };
  EXPECT_EQ(grow().verdict(),
            "403 Forbidden: persistentvolumeclaims \"c\" is forbidden: only dynamically provisioned pvc can be resized "
            "and the storageclass that provisions the pvc must support resize");
  ASSERT_EQ(server.patch("merge", "/apis/storage.k8s.io/v1/storageclasses/fast", R"({"allowVolumeExpansion":true})")
                .verdict(),
            "200");
  EXPECT_EQ(grow().at({"spec", "resources", "requests", "storage"}), "2Gi");
}

TEST(DefaultIngressClassPlugin, IsForIngressesThatNameNone) {
  TestServer server;
  const auto ingress = [](std::string_view name, std::string_view metadata, std::string_view spec) {
    return R"({"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":")" + std::string(name) + "\"" +
           std::string(metadata) + R"(},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}})" +
           std::string(spec) + "}}";
  };
  const std::string_view ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
  const auto class_given = [&](std::string_view name, std::string_view metadata = {}, std::string_view spec = {}) {
    const Reply reply = server.post(ingresses, ingress(name, metadata, spec));
    return reply.verdict() + " " + reply.at({"spec", "ingressClassName"});
  };
  EXPECT_EQ(class_given("a"), "201 ");
  for (const std::string_view name : {"older", "newer", "newest-but-equal"}) {
    ASSERT_EQ(server
                  .post("/apis/networking.k8s.io/v1/ingressclasses",
                        R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","spec":{"controller":"x.io/c"},
      "metadata":{"annotations":{"ingressclass.kubernetes.io/is-default-class":"true"},"name":")" +
                            std::string(name) + "\"}}")
                  .verdict(),
              "201");
    if (name == "older") server.loop().advance(Duration::seconds(2));
  }
  EXPECT_EQ(class_given("b"), "201 newer");
  EXPECT_EQ(class_given("c", "", R"(,"ingressClassName":"mine")"), "201 mine");
  EXPECT_EQ(class_given("d", R"(,"annotations":{"kubernetes.io/ingress.class":"mine"})"), "201 ");
}

TEST(DefaultPlugins, AreKnownByNameEvenIfNoneIsHere) {
  EXPECT_THAT(default_plugin_names(), testing::IsSupersetOf({"PersistentVolumeClaimResize", "DefaultIngressClass",
                                                             "NamespaceLifecycle", "CertificateApproval"}));
  EXPECT_EQ(default_plugin_names().size(), 27U);
}

TEST(LimitRangerPlugin, FillsInDefaultsAndHoldsToBounds) {
  TestServer server;
  ASSERT_EQ(server
                .post("/api/v1/namespaces/default/limitranges",
                      R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"lr"},"spec":{"limits":[
      {"type":"Container","default":{"cpu":"1"},"max":{"cpu":"2"},"min":{"memory":"1Mi"}},
      {"type":"PersistentVolumeClaim","max":{"storage":"1Gi"}}]}})")
                .verdict(),
            "201");
  const Reply filled = server.post(kPods, pod("l1", "", R"({"requests":{"memory":"5Mi"}})"));
  EXPECT_EQ(filled.at({"metadata", "annotations", "kubernetes.io/limit-ranger"}),
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
  EXPECT_NE(filled.body.find(R"("resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1","memory":"5Mi"}})"),
            std::string::npos)
      << filled.body;
  EXPECT_EQ(server.post(kPods, pod("l2", "", R"({"limits":{"cpu":"3"}})")).verdict(),
            "403 Forbidden: pods \"l2\" is forbidden: maximum cpu usage per Container is 2, but limit is 3");
  EXPECT_EQ(server
                .post("/api/v1/namespaces/default/persistentvolumeclaims",
                      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p"},
      "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}}})")
                .verdict(),
            "403 Forbidden: persistentvolumeclaims \"p\" is forbidden: maximum storage usage per "
            "PersistentVolumeClaim is 1Gi, but request is 2Gi");
  ASSERT_EQ(server.remove("/api/v1/namespaces/default/limitranges/lr").status, 200);
  EXPECT_EQ(server.post(kPods, pod("l2", "", R"({"limits":{"cpu":"3"}})")).status, 201);
}

TEST(RuntimeClassPlugin, GivesOverheadAndPlacement) {
  TestServer server;
  EXPECT_EQ(server.post(kPods, pod("a", R"(,"runtimeClassName":"vm")")).verdict(),
            "403 Forbidden: pods \"a\" is forbidden: pod rejected: RuntimeClass \"vm\" not found");
  ASSERT_EQ(server
                .post("/apis/node.k8s.io/v1/runtimeclasses",
                      R"({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"vm"},"handler":"kata",
      "overhead":{"podFixed":{"memory":"64Mi"}},"scheduling":{"nodeSelector":{"vm":"yes"},
      "tolerations":[{"key":"vm","operator":"Exists"}]}})")
                .verdict(),
            "201");
  const Reply placed = server.post(
      kPods, pod("a", R"(,"runtimeClassName":"vm","tolerations":[{"key":"vm","operator":"Equal","value":"1"}])"));
  EXPECT_EQ(placed.at({"spec", "overhead"}), R"({"memory":"64Mi"})");
  EXPECT_EQ(placed.at({"spec", "nodeSelector"}), R"({"vm":"yes"})");
  EXPECT_EQ(placed.at({"spec", "tolerations"}).find("Equal"), std::string::npos);
  EXPECT_EQ(server.post(kPods, pod("b", R"(,"runtimeClassName":"vm","nodeSelector":{"vm":"no"})")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
            "pod.spec.nodeSelector[vm] = no");
  EXPECT_EQ(server.post(kPods, pod("b", R"(,"overhead":{"cpu":"1"})")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: pod rejected: Pod Overhead set without corresponding "
            "RuntimeClass defined Overhead");
  EXPECT_EQ(server.post(kPods, pod("b", R"(,"runtimeClassName":"vm","overhead":{"cpu":"1"})")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's "
            "defined Overhead");
}

TEST(ServiceAccountPlugin, LooksUpWhoThePodRunsAs) {
  TestServer server;
  EXPECT_EQ(server.post(kPods, pod("a", R"(,"serviceAccountName":"robot")")).verdict(),
            "403 Forbidden: pods \"a\" is forbidden: error looking up service account default/robot: "
            "serviceaccount \"robot\" not found");
  ASSERT_EQ(server
                .post("/api/v1/namespaces/default/serviceaccounts",
                      R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot"},
                          "imagePullSecrets":[{"name":"registry"}]})")
                .verdict(),
            "201");
  const Reply named = server.post(kPods, pod("a", R"(,"serviceAccountName":"robot")"));
  EXPECT_EQ(named.verdict(), "201");
  EXPECT_EQ(named.at({"spec", "imagePullSecrets"}), R"([{"name":"registry"}])");
  const Reply own = server.post(kPods, pod("b", R"(,"serviceAccountName":"robot","imagePullSecrets":[{"name":"x"}])"));
  EXPECT_EQ(own.at({"spec", "imagePullSecrets"}), R"([{"name":"x"}])");
  const Reply unnamed = server.post(kPods, pod("c"));
  EXPECT_EQ(unnamed.at({"spec", "serviceAccountName"}), "default");
  EXPECT_EQ(unnamed.at({"spec", "serviceAccount"}), "default");
}

TEST(ServiceAccountPlugin, LetsMirrorPodsReferToNoSecret) {
  TestServer server;
  const auto create = [&](std::string_view spec, std::string_view container = {}) {
    return server.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"m","annotations":
      {"kubernetes.io/config.mirror":"x"}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"x")" +
                                  std::string(container) + "}]" + std::string(spec) + "}}");
  };
  const std::string forbidden = "403 Forbidden: pods \"m\" is forbidden: a mirror pod may not ";
  EXPECT_EQ(create(R"(,"serviceAccountName":"robot")").verdict(), forbidden + "reference service accounts");
  const std::string no_secrets = forbidden + "reference secrets";
  EXPECT_EQ(create(R"(,"imagePullSecrets":[{"name":"s"}])").verdict(), no_secrets);
  EXPECT_EQ(create("", R"(,"envFrom":[{"secretRef":{"name":"s"}}])").verdict(), no_secrets);
  EXPECT_EQ(create("", R"(,"env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}])").verdict(),
            no_secrets);
  for (const char* source :
       {R"("secret":{"secretName":"s"})", R"("rbd":{"image":"i","monitors":["m"],"secretRef":{"name":"s"}})",
        R"("csi":{"driver":"d.io","nodePublishSecretRef":{"name":"s"}})",
        R"("projected":{"sources":[{"secret":{"name":"s"}}]})"}) {
    EXPECT_EQ(create(R"(,"volumes":[{"name":"v",)" + std::string(source) + "}]").verdict(), no_secrets) << source;
  }
  EXPECT_EQ(
      create(R"(,"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}])").verdict(),
      forbidden + "use ServiceAccountToken volume projections");
  const Reply allowed = create(R"(,"volumes":[{"name":"v","configMap":{"name":"x"}}])");
  EXPECT_EQ(allowed.verdict(), "201");
  EXPECT_EQ(allowed.at({"spec", "serviceAccountName"}), "");
}

TEST(ServiceAccountPlugin, WaitsForNoControllerButForgivesItAWhile) {
  ControlPlaneOptions options = TestServer::default_options();
  options.runs_builtin_controllers = false;  // another process makes the accounts
  TestServer server(options);
  EXPECT_EQ(server.post(kPods, pod("a")).verdict(), "201");
  server.loop().advance(Duration::seconds(3));
  EXPECT_EQ(server.post(kPods, pod("b")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: error looking up service account default/default: "
            "serviceaccount \"default\" not found");
}

TEST(ServiceAccountPlugin, CanBeLeftOut) {
  ControlPlaneOptions options = TestServer::default_options();
  options.disabled_admission_plugins = {"ServiceAccount"};
  TestServer server(options);
  const Reply created = server.post(kPods, pod("a", R"(,"serviceAccountName":"robot")"));
  EXPECT_EQ(created.verdict(), "201");
}

TEST(PodTopologyLabelsPlugin, CopiesZoneAndRegionOfTheNode) {
  TestServer server;
  server.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{
      "topology.kubernetes.io/zone":"a1","topology.kubernetes.io/region":"a","other":"x"}}})");
  ASSERT_EQ(server.post(kPods, pod("p")).status, 201);
  ASSERT_EQ(server
                .post("/api/v1/namespaces/default/pods/p/binding",
                      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},
      "target":{"kind":"Node","name":"n"}})")
                .status,
            201);
  const std::string labels = R"({"topology.kubernetes.io/region":"a","topology.kubernetes.io/zone":"a1"})";
  EXPECT_EQ(server.get(std::string(kPods) + "/p").at({"metadata", "labels"}), labels);
  EXPECT_EQ(server.post(kPods, pod("q", R"(,"nodeName":"n")")).at({"metadata", "labels"}), labels);
}

constexpr std::string_view kSchedulingApi = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default";

std::string pod_group(std::string_view name, std::string_view spec, std::string_view owners = "[]") {
  return fmt::format(R"({{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{{"name":"{}",
    "ownerReferences":{}}},"spec":{{{}}}}})",
                     name, owners, spec);
}

TEST(PodGroupWorkloadExistsPlugin, AsksForTheTemplate) {
  TestServer server;
  const std::string groups = fmt::format("{}/podgroups", kSchedulingApi);
  const auto made_of = [](std::string_view workload, std::string_view template_name) {
    return fmt::format(R"("schedulingPolicy":{{"basic":{{}}}},"podGroupTemplateRef":{{"workload":{{
      "workloadName":"{}","podGroupTemplateName":"{}"}}}})",
                       workload, template_name);
  };
  EXPECT_EQ(server.post(groups, pod_group("free", R"("schedulingPolicy":{"basic":{}})")).verdict(), "201");
  EXPECT_EQ(
      server.post(groups, pod_group("a", made_of("w", "t"))).verdict(),
      "403 Forbidden: podgroups.scheduling.k8s.io \"a\" is forbidden: PodGroup rejected: Workload \"w\" not found");
  ASSERT_EQ(server
                .post(fmt::format("{}/workloads", kSchedulingApi),
                      R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"Workload","metadata":{"name":"w",
      "finalizers":["a.com/held"]},"spec":{"podGroupTemplates":[{"name":"t","schedulingPolicy":{"basic":{}}}]}})")
                .verdict(),
            "201");
  EXPECT_EQ(server.post(groups, pod_group("a", made_of("w", "u"))).verdict(),
            "403 Forbidden: podgroups.scheduling.k8s.io \"a\" is forbidden: PodGroup rejected: PodGroupTemplate \"u\" "
            "not found in Workload \"w\"");
  EXPECT_EQ(server.post(groups, pod_group("a", made_of("w", "t"))).verdict(), "201");
  ASSERT_EQ(server.remove(fmt::format("{}/workloads/w", kSchedulingApi)).status, 200);
  EXPECT_EQ(server.post(groups, pod_group("b", made_of("w", "t"))).verdict(),
            "403 Forbidden: podgroups.scheduling.k8s.io \"b\" is forbidden: PodGroup rejected: Workload \"w\" is being "
            "deleted");
}

TEST(PriorityPlugin, FillsInTheClassOfAPodGroup) {
  TestServer server;
  const std::string groups = fmt::format("{}/podgroups", kSchedulingApi);
  const auto naming = [](std::string_view more) {
    return fmt::format(R"("schedulingPolicy":{{"basic":{{}}}}{})", more);
  };
  ASSERT_EQ(server
                .post("/apis/scheduling.k8s.io/v1/priorityclasses",
                      R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"hi"},
      "value":5,"globalDefault":true})")
                .verdict(),
            "201");
  EXPECT_EQ(server.post(groups, pod_group("a", naming(R"(,"priorityClassName":"hi")"))).at({"spec", "priority"}), "5");
  EXPECT_EQ(
      server.post(groups, pod_group("b", naming(R"(,"priority":7)"))).verdict(),
      "403 Forbidden: podgroups.scheduling.k8s.io \"b\" is forbidden: the integer value of priority (7) must not be "
      "provided in pod group spec; priority admission controller computed 5 from the given PriorityClass name")
      << "decisions heed it, so it is nobody's to choose";
  EXPECT_EQ(server.post(groups, pod_group("b", naming(R"(,"priority":5)"))).at({"spec", "priority"}), "5");
  EXPECT_EQ(server.post(groups, pod_group("e", naming(""))).at({"spec", "priority"}), "");
  EXPECT_EQ(server.post(groups, pod_group("c", naming(R"(,"priorityClassName":"ho")"))).verdict(),
            "403 Forbidden: podgroups.scheduling.k8s.io \"c\" is forbidden: no PriorityClass with name ho was found");
  EXPECT_EQ(
      server.post(groups, pod_group("d", naming(R"(,"priorityClassName":"hi","priority":7)"))).verdict(),
      "403 Forbidden: podgroups.scheduling.k8s.io \"d\" is forbidden: the integer value of priority (7) must not be "
      "provided in pod group spec; priority admission controller computed 5 from the given PriorityClass name");
}

TEST(JobValidationPlugin, KeepsTheParallelismOfGangs) {
  TestServer server;
  const std::string groups = fmt::format("{}/podgroups", kSchedulingApi);
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  const auto job = [](std::string_view name, std::string_view pod_spec) {
    return fmt::format(R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"{}"}},"spec":{{"parallelism":2,
      "completions":2,"completionMode":"Indexed","template":{{"spec":{{"restartPolicy":"Never",
      "containers":[{{"name":"a","image":"a"}}]{}}}}}}}}})",
                       name, pod_spec);
  };
  const auto widen = [&](std::string_view name) {
    return server.patch("merge", fmt::format("{}/{}", jobs, name), R"({"spec":{"parallelism":3,"completions":3}})")
        .verdict();
  };
  constexpr std::string_view kGang = R"("schedulingPolicy":{"gang":{"minCount":2}})";
  const auto refused = [](std::string_view name, std::string_view group) {
    return fmt::format(
        "403 Forbidden: jobs.batch \"{}\" is forbidden: cannot change parallelism for a Job referencing "
        "gang-scheduled PodGroup \"{}\"",
        name, group);
  };

  ASSERT_EQ(server.post(groups, pod_group("gang", kGang)).verdict(), "201");
  ASSERT_EQ(server.post(groups, pod_group("basic", R"("schedulingPolicy":{"basic":{}})")).verdict(), "201");
  ASSERT_EQ(server.post(jobs, job("named", R"(,"schedulingGroup":{"podGroupName":"gang"})")).verdict(), "201");
  EXPECT_EQ(widen("named"), refused("named", "gang"));
  EXPECT_EQ(server.patch("merge", jobs + "/named", R"({"spec":{"suspend":true}})").verdict(), "200");
  ASSERT_EQ(server.post(jobs, job("loose", R"(,"schedulingGroup":{"podGroupName":"basic"})")).verdict(), "201");
  EXPECT_EQ(widen("loose"), "200");
  ASSERT_EQ(server.post(jobs, job("early", R"(,"schedulingGroup":{"podGroupName":"absent"})")).verdict(), "201");
  EXPECT_EQ(widen("early"), "200");

  const Reply owner = server.post(jobs, job("owner", ""));
  const std::string owners =
      fmt::format(R"([{{"apiVersion":"batch/v1","kind":"Job","name":"owner","uid":"{}","controller":true}}])",
                  owner.at({"metadata", "uid"}));
  EXPECT_EQ(widen("owner"), "200");
  ASSERT_EQ(server.post(groups, pod_group("made", kGang, owners)).verdict(), "201");
  EXPECT_EQ(server.patch("merge", jobs + "/owner", R"({"spec":{"parallelism":4,"completions":4}})").verdict(),
            refused("owner", "made"));
}

}  // namespace
}  // namespace loadline::apiserver
