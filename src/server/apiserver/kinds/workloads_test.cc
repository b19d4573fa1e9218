#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/apiserver/testing/kind_under_test.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using testing::ElementsAre;
using testing::IsEmpty;

std::string text(const Value& object, document::Names names) {
  const Value* found = document::find_at(object, names);
  return found == nullptr ? "" : document::write_json(*found);
}

constexpr const char* kDeployment =
    "{metadata: {name: d, labels: {a: b}}, spec: {selector: {matchLabels: {a: d}}, template: {metadata: {labels: {a: "
    "d}}, spec: {containers: [{name: c, image: i}]}}}}";

TEST(DeploymentTest, KeepsItsSelector) {
  KindUnderTest kind("apps", "deployments");
  const Value created = kind.create(kDeployment);
  // As a kube-apiserver answered.
  EXPECT_THAT(kind.change_refusals(created, "{spec: {selector: {matchLabels: {q: z}}}}"),
              ElementsAre("spec.template.metadata.labels: Invalid value: {\"a\":\"d\"}: `selector` does not match "
                          "template `labels`",
                          "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"d\",\"q\":\"z\"}}: field is "
                          "immutable"));
  EXPECT_THAT(kind.change_refusals(created, "{spec: {replicas: 3}}"), IsEmpty());
}

TEST(DeploymentTest, CountsChangesOfSpecificationAndAnnotations) {
  KindUnderTest kind("apps", "deployments");
  const Value created = kind.create(kDeployment);
  EXPECT_EQ(generation_of(created), 1);
  EXPECT_EQ(generation_of(kind.change(created, "{spec: {replicas: 3}}")), 2);
  EXPECT_EQ(generation_of(kind.change(created, "{metadata: {annotations: {x: z}}}")), 2);
  EXPECT_EQ(generation_of(kind.change(created, "{metadata: {labels: {x: z}}}")), 1);
  EXPECT_EQ(generation_of(kind.change(created, "{status: {replicas: 1}}")), 1);
}

TEST(DeploymentTest, KeepsLabelsInStatusRequests) {
  KindUnderTest kind("apps", "deployments");
  const Value changed = kind.change_status(kind.create(kDeployment),
                                           "{metadata: {labels: {x: z}, annotations: {k: m}}, spec: {replicas: 7}, "
                                           "status: {replicas: 2, readyReplicas: 1}}");
  EXPECT_EQ(text(changed, {"metadata", "labels"}), "{\"a\":\"b\"}");
  EXPECT_EQ(text(changed, {"metadata", "annotations"}), "{\"k\":\"m\"}");
  EXPECT_EQ(text(changed, {"spec", "replicas"}), "1");
  EXPECT_EQ(text(changed, {"status", "readyReplicas"}), "1");
}

TEST(DeploymentTest, RefusesWhatCannotBe) {
  KindUnderTest kind("apps", "deployments");
  const Value created = kind.create(kDeployment);
  EXPECT_THAT(kind.change_refusals(created, "{spec: {minReadySeconds: -1, revisionHistoryLimit: -2}}"),
              ElementsAre("spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
                          "spec.revisionHistoryLimit: Invalid value: -2: must be greater than or equal to 0"));
  EXPECT_THAT(kind.change_refusals(created, "{spec: {minReadySeconds: 600}}"),
              ElementsAre("spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"));
  EXPECT_THAT(kind.change_refusals(created, "{spec: {strategy: {type: Recreate}}}"),
              ElementsAre("spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
                          "'Recreate'"));
  EXPECT_THAT(kind.status_refusals(created, "{status: {replicas: 1, readyReplicas: 2, availableReplicas: 3}}"),
              ElementsAre("status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
                          "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
                          "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas"));
  EXPECT_THAT(kind.refusals("{metadata: {name: d}, spec: {}}"), testing::Not(IsEmpty()));
}

TEST(DeploymentTest, WarnsOfNamesThatAreNoLabels) {
  KindUnderTest kind("apps", "deployments");
  kind.create(
      "{metadata: {name: d.x}, spec: {selector: {matchLabels: {a: d}}, template: {metadata: {labels: {a: d}}, "
      "spec: {containers: [{name: c, image: i}]}}}}");
  EXPECT_THAT(kind.warnings,
              ElementsAre("metadata.name: this is used in Pod names and hostnames, which can result in surprising "
                          "behavior; a DNS label is recommended: [must not contain dots]"));
}

TEST(ReplicaSetTest, KeepsItsSelector) {
  KindUnderTest kind("apps", "replicasets");
  const Value created = kind.create(kDeployment);
  EXPECT_THAT(kind.change_refusals(created,
                                   "{spec: {selector: {matchLabels: {a: d}, matchExpressions: [{key: a, "
                                   "operator: Exists}]}}}"),
              ElementsAre("spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"d\"},\"matchExpressions\":[{\"key\":"
                          "\"a\",\"operator\":\"Exists\"}]}: field is immutable"));
}

TEST(StatefulSetTest, ChangesInSomeFieldsOnly) {
  KindUnderTest kind("apps", "statefulsets");
  const Value created = kind.create(
      "{metadata: {name: s}, spec: {serviceName: s, selector: {matchLabels: {a: s}}, template: {metadata: {labels: {a: "
      "s}}, spec: {containers: [{name: c, image: i}]}}}}");
  EXPECT_THAT(kind.change_refusals(created, "{spec: {replicas: 2, minReadySeconds: 1, ordinals: {start: 3}}}"),
              IsEmpty());
  EXPECT_THAT(kind.change_refusals(created, "{spec: {serviceName: t}}"),
              ElementsAre("spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                          "'template', 'updateStrategy', 'revisionHistoryLimit', "
                          "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  EXPECT_THAT(kind.change_refusals(created, "{spec: {updateStrategy: {rollingUpdate: {partition: -1}}}}"),
              ElementsAre("spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or "
                          "equal to 0"));
}

TEST(DaemonSetTest, CountsItsTemplates) {
  KindUnderTest kind("apps", "daemonsets");
  const Value created = kind.create(kDeployment);
  constexpr const char* kAnnotation = "deprecated.daemonset.template.generation";
  EXPECT_EQ(document::text_at(created, {"metadata", "annotations", kAnnotation}), "1");
  const Value changed = kind.change(created, "{spec: {template: {spec: {terminationGracePeriodSeconds: 5}}}}");
  EXPECT_EQ(document::text_at(changed, {"metadata", "annotations", kAnnotation}), "2");
  EXPECT_EQ(generation_of(changed), 2);
  // Clients do not count.
  const Value lied = kind.change(changed, "{metadata: {annotations: {deprecated.daemonset.template.generation: '9'}}}");
  EXPECT_EQ(document::text_at(lied, {"metadata", "annotations", kAnnotation}), "2");
  EXPECT_THAT(kind.change_refusals(created, "{spec: {updateStrategy: {rollingUpdate: {maxSurge: 1}}}}"),
              ElementsAre("spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
                          "maxUnavailable is non-zero"));
}

TEST(ControllerRevisionTest, NeverChangesItsData) {
  KindUnderTest kind("apps", "controllerrevisions");
  const Value created = kind.create("{metadata: {name: r}, revision: 1, data: {a: 1}}");
  EXPECT_THAT(kind.change_refusals(created, "{revision: 2}"), IsEmpty());
  EXPECT_THAT(kind.change_refusals(created, "{data: {a: 2}}"),
              ElementsAre("data: Invalid value: {\"a\":2}: field is immutable"));
  EXPECT_THAT(kind.refusals("{metadata: {name: r}, revision: -1}"),
              ElementsAre("revision: Invalid value: -1: must be greater than or equal to 0",
                          "data: Required value: data is mandatory"));
}

// ---- jobs ----------------------------------------------------------------------------------------------------------

constexpr const char* kJob =
    "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'x:1'}]}}}}";

TEST(JobTest, GetsItsSelectorFromItsUid) {
  KindUnderTest kind("batch", "jobs");
  const Value created = kind.create(kJob);
  EXPECT_THAT(kind.refusals(kJob), IsEmpty());
  // As a kube-apiserver answered.
  constexpr const char* kLabels =
      "{\"batch.kubernetes.io/controller-uid\":\"u-1\",\"batch.kubernetes.io/job-name\":\"j\",\"controller-uid\":"
      "\"u-1\",\"job-name\":\"j\"}";
  EXPECT_EQ(text(created, {"metadata", "labels"}), kLabels);
  EXPECT_EQ(text(created, {"spec", "template", "metadata", "labels"}), kLabels);
  EXPECT_EQ(text(created, {"spec", "selector"}), "{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u-1\"}}");
  std::string order;
  for (const document::Member& member : created.find("spec")->object()) order += member.key + " ";
  EXPECT_EQ(order,
            "parallelism completions backoffLimit selector manualSelector template completionMode suspend "
            "podReplacementPolicy ");
}

TEST(JobTest, RefusesWhatUpstreamRefuses) {
  KindUnderTest kind("batch", "jobs");
  EXPECT_THAT(kind.refusals("{metadata: {name: j2}, spec: {completionMode: Foo, template: {spec: {containers: [{name: "
                            "c, image: 'x:1'}]}}}}"),
              ElementsAre("spec.completionMode: Unsupported value: \"Foo\": supported values: \"NonIndexed\", "
                          "\"Indexed\"",
                          "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""));
  EXPECT_THAT(
      kind.refusals("{metadata: {name: j}, spec: {manualSelector: true, template: {spec: {restartPolicy: Never, "
                    "containers: [{name: c, image: i}]}}}}"),
      ElementsAre("spec.selector: Required value"));
  EXPECT_THAT(
      kind.refusals("{metadata: {name: j}, spec: {backoffLimit: -1, managedBy: x, template: {spec: {restartPolicy: "
                    "Never, containers: [{name: c, image: i}]}}}}"),
      ElementsAre("spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
                  "spec.managedBy: Invalid value: \"x\": must be a domain-prefixed path (such as \"acme.io/foo\")"));
  EXPECT_THAT(
      kind.refusals("{metadata: {name: j}, spec: {template: {metadata: {labels: {job-name: k}}, spec: {restartPolicy: "
                    "Never, containers: [{name: c, image: i}]}}}}"),
      ElementsAre("spec.template.metadata.labels[job-name]: Invalid value: "
                  "{\"batch.kubernetes.io/controller-uid\":\"u-1\",\"batch.kubernetes.io/job-name\":\"j\","
                  "\"controller-uid\":\"u-1\",\"job-name\":\"k\"}: must be 'j'"));
}

TEST(JobTest, ChangesLittleOnceItExists) {
  KindUnderTest kind("batch", "jobs");
  const Value created = kind.create(kJob);
  EXPECT_THAT(kind.change_refusals(created, "{spec: {completions: 5}}"),
              ElementsAre("spec.completions: Invalid value: 5: field is immutable"));
  EXPECT_THAT(kind.change_refusals(created, "{spec: {parallelism: 5, suspend: true, backoffLimit: 1}}"), IsEmpty());
  EXPECT_THAT(kind.change_refusals(created, "{spec: {template: {spec: {nodeSelector: {a: b}}}}}"),
              ElementsAre(testing::StartsWith("spec.template: Invalid value: ")));
}

TEST(JobTest, MayMoveAndResizeItsPodsWhileItIsSuspended) {
  KindUnderTest kind("batch", "jobs");
  const Value suspended = kind.change(kind.create(kJob), "{spec: {suspend: true}}");
  EXPECT_THAT(kind.change_refusals(suspended,
                                   "{spec: {template: {metadata: {labels: {x: z}}, spec: {nodeSelector: {a: b}, "
                                   "tolerations: [{operator: Exists}], affinity: {nodeAffinity: "
                                   "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                                   "[{matchExpressions: [{key: k, operator: Exists}]}]}}}, containers: [{name: c, "
                                   "image: 'x:1', resources: {requests: {cpu: '1'}}}]}}}}"),
              IsEmpty());
  EXPECT_THAT(kind.change_refusals(suspended, "{spec: {template: {spec: {priorityClassName: p}}}}"),
              ElementsAre(testing::AllOf(testing::StartsWith("spec.template.spec: Invalid value: "),
                                         testing::EndsWith(": field is immutable"))));
  // Not while pods run.
  const Value running = kind.change_status(suspended, "{status: {active: 1}}");
  EXPECT_THAT(kind.change_refusals(running, "{spec: {template: {spec: {nodeSelector: {a: b}}}}}"),
              ElementsAre(testing::StartsWith("spec.template: Invalid value: ")));
}

TEST(JobTest, EndsInOneWayOnly) {
  KindUnderTest kind("batch", "jobs");
  const Value created = kind.create(kJob);
  EXPECT_THAT(kind.status_refusals(created, "{status: {conditions: [{type: Complete, status: 'True'}]}}"),
              ElementsAre("status.completionTime: Required value: completionTime is required for Complete jobs",
                          "status.conditions: Invalid value: cannot set Complete=True condition without the "
                          "SuccessCriteriaMet=true condition",
                          "status.startTime: Required value: startTime is required for finished job"));
  constexpr const char* kDone =
      "{status: {startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:00Z', succeeded: 1, conditions: "
      "[{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True'}]}}";
  EXPECT_THAT(kind.status_refusals(created, kDone), IsEmpty());
  const Value done = kind.change_status(created, kDone);
  EXPECT_THAT(kind.status_refusals(done, "{status: {succeeded: 0}}"),
              ElementsAre("status.succeeded: Invalid value: 0: cannot decrease the succeeded counter"));
  EXPECT_THAT(kind.status_refusals(done, "{status: {active: 1}}"),
              ElementsAre("status.active: Invalid value: 1: active>0 is invalid for finished job"));
  EXPECT_THAT(kind.status_refusals(created, "{status: {completedIndexes: '0'}}"),
              ElementsAre("status.completedIndexes: Invalid value: \"0\": cannot set non-empty completedIndexes when "
                          "non-indexed completion mode"));
}

TEST(CronJobTest, ChecksWhatItWillMake) {
  KindUnderTest kind("batch", "cronjobs");
  EXPECT_THAT(kind.refusals("{metadata: {name: c}, spec: {schedule: '* * * * *', startingDeadlineSeconds: -1, "
                            "jobTemplate: {spec: {backoffLimit: -1, template: {spec: {restartPolicy: Never, "
                            "containers: [{name: c, image: i}]}}}}}}"),
              ElementsAre("spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
                          "spec.jobTemplate.spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"));
  EXPECT_THAT(kind.refusals("{metadata: {name: c}, spec: {schedule: '* * * * *', concurrencyPolicy: Never, "
                            "jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, "
                            "image: i}]}}}}}}"),
              ElementsAre("spec.concurrencyPolicy: Unsupported value: \"Never\": supported values: \"Allow\", "
                          "\"Forbid\", \"Replace\""));
}

}  // namespace
}  // namespace loadline::apiserver
