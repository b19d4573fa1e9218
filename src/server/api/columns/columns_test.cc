#include "server/api/columns/columns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/outline.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::string_view kNow = "2026-01-02T00:00:00Z";

Value read(const std::string& yaml) {
  const document::Reading reading = document::read_yaml(yaml, "test");
  EXPECT_TRUE(reading.problems.empty()) << yaml;
  return reading.documents.empty() ? Value() : reading.documents.front();
}

/// The cells of an object, by the group and kind that it names.
std::string cells_of(const Value& object) {
  const std::string version = object.find("apiVersion")->string();
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  const KindColumns* columns = find_columns(group, object.find("kind")->string());
  if (columns == nullptr) return "no columns";
  std::string text;
  CellWriter cells(text, *parse_rfc3339(kNow));
  columns->cells(object, cells);
  const Value row = document::read_json("{\"cells\":[" + text + "]}", "cells").documents.at(0);
  EXPECT_EQ(row.find("cells")->array().size(), columns->columns.size()) << text;

  std::string of_outline;
  CellWriter outlined(of_outline, *parse_rfc3339(kNow));
  columns->cells(document::read_outline(document::write_json(object), {columns->kept, columns->left_out}).object,
                 outlined);
  EXPECT_EQ(of_outline, text) << "something is left out that a cell shows";
  return text;
}

struct Case {
  std::string document;
  std::string cells;
};

/// Each document is a flow mapping without its braces; `head` goes before it. Objects were created a day ago.
void expect_all(const std::string& head, const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const std::string metadata = R"(metadata: {name: x, creationTimestamp: "2026-01-01T00:00:00Z"}, )";
    EXPECT_EQ(cells_of(read("{" + head + (head.empty() ? "" : ", ") + metadata + one.document + "}")), one.cells)
        << one.document;
  }
}

/// Ready, Status and Restarts of a pod.
std::string pod_cells(const std::string& document, const std::string& deleted = {}) {
  const std::string metadata = "metadata: {name: x, creationTimestamp: \"2026-01-01T00:00:00Z\"" + deleted + "}, ";
  const std::string cells = cells_of(read("{apiVersion: v1, kind: Pod, " + metadata + document + "}"));
  return cells.substr(4, cells.find(",\"24h\"") - 4);
}

TEST(PodColumns, SumUpContainers) {
  const std::string two = "spec: {containers: [{name: a}, {name: b}]}, ";
  const std::vector<Case> cases = {
      {"", R"("0/0","","0")"},
      {two + "status: {phase: Pending}", R"("0/2","Pending","0")"},
      {two + "status: {phase: Failed, reason: Evicted}", R"("0/2","Evicted","0")"},
      {two + "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}",
       R"("0/2","SchedulingGated","0")"},
      {two + "status: {phase: Running, containerStatuses: [{name: a, ready: true, state: {running: {}}}, "
             "{name: b, state: {waiting: {reason: CrashLoopBackOff}}, restartCount: 3, "
             "lastState: {terminated: {finishedAt: '2026-01-01T23:55:00Z'}}}]}",
       R"json("1/2","CrashLoopBackOff","3 (5m ago)")json"},
      {two +
           "status: {phase: Running, containerStatuses: [{name: a, restartCount: 2, state: {terminated: {exitCode: 0, "
           "reason: Completed}}}, {name: b, ready: true, state: {running: {}}}], "
           "conditions: [{type: Ready, status: 'True'}]}",
       R"("1/2","Running","2")"},
      {two + "status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {exitCode: 0, "
             "reason: Completed}}}, {name: b, ready: true, state: {running: {}}}]}",
       R"("1/2","NotReady","0")"},
      {two + "status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {exitCode: 0, "
             "reason: Completed}}}, {name: b, state: {terminated: {exitCode: 1, reason: Error}}}]}",
       R"("0/2","Error","0")"},
      {two + "status: {phase: Failed, containerStatuses: [{name: a, state: {terminated: {exitCode: 137, signal: 9}}}]}",
       R"("0/2","Signal:9","0")"},
      {two + "status: {phase: Failed, containerStatuses: [{name: a, state: {terminated: {exitCode: 3}}}]}",
       R"("0/2","ExitCode:3","0")"},
  };
  for (const Case& one : cases) EXPECT_EQ(pod_cells(one.document), one.cells) << one.document;
}

TEST(PodColumns, TellHowFarInitializationIs) {
  const std::string spec =
      "spec: {containers: [{name: a}], initContainers: [{name: i}, {name: s, restartPolicy: Always}, {name: j}]}, ";
  const std::string done = "{name: i, state: {terminated: {exitCode: 0}}}, ";
  const std::vector<Case> cases = {
      {spec +
           "status: {phase: Pending, initContainerStatuses: [{name: i, state: {waiting: {reason: PodInitializing}}}]}",
       R"("0/2","Init:0/3","0")"},
      {spec + "status: {phase: Pending, initContainerStatuses: [" + done + "{name: s, started: false}]}",
       R"("0/2","Init:1/3","0")"},
      {spec + "status: {phase: Pending, initContainerStatuses: [" + done +
           "{name: s, started: true, ready: true, restartCount: 1}, "
           "{name: j, restartCount: 4, state: {waiting: {reason: ImagePullBackOff}}}]}",
       R"("1/2","Init:ImagePullBackOff","5")"},
      {spec + "status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 2}}}]}",
       R"("0/2","Init:ExitCode:2","0")"},
      {spec + "status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 2, "
              "signal: 9}}}]}",
       R"("0/2","Init:Signal:9","0")"},
      {spec + "status: {phase: Running, initContainerStatuses: [" + done +
           "{name: s, started: true, ready: true, restartCount: 1}, {name: j, restartCount: 4, state: {terminated: "
           "{exitCode: 0}}}], containerStatuses: [{name: a, ready: true, state: {running: {}}, restartCount: 1}]}",
       R"("2/2","Running","2")"},
  };
  for (const Case& one : cases) EXPECT_EQ(pod_cells(one.document), one.cells) << one.document;
}

TEST(PodColumns, TellOfDeletion) {
  const std::string deleted = ", deletionTimestamp: '2026-01-01T23:00:00Z'";
  EXPECT_EQ(pod_cells("status: {phase: Running}", deleted), R"("0/0","Terminating","0")");
  EXPECT_EQ(pod_cells("status: {phase: Succeeded}", deleted), R"("0/0","Succeeded","0")");
  EXPECT_EQ(pod_cells("status: {phase: Running, reason: NodeLost}", deleted), R"("0/0","Unknown","0")");
}

TEST(PodColumns, TellThePlace) {
  expect_all("apiVersion: v1, kind: Pod",
             {{"spec: {nodeName: n1, readinessGates: [{conditionType: A}, {conditionType: B}]}, "
               "status: {phase: Running, podIPs: [{ip: 10.0.0.1}], nominatedNodeName: n2, "
               "conditions: [{type: A, status: 'True'}, {type: B, status: 'False'}]}",
               R"("x","0/0","Running","0","24h","10.0.0.1","n1","n2","1/2")"}});
}

TEST(NodeColumns, TellReadinessAndRoles) {
  expect_all(
      "apiVersion: v1, kind: Node",
      {{"", R"("x","Unknown","<none>","24h","","<none>","<none>","<unknown>","<unknown>","<unknown>")"},
       {"spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: 'True'}], "
        "addresses: [{type: InternalIP, address: 10.0.0.1}, {type: ExternalIP, address: 1.2.3.4}], "
        "nodeInfo: {kubeletVersion: v1.36.0, osImage: Debian, kernelVersion: '6.1', architecture: amd64, "
        "containerRuntimeVersion: 'containerd://2'}}",
        R"json("x","Ready,SchedulingDisabled","<none>","24h","v1.36.0","10.0.0.1","1.2.3.4","Debian","6.1 (amd64)",)json"
        R"("containerd://2")"},
       {"status: {conditions: [{type: Ready, status: Unknown}]}",
        R"("x","NotReady","<none>","24h","","<none>","<none>","<unknown>","<unknown>","<unknown>")"}});
  const std::string labels =
      "metadata: {labels: {node-role.kubernetes.io/worker: '', node-role.kubernetes.io/: '', kubernetes.io/role: "
      "infra}}";
  EXPECT_EQ(cells_of(read("{apiVersion: v1, kind: Node, " + labels + "}")).substr(0, 42),
            R"("","Unknown","infra,worker","<unknown>","")");
}

TEST(CoreColumns, Count) {
  expect_all(
      "apiVersion: v1",
      {
          {"kind: Namespace, status: {phase: Terminating}", R"("x","Terminating","24h")"},
          {"kind: ConfigMap, data: {a: b}, binaryData: {c: ''}", R"("x",2,"24h")"},
          {"kind: Secret, type: Opaque, data: {a: YQ==}", R"("x","Opaque",1,"24h")"},
          {"kind: ServiceAccount", R"("x","24h")"},
          {"kind: PodTemplate, template: {metadata: {labels: {b: c, a: d}}, spec: {containers: [{name: a, image: i}, "
           "{name: b, image: j}]}}",
           R"("x","a,b","i,j","a=d,b=c")"},
          {"kind: ResourceQuota, status: {hard: {pods: '20', cpu: '10', limits.cpu: '5', requests.memory: 1Gi}, "
           "used: {cpu: 300m, pods: '3'}}",
           R"("x","cpu: 300m/10, pods: 3/20, requests.memory: 0/1Gi","limits.cpu: 0/5","24h")"},
          {"kind: LimitRange", "no columns"},
      });
}

TEST(WorkloadColumns, CountReplicas) {
  const std::string pods = "template: {spec: {nodeSelector: {disk: ssd}, containers: [{name: a, image: i}]}}, ";
  const std::string selector =
      "selector: {matchLabels: {b: c}, matchExpressions: [{key: a, operator: In, values: [z, w]}, "
      "{key: c, operator: DoesNotExist}, {key: d, operator: NotIn, values: [v]}, {key: e, operator: Exists}]}";
  const std::string selected = "a in (w,z),b=c,!c,d notin (v),e";
  expect_all(
      "apiVersion: apps/v1",
      {
          {"kind: Deployment, spec: {replicas: 3, " + pods + selector +
               "}, status: {readyReplicas: 1, updatedReplicas: 2}",
           R"("x","1/3",2,0,"24h","a","i",")" + selected + "\""},
          {"kind: Deployment, spec: {selector: {matchExpressions: [{key: a, operator: Odd}]}}",
           R"("x","0/0",0,0,"24h","","","<invalid>")"},
          {"kind: ReplicaSet, spec: {replicas: 3, " + pods + "selector: {}}, status: {replicas: 2, readyReplicas: 1}",
           R"("x",3,2,1,"24h","a","i","<none>")"},
          {"kind: ReplicaSet, spec: {selector: {matchExpressions: [{key: a, operator: In}]}}",
           R"("x",0,0,0,"24h","","","<error>")"},
          {"kind: StatefulSet, spec: {replicas: 3, " + pods + "}, status: {readyReplicas: 1}",
           R"("x","1/3","24h","a","i")"},
          {"kind: DaemonSet, spec: {" + pods +
               "}, status: {desiredNumberScheduled: 5, currentNumberScheduled: 4, "
               "numberReady: 3, updatedNumberScheduled: 2, numberAvailable: 1}",
           R"("x",5,4,3,2,1,"disk=ssd","24h","a","i","<none>")"},
          {"kind: ControllerRevision, revision: 7", R"("x","<none>",7,"24h")"},
      });
  EXPECT_EQ(cells_of(read("{apiVersion: apps/v1, kind: ControllerRevision, revision: 7, metadata: {name: x, "
                          "ownerReferences: [{kind: Pod, name: q}, {apiVersion: apps/v1, kind: DaemonSet, name: web, "
                          "controller: true}]}}")),
            R"("x","daemonset.apps/web",7,"<unknown>")");
  expect_all("apiVersion: v1", {{"kind: ReplicationController, spec: {replicas: 1, selector: {b: c, a: d}}",
                                 R"("x",1,0,0,"24h","","","a=d,b=c")"}});
}

TEST(BatchColumns, TellHowFarJobsAre) {
  expect_all("apiVersion: batch/v1",
             {
                 {"kind: Job, spec: {completions: 3}, status: {succeeded: 1, startTime: '2026-01-01T23:58:30Z'}",
                  R"("x","Running","1/3","90s","24h","","","<none>")"},
                 {"kind: Job, spec: {parallelism: 4}, status: {conditions: [{type: Suspended, status: 'True'}]}",
                  R"("x","Suspended","0/1 of 4","","24h","","","<none>")"},
                 {"kind: Job, spec: {parallelism: 1}, status: {startTime: '2026-01-01T00:00:00Z', "
                  "completionTime: '2026-01-01T00:02:00Z', conditions: [{type: SuccessCriteriaMet, status: 'True'}, "
                  "{type: Complete, status: 'True'}]}",
                  R"("x","Complete","0/1","2m","24h","","","<none>")"},
                 {"kind: CronJob, spec: {schedule: '* * * * *', suspend: false, timeZone: Etc/UTC}, "
                  "status: {active: [{name: a}], lastScheduleTime: '2026-01-01T23:59:00Z'}",
                  R"("x","* * * * *","Etc/UTC","False",1,"60s","24h","","","<none>")"},
                 {"kind: CronJob", R"("x","","<none>","<unset>",0,"<none>","24h","","","<none>")"},
             });
}

TEST(NetworkColumns, ListAddressesAndPorts) {
  expect_all(
      "apiVersion: v1",
      {
          {"kind: Service, spec: {type: NodePort, clusterIPs: [10.0.0.1], selector: {a: b}, "
           "ports: [{port: 80, nodePort: 30080, protocol: TCP}, {port: 53, protocol: UDP}]}",
           R"("x","NodePort","10.0.0.1","<none>","80:30080/TCP,53/UDP","24h","a=b")"},
          {"kind: Service, spec: {type: LoadBalancer, externalIPs: [9.9.9.9]}, "
           "status: {loadBalancer: {ingress: [{hostname: b.example}, {ip: 1.1.1.1}, {ip: 1.1.1.1}]}}",
           R"("x","LoadBalancer","<none>","1.1.1.1,b.example,9.9.9.9","<none>","24h","<none>")"},
          {"kind: Service, spec: {type: LoadBalancer}",
           R"("x","LoadBalancer","<none>","<pending>","<none>","24h","<none>")"},
          {"kind: Service, spec: {type: ExternalName, externalName: a.example}",
           R"("x","ExternalName","<none>","a.example","<none>","24h","<none>")"},
          {"kind: Endpoints", R"("x","<none>","24h")"},
          {"kind: Endpoints, subsets: [{addresses: [{ip: 1.1.1.1}, {ip: '::1'}], ports: [{port: 80}, {port: 443}]}]",
           R"("x","1.1.1.1:80,[::1]:80,1.1.1.1:443 + 1 more...","24h")"},
          {"kind: Endpoints, subsets: [{addresses: [{ip: 1.1.1.1}]}]", R"("x","1.1.1.1","24h")"},
      });
  expect_all("apiVersion: discovery.k8s.io/v1, kind: EndpointSlice",
             {
                 {"addressType: IPv4, ports: [{port: 80}, {name: http}, {}], endpoints: [{addresses: [a, b]}, "
                  "{addresses: [c, d]}]",
                  R"("x","IPv4","80,http,*","a,b,c + 1 more...","24h")"},
                 {"addressType: IPv4", R"("x","IPv4","<unset>","<unset>","24h")"},
             });
  expect_all("apiVersion: networking.k8s.io/v1",
             {
                 {"kind: Ingress, spec: {ingressClassName: nginx, tls: [{}], rules: [{host: a}, {}, {host: b}, {host: "
                  "c}, {host: d}]}",
                  R"("x","nginx","a,b,c + 2 more...","","80, 443","24h")"},
                 {"kind: Ingress", R"("x","<none>","*","","80","24h")"},
                 {"kind: IngressClass, spec: {controller: c, parameters: {apiGroup: g, kind: K, name: n0}}",
                  R"("x","c","K.g/n0","24h")"},
                 {"kind: NetworkPolicy, spec: {podSelector: {matchLabels: {a: b}}}", R"("x","a=b","24h")"},
             });
}

TEST(StorageColumns, TellOfVolumes) {
  expect_all(
      "apiVersion: v1",
      {
          {"kind: PersistentVolume, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany, ReadWriteOnce, "
           "ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: d, name: c}, "
           "storageClassName: fast, volumeMode: Block}, status: {phase: Bound}",
           R"("x","1Gi","RWO,RWX","Retain","Bound","d/c","fast","<unset>","","24h","Block")"},
          {"kind: PersistentVolumeClaim, spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}, "
           "status: {phase: Pending}",
           R"("x","Pending","","","","fast","<unset>","24h","<unset>")"},
          {"kind: PersistentVolumeClaim, spec: {volumeName: v}, status: {phase: Bound, accessModes: [ReadOnlyMany], "
           "capacity: {storage: 2Gi}}",
           R"("x","Bound","v","2Gi","ROX","","<unset>","24h","<unset>")"},
      });
  expect_all("apiVersion: storage.k8s.io/v1",
             {
                 {"kind: StorageClass, provisioner: p", R"("x","p","Delete","Immediate",false,"24h")"},
                 {"kind: CSINode, spec: {drivers: [{name: a}]}", R"("x",1,"24h")"},
                 {"kind: CSIDriver, spec: {attachRequired: false, tokenRequests: [{audience: a}, {audience: b}]}",
                  R"("x",false,false,false,"a,b",false,"<none>","24h")"},
                 {"kind: CSIDriver", R"("x",true,false,false,"<unset>",false,"<none>","24h")"},
                 {"kind: VolumeAttachment, spec: {attacher: a, nodeName: n0, source: {persistentVolumeName: v}}, "
                  "status: {attached: true}",
                  R"("x","a","v","n0",true,"24h")"},
                 {"kind: CSIStorageCapacity", "no columns"},
             });
  EXPECT_EQ(cells_of(read("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x, annotations: "
                          "{storageclass.kubernetes.io/is-default-class: 'true'}}}")),
            R"json("x (default)","","Delete","Immediate",false,"<unknown>")json");
}

TEST(EventColumns, AreTheSameInBothGroups) {
  const std::string head = "involvedObject: {kind: Pod, name: web, fieldPath: 'spec.containers{c}'}, ";
  expect_all(
      "kind: Event",
      {
          {"apiVersion: v1, " + head +
               "type: Normal, reason: R, message: ' m\n', source: {component: c, host: h}, "
               "firstTimestamp: '2026-01-01T23:59:00Z', lastTimestamp: '2026-01-01T23:59:30Z', count: 3",
           R"("30s","Normal","R","pod/web","spec.containers{c}","c, h","m","60s",3,"x")"},
          {"apiVersion: v1, involvedObject: {kind: Node}, eventTime: '2026-01-01T23:59:50.000000Z', "
           "reportingComponent: r, firstTimestamp: null",
           R"("10s","","","node","","r","","10s",1,"x")"},
          {"apiVersion: events.k8s.io/v1, regarding: {kind: Pod, name: web}, note: n0, type: Warning, reason: R, "
           "reportingController: r, reportingInstance: i, eventTime: '2026-01-01T23:59:00.000000Z', "
           "series: {count: 5, lastObservedTime: '2026-01-01T23:59:58.000000Z'}",
           R"("2s","Warning","R","pod/web","","r, i","n0","60s",5,"x")"},
          {"apiVersion: events.k8s.io/v1, deprecatedSource: {component: c}, deprecatedCount: 2, "
           "deprecatedFirstTimestamp: '2026-01-01T23:59:00Z', deprecatedLastTimestamp: '2026-01-01T23:59:59Z'",
           R"("1s","","","","","c","","60s",2,"x")"},
      });
}

TEST(PolicyColumns, TellOfClassesAndBudgets) {
  expect_all(
      "",
      {
          {"apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, value: 5, preemptionPolicy: Never",
           R"("x",5,false,"24h","Never")"},
          {"apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 50%}, status: {disruptionsAllowed: "
           "2}",
           R"("x","50%","N/A",2,"24h")"},
          {"apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {maxUnavailable: 1}", R"("x","N/A","1",0,"24h")"},
          {"apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {holderIdentity: me}", R"("x","me","24h")"},
          {"apiVersion: node.k8s.io/v1, kind: RuntimeClass, handler: runc", R"("x","runc","24h")"},
          {"apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, spec: {schedulingPolicy: {gang: {minCount: 2}}, "
           "podGroupTemplateRef: {workload: {workloadName: w}}}, "
           "status: {conditions: [{type: PodGroupScheduled, status: 'False', reason: R}]}",
           R"("x","Gang","w","Unschedulable","24h")"},
          {"apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, spec: {schedulingPolicy: {basic: {}}}",
           R"("x","Basic","<none>","Pending","24h")"},
          {"apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {kind: Role, name: r}, "
           "subjects: [{kind: User, name: u}, {kind: User, name: v}, {kind: Group, name: g}, "
           "{kind: ServiceAccount, namespace: n0, name: s}]",
           R"("x","Role/r","24h","u, v","g","n0/s")"},
          {"apiVersion: rbac.authorization.k8s.io/v1, kind: Role", "no columns"},
          {"apiVersion: apiregistration.k8s.io/v1, kind: APIService, spec: {service: {namespace: n0, name: s}}, "
           "status: {conditions: [{type: Available, status: 'False', reason: R}]}",
           R"json("x","n0/s","False (R)","24h")json"},
          {"apiVersion: apiregistration.k8s.io/v1, kind: APIService, "
           "status: {conditions: [{type: Available, status: 'True', reason: Local}]}",
           R"("x","Local","True","24h")"},
          {"apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, window: 30s, containers: "
           "[{usage: {cpu: 250m, memory: 64Mi}}, {usage: {cpu: '1', memory: 1Gi}}]",
           R"("x","1250m","1088Mi","30s")"},
      });
}

TEST(ResourceColumns, TellTheStateOfClaims) {
  expect_all("apiVersion: resource.k8s.io/v1",
             {
                 {"kind: ResourceClaim", R"("x","pending","24h")"},
                 {"kind: ResourceClaim, status: {allocation: {}}", R"("x","allocated","24h")"},
                 {"kind: ResourceClaim, status: {allocation: {}, reservedFor: [{name: p}]}",
                  R"("x","allocated,reserved","24h")"},
                 {"kind: ResourceSlice, spec: {nodeName: n0, driver: d, pool: {name: p}}", R"("x","n0","d","p","24h")"},
                 {"kind: DeviceClass", R"("x","24h")"},
             });
  const std::string deleted =
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: x, "
      "deletionTimestamp: '2026-01-01T00:00:00Z'}";
  EXPECT_EQ(cells_of(read(deleted + "}")), R"("x","deleted","<unknown>")");
  EXPECT_EQ(cells_of(read(deleted + ", status: {allocation: {}}}")), R"("x","deleted,allocated","<unknown>")");
}

TEST(AutoscalingColumns, ShowTwoMetrics) {
  const std::string head = "kind: HorizontalPodAutoscaler, ";
  const std::string spec = "spec: {scaleTargetRef: {kind: Deployment, name: web}, maxReplicas: 5, ";
  const auto cells = [](const std::string& targets, const std::string& least = "<unset>") {
    return R"("x","Deployment/web",")" + targets + R"(",")" + least + R"(",5,0,"24h")";
  };
  expect_all(
      "",
      {
          {"apiVersion: autoscaling/v1, " + head + spec + "minReplicas: 1, targetCPUUtilizationPercentage: 80}",
           cells("cpu: <unknown>/80%", "1")},
          {"apiVersion: autoscaling/v2, " + head + spec + "}", cells("<none>")},
          {"apiVersion: autoscaling/v2, " + head + spec +
               "metrics: [{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}, "
               "{type: Pods, pods: {target: {averageValue: 1k}}}, {type: Object}]}, "
               "status: {currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: "
               "30}}}]}",
           cells("cpu: 30%/80%, <unknown>/1k + 1 more...")},
          {"apiVersion: autoscaling/v2, " + head + spec +
               "metrics: [{type: External, external: {target: {averageValue: 3}}}, {type: Object, object: {target: "
               "{value: 5}}}]}, "
               "status: {currentMetrics: [{external: {current: {averageValue: 2}}}, {object: {current: {value: "
               "4}}}]}",
           cells("2/3 (avg), 4/5")},
          {"apiVersion: autoscaling/v2, " + head + spec +
               "metrics: [{type: ContainerResource, containerResource: {name: memory, target: {averageValue: 1Gi}}}, "
               "{type: Odd}]}, status: {currentMetrics: [{containerResource: {current: {averageUtilization: 7}}}]}",
           cells("memory: <nil>/1Gi, <unknown type>")},
      });
}

}  // namespace
}  // namespace loadline::api
