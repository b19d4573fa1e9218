#include "hosts/recording/recorded_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <set>

#include "brain/cluster/spellings/membership.h"
#include "foundation/document/writer.h"
#include "hosts/recording/pod_lives.h"
#include "hosts/recording/recording_reader.h"
#include "objects/kube/encoder.h"
#include "objects/kube/registry.h"
#include "objects/kube/scalars.h"

namespace loadline::recording {

using trace::PodsAlike;
using trace::Work;

namespace {

constexpr std::string_view kEstimate = "loadline.dev/expected-duration";

/// What another cluster can make of the pod.
kube::Pod template_of(const kube::Pod& pod) {
  kube::Pod result;
  result.metadata.namespace_ = pod.metadata.namespace_;
  result.metadata.labels = pod.metadata.labels;
  result.metadata.annotations = pod.metadata.annotations;
  cluster::spellings::forget_groups(result.metadata);
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->node_name.clear();
  spec->scheduling_gates.clear();
  spec->hostname.clear();
  spec->pod_group_name.clear();
  spec->resource_claims.clear();
  std::erase_if(spec->volumes, [](const kube::Volume& volume) {
    return volume.persistent_volume_claim.has_value() || volume.ephemeral_claim.has_value();
  });
  // Each pod has a name of its own for the volume of its token.
  for (std::size_t i = 0; i < spec->volumes.size(); ++i) spec->volumes[i].name = fmt::format("volume-{}", i);
  result.spec = std::move(spec);
  return result;
}

/// Makes works of lives.
class WorkMaker {
 public:
  explicit WorkMaker(const PodLives& lives) : beginning_(lives.beginning().value_or(Instant{})) {
    for (const auto& [uid, life] : lives.lives()) {
      if (life.arrived) in_order_.push_back(&life);
    }
    std::ranges::sort(in_order_, [](const PodLife* a, const PodLife* b) {
      return std::pair(*a->arrived, a->place) < std::pair(*b->arrived, b->place);
    });
  }

  std::vector<Work> run() {
    find_first_bindings();
    for (const PodLife* life : in_order_) {
      if (!is_of_gang(*life)) {
        works_.push_back(work_of({life}, life->pod.metadata.name));
      } else {
        gangs_[group_of(*life)].push_back(life);
      }
    }
    for (const auto& [group, gang] : gangs_) {
      works_.push_back(work_of(gang, group.second.name));
      works_.back().is_gang = true;
    }
    std::ranges::stable_sort(works_, {}, &Work::arrives);
    return std::move(works_);
  }

 private:
  using Group = cluster::spellings::GroupKey;

  /// Its namespace and name; without a name: none.
  static Group group_of(const PodLife& life) {
    std::optional<cluster::GroupName> group = cluster::spellings::group_of(life.pod);
    return {life.pod.metadata.namespace_, group ? *std::move(group) : cluster::GroupName{}};
  }

  void find_first_bindings() {
    for (const PodLife* life : in_order_) {
      const Group group = group_of(*life);
      if (group.second.name.empty() || !life->bound) continue;
      const auto [place, is_new] = first_bindings_.try_emplace(group, *life->bound);
      place->second = std::min(place->second, *life->bound);
    }
  }

  [[nodiscard]] bool is_of_gang(const PodLife& life) const {
    const Group group = group_of(life);
    if (group.second.name.empty()) return false;
    const auto first = first_bindings_.find(group);
    return first == first_bindings_.end() || *life.arrived <= first->second;
  }

  Work work_of(const std::vector<const PodLife*>& pods, const std::string& name) {
    Work work;
    work.name = unique(name);
    const kube::ObjectMeta& metadata = pods.front()->pod.metadata;
    const kube::OwnerReference* owner = metadata.controller();
    work.tenant = metadata.namespace_;
    work.work_class = owner == nullptr ? "Pod" : owner->kind;
    work.arrives = since_beginning(*pods.back()->arrived);
    for (const PodLife* life : pods) add_pod(work, life->pod);
    set_end(work, pods);
    if (const auto estimate = metadata.annotations.find(kEstimate); estimate != metadata.annotations.end()) {
      if (const Result<Duration> parsed = kube::parse_duration(estimate->second)) work.estimate = *parsed;
    }
    return work;
  }

  void add_pod(Work& work, const kube::Pod& pod) {
    const std::shared_ptr<const kube::Pod> alike = shared(template_of(pod));
    const auto found = std::ranges::find(work.pods, alike, &PodsAlike::pod);
    if (found != work.pods.end()) {
      ++found->count;
    } else {
      work.pods.push_back({alike, 1});
    }
  }

  /// Pods that no decision tells apart are one.
  std::shared_ptr<const kube::Pod> shared(kube::Pod pod) {
    const std::string text = document::write_json(kube::encode_object(*kube::kind_of<kube::Pod>().schema, &pod));
    std::shared_ptr<const kube::Pod>& alike = templates_[text];
    if (alike == nullptr) alike = std::make_shared<const kube::Pod>(std::move(pod));
    return alike;
  }

  /// A work has ended when its last pod has; it was deleted if any of them was before it ended.
  void set_end(Work& work, const std::vector<const PodLife*>& pods) const {
    std::optional<Instant> started;
    std::optional<Instant> ended;
    bool have_ended = true;
    for (const PodLife* life : pods) {
      if (const std::optional<Instant>& start = life->started ? life->started : life->bound) {
        started = std::max(started.value_or(*start), *start);
      }
      if (life->deleted) {
        const Duration deleted = since_beginning(*life->deleted);
        work.deleted = std::max(work.deleted.value_or(deleted), deleted);
      }
      if (life->ended) ended = std::max(ended.value_or(*life->ended), *life->ended);
      have_ended = have_ended && life->ended.has_value();
    }
    if (have_ended && started && ended && *ended >= *started) work.run_time = *ended - *started;
  }

  [[nodiscard]] Duration since_beginning(Instant at) const { return at - beginning_; }

  /// The name, with a number behind it if it has been used.
  std::string unique(const std::string& name) {
    std::string result = name;
    for (std::size_t number = 2; !names_.insert(result).second; ++number) result = fmt::format("{}-{}", name, number);
    return result;
  }

  Instant beginning_;
  std::vector<const PodLife*> in_order_;
  std::map<Group, Instant> first_bindings_;
  std::map<Group, std::vector<const PodLife*>> gangs_;
  std::map<std::string, std::shared_ptr<const kube::Pod>> templates_;
  std::set<std::string> names_;
  std::vector<Work> works_;
};

}  // namespace

tl::expected<std::unique_ptr<RecordedWork>, Diagnostics> RecordedWork::read(std::istream& text,
                                                                            const std::string& file) {
  RecordingReader reader(text, file);
  if (auto header = reader.header(); !header) return tl::unexpected(std::move(header.error()));
  PodLives lives;
  while (true) {
    auto line = reader.next();
    if (!line) return tl::unexpected(std::move(line.error()));
    if (!*line) break;
    lives.take(**line);
  }
  std::unique_ptr<RecordedWork> work(new RecordedWork);
  work->works_ = WorkMaker(lives).run();
  work->nodes_ = lives.nodes();
  work->is_cut_ = reader.is_cut();
  return work;
}

Result<std::optional<trace::Work>> RecordedWork::next() {
  if (next_ == works_.size()) return std::nullopt;
  return std::move(works_[next_++]);
}

}  // namespace loadline::recording
