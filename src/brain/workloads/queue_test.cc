#include "brain/workloads/queue.h"

#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::workloads {
namespace {

using testing::owned_pod;
using testing::workload;

constexpr const char* kKueueLabel = "kueue.x-k8s.io/queue-name";

std::string text_of(const std::optional<NamedQueue>& queue) { return queue ? queue->text() : ""; }

kube::ObjectMeta labelled(const char* label, const char* value) {
  kube::ObjectMeta metadata;
  metadata.labels[label] = value;
  return metadata;
}

TEST(Queue, IsNamedInTheWordsOfThreeProjects) {
  EXPECT_EQ(text_of(queue_in(labelled(kKueueLabel, "team"))), "its queue team is Kueue's");
  EXPECT_EQ(text_of(queue_in(labelled("kai.scheduler/queue", "team"))), "its queue team is KAI's");
  EXPECT_EQ(text_of(queue_in(labelled("volcano.sh/queue-name", "team"))), "its queue team is Volcano's");
  EXPECT_EQ(text_of(queue_in(labelled("volcano.sh/queue-name", "default"))), "") << "everybody's";
  EXPECT_EQ(text_of(queue_in(labelled(kKueueLabel, ""))), "");
  kube::ObjectMeta annotated;
  annotated.annotations["scheduling.volcano.sh/queue-name"] = "team";
  EXPECT_EQ(text_of(queue_in(annotated)), "its queue team is Volcano's");
}

TEST(Queue, OfAPodIsThatOfItsWorkload) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web"), workload<kube::Deployment>("free")};
  objects.of<kube::Deployment>()[0].metadata.labels[kKueueLabel] = "team";
  const Queues queues(objects);
  const kube::Pod pod = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  EXPECT_EQ(text_of(queues.of(pod, {"Deployment", "default", "web"})), "its queue team is Kueue's");
  EXPECT_EQ(text_of(queues.of(pod, {"Deployment", "default", "free"})), "");
  EXPECT_EQ(text_of(queues.of(pod, {"Deployment", "other", "web"})), "");
}

TEST(Queue, OfAWorkloadMayBeWrittenInItsTemplateOrItsSpec) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {workload<kube::StatefulSet>("db")};
  objects.of<kube::StatefulSet>()[0].template_.metadata.labels[kKueueLabel] = "team";
  objects.of<kube::CronJob>() = {workload<kube::CronJob>("nightly")};
  objects.of<kube::CronJob>()[0].job_metadata.labels[kKueueLabel] = "night";
  kube::VolcanoJob& job = objects.of<kube::VolcanoJob>().emplace_back();
  job.metadata.name = "sim";
  job.metadata.namespace_ = "default";
  job.queue = "research";
  const Queues queues(objects);
  EXPECT_EQ(text_of(queues.of({"StatefulSet", "default", "db"})), "its queue team is Kueue's");
  EXPECT_EQ(text_of(queues.of({"CronJob", "default", "nightly"})), "its queue night is Kueue's");
  EXPECT_EQ(text_of(queues.of({"VolcanoJob", "default", "sim"})), "its queue research is Volcano's");
}

TEST(Queue, OfAPodIsThatOfItsGroup) {
  kube::Objects objects;
  kube::VolcanoPodGroup& group = objects.of<kube::VolcanoPodGroup>().emplace_back();
  group.metadata.name = "train";
  group.metadata.namespace_ = "default";
  group.queue = "research";
  kube::Pod pod = owned_pod("a", "Job", "a");
  pod.metadata.annotations["scheduling.k8s.io/group-name"] = "train";
  EXPECT_EQ(text_of(Queues(objects).of(pod, {"Job", "default", "a"})), "its queue research is Volcano's");
}

}  // namespace
}  // namespace loadline::workloads
