#include "hosts/recording/scheduler_recorder.h"

#include <string>
#include <utility>
#include <vector>

#include "brain/decision/why_text.h"
#include "foundation/document/at.h"
#include "hosts/recording/round_line.h"
#include "hosts/watching/informers.h"

namespace loadline::recording {

using document::Array;
using document::Object;
using document::Value;

namespace {

Value names_of(const std::vector<cluster::PodId>& pods, const cluster::Cluster& cluster) {
  Array names;
  for (const cluster::PodId pod : pods) names.emplace_back(cluster.pod_text(pod));
  return Value(std::move(names));
}

Value volumes_of(const std::vector<cluster::ChosenVolume>& chosen) {
  Array volumes;
  for (const cluster::ChosenVolume& each : chosen) {
    volumes.emplace_back(
        Object{{"claim", Value(each.name_space + '/' + each.claim), {}}, {"volume", Value(each.volume), {}}});
  }
  return Value(std::move(volumes));
}

}  // namespace

SchedulerRecorder::~SchedulerRecorder() {
  journal_.begin(journal_.input().flag("end", true).number("lines", journal_.lines()));
}

void SchedulerRecorder::reads(watching::AnyCache& cache) {
  if (!caches_.insert(&cache).second) return;
  cache.watch([this, resource = watching::Informers::name_of(cache.kind().reference())](const watching::ObjectKey& key,
                                                                                        const Value* now) {
    Line line = journal_.input();
    if (now != nullptr) {
      line.text("put", resource).json("object", document::without_at(*now, {"metadata", "managedFields"}));
    } else {
      line.text("gone", resource).some_text("namespace", key.name_space).text("name", key.name);
    }
    journal_.begin(std::move(line));
  });
}

void SchedulerRecorder::took(const decision::PodTurn& turn, scheduler::LiveClusterModel& model) {
  const cluster::Cluster& cluster = model.cluster();
  Line line = Line::output();
  line.text("decided", cluster.pod_text(turn.pod)).some_text("uid", model.at(turn.pod).metadata.uid);
  if (turn.node.valid()) line.text("node", cluster.node_name(turn.node));
  line.some_text("message", decision::text(cluster, turn.why)).flag("error", turn.is_error);
  if (turn.nominated.valid()) line.text("nominated", cluster.node_name(turn.nominated));
  if (!turn.victims.empty()) line.json("victims", names_of(turn.victims, cluster));
  if (!turn.denominated.empty()) line.json("denominated", names_of(turn.denominated, cluster));
  if (!turn.volumes.empty()) line.json("volumes", volumes_of(turn.volumes));
  if (turn.consumed.valid()) line.text("consumed", cluster.pod_text(turn.consumed));
  journal_.write(std::move(line));
}

void SchedulerRecorder::decided(const queue::kueue::Round& round, const queue::kueue::KueueScheduler& scheduler) {
  for (const queue::kueue::Decision& decision : round.decisions) {
    journal_.write(round_line(round.number, decision, scheduler));
  }
}

}  // namespace loadline::recording
