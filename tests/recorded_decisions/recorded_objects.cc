#include "recorded_decisions/recorded_objects.h"

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::recorded_decisions {
namespace {

using document::Value;

/// A list of the recording. Its items leave out apiVersion and kind, as those of a typed list do.
struct ListedKind {
  std::string_view field;
  std::string_view api_version;
  std::string_view kind;
};

constexpr ListedKind kNode{"nodes", "v1", "Node"};
constexpr ListedKind kNamespace{"namespaces", "v1", "Namespace"};
constexpr ListedKind kVolume{"persistentVolumes", "v1", "PersistentVolume"};
constexpr ListedKind kClaim{"persistentVolumeClaims", "v1", "PersistentVolumeClaim"};
constexpr ListedKind kPodGroup{"podGroups", "scheduling.k8s.io/v1alpha2", "PodGroup"};
constexpr ListedKind kPendingPod{"pendingPods", "v1", "Pod"};

constexpr std::array kClusterKinds = {
    kNamespace,
    kNode,
    kPodGroup,
    ListedKind{"pods", "v1", "Pod"},
    ListedKind{"services", "v1", "Service"},
    ListedKind{"replicationControllers", "v1", "ReplicationController"},
    ListedKind{"replicaSets", "apps/v1", "ReplicaSet"},
    ListedKind{"statefulSets", "apps/v1", "StatefulSet"},
    ListedKind{"pdbs", "policy/v1", "PodDisruptionBudget"},
    kVolume,
    kClaim,
    ListedKind{"storageClasses", "storage.k8s.io/v1", "StorageClass"},
    ListedKind{"csiNodes", "storage.k8s.io/v1", "CSINode"},
    ListedKind{"csiDrivers", "storage.k8s.io/v1", "CSIDriver"},
    ListedKind{"csiStorageCapacities", "storage.k8s.io/v1", "CSIStorageCapacity"},
    ListedKind{"volumeAttachments", "storage.k8s.io/v1", "VolumeAttachment"},
};

/// Objects to be decoded together: no two of a kind may have one name.
class Batch {
 public:
  explicit Batch(const Fields& around) : around_(around) {}

  void add(const Fields& object, const ListedKind& kind) {
    if (!object.is_object()) return;
    add(object.value().with("apiVersion", Value(kind.api_version)).with("kind", Value(kind.kind)), object.path());
  }
  /// An object that says itself what it is.
  void add(Value object, std::string path) { documents_.push_back({std::move(object), std::move(path)}); }
  void add_list(const Fields& objects, const ListedKind& kind) {
    objects.each([&](const Fields& item) {
      if (!item.present()) item.blame("expected an object, got null");
      add(item, kind);
    });
  }

  /// The first error becomes the recording's fault: it names the place, the object and the field.
  kube::Objects decode() {
    kube::Decoding decoding = kube::decode(documents_);
    const auto error = std::find_if(decoding.diagnostics.begin(), decoding.diagnostics.end(),
                                    [](const Diagnostic& found) { return found.severity == Severity::kError; });
    if (error != decoding.diagnostics.end()) around_.blame_below(error->to_string());
    return std::move(decoding.objects);
  }

 private:
  const Fields& around_;
  std::vector<kube::SourceDocument> documents_;
};

template <class Kind>
Kind only(std::vector<Kind> objects) {
  return objects.empty() ? Kind{} : std::move(objects.front());
}

std::optional<kube::SchedulerConfiguration> read_configuration(const Fields& input) {
  const Fields field = input.member("configuration");
  if (!field.is_object()) return std::nullopt;
  Batch batch(input);
  batch.add(field.value(), field.path());
  std::vector<kube::SchedulerConfiguration> found = batch.decode().of<kube::SchedulerConfiguration>();
  if (found.empty()) {
    field.blame("expected a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1");
    return std::nullopt;
  }
  return std::move(found.front());
}

template <class Kind>
Kind read_one(const Fields& event, const Fields& field, const ListedKind& kind) {
  Batch batch(event);
  batch.add(field, kind);
  return only(batch.decode().of<Kind>());
}

using Change = decltype(RecordedEvent::change);

/// What an event may be, by the name of its field.
struct EventKind {
  std::string_view field;
  Change (*read)(const Fields& event, const Fields& field);
};

constexpr std::array kEventKinds = {
    EventKind{"deletePod", [](const Fields&, const Fields& field) -> Change { return DeletedPod{field.text()}; }},
    EventKind{"addPod",
              [](const Fields& event, const Fields& field) -> Change {
                return AddedPod{read_one<kube::Pod>(event, field, kPendingPod)};
              }},
    EventKind{"updateNode",
              [](const Fields& event, const Fields& field) -> Change {
                return UpdatedNode{read_one<kube::Node>(event, field, kNode)};
              }},
    EventKind{"addNode",
              [](const Fields& event, const Fields& field) -> Change {
                return AddedNode{read_one<kube::Node>(event, field, kNode)};
              }},
    EventKind{"updateNamespace",
              [](const Fields& event, const Fields& field) -> Change {
                return UpdatedNamespace{read_one<kube::Namespace>(event, field, kNamespace)};
              }},
    EventKind{"addPodGroup",
              [](const Fields& event, const Fields& field) -> Change {
                return AddedPodGroup{read_one<kube::PodGroup>(event, field, kPodGroup)};
              }},
    EventKind{"deletePodGroup",
              [](const Fields&, const Fields& field) -> Change { return DeletedPodGroup{field.text()}; }},
};

RecordedEvent read_event(const Fields& event) {
  RecordedEvent result;
  const Fields before = event.member("beforeAttempt");
  if (!before.present()) before.blame("expected the sequence number of an attempt");
  result.before_attempt = before.number();
  std::vector<std::string> names;
  std::size_t found = 0;
  for (const EventKind& kind : kEventKinds) {
    names.emplace_back(kind.field);
    const Fields field = event.member(kind.field);
    if (!field.present()) continue;
    if (++found == 1) result.change = kind.read(event, field);
  }
  if (found != 1) event.blame("expected one of " + joined(names, ", "));
  return result;
}

std::vector<RecordedEvent> read_events(const Fields& field) {
  std::vector<RecordedEvent> events = field.list(read_event);
  std::stable_sort(events.begin(), events.end(),
                   [](const RecordedEvent& a, const RecordedEvent& b) { return a.before_attempt < b.before_attempt; });
  return events;
}

/// Recorded volumes and claims must not be completed as those of a manifest are: a recorded volume without a phase is
/// not available, and a claim that was recorded without a class gets no default class.
void take_as_recorded(std::vector<kube::PersistentVolume>& volumes) {
  for (kube::PersistentVolume& volume : volumes) {
    if (volume.phase.empty() || volume.phase == "Pending") volume.phase = "Unavailable";
  }
}
void take_as_recorded(std::vector<kube::PersistentVolumeClaim>& claims) {
  for (kube::PersistentVolumeClaim& claim : claims) {
    if (!claim.spec.storage_class_name) claim.spec.storage_class_name.emplace();
  }
}

}  // namespace

void read_input(const Fields& input, RecordedCase& recorded) {
  Batch objects(input);
  for (const ListedKind& kind : kClusterKinds) objects.add_list(input.member(kind.field), kind);
  recorded.cluster = objects.decode();
  take_as_recorded(recorded.cluster.of<kube::PersistentVolume>());
  take_as_recorded(recorded.cluster.of<kube::PersistentVolumeClaim>());

  Batch pending(input);
  pending.add_list(input.member(kPendingPod.field), kPendingPod);
  recorded.pending = pending.decode().of<kube::Pod>();

  recorded.events = read_events(input.member("events"));
  recorded.configuration = read_configuration(input);
}

RecordedVolumes read_volumes(const Fields& updates) {
  if (!updates.is_object()) return {};
  Batch batch(updates);
  for (const ListedKind& kind : {kVolume, kClaim}) batch.add_list(updates.member(kind.field), kind);
  kube::Objects objects = batch.decode();
  take_as_recorded(objects.of<kube::PersistentVolume>());
  take_as_recorded(objects.of<kube::PersistentVolumeClaim>());
  return {std::move(objects.of<kube::PersistentVolume>()), std::move(objects.of<kube::PersistentVolumeClaim>())};
}

}  // namespace loadline::recorded_decisions
