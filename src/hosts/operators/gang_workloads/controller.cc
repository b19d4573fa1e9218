#include "hosts/operators/gang_workloads/controller.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/reservation.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/typed_creation.h"
#include "hosts/operators/gang_workloads/rooms.h"
#include "objects/kube/scalars.h"
#include "objects/kube/scheduling/pod_group_schema.h"

namespace loadline::operators {
namespace {

/// The first `most` parts of those that have a number of them; the others say each of theirs.
template <class Kind>
std::vector<workloads::WholePart> parts_of(const Kind& workload, std::size_t most) {
  if constexpr (std::is_same_v<Kind, kube::LeaderWorkerSet>) {
    return workloads::whole_parts(workload, static_cast<std::int64_t>(most));
  } else {
    return workloads::whole_parts(workload);
  }
}

template <class Kind>
class GangWorkloadController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return name_; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<Kind>(watching::own_key<Kind>);
    const std::string kind(watching::kind_name<Kind>().kind);
    const std::string group(watching::kind_name<Kind>().group);
    to.on<kube::PodGroup>(watching::controllers_of<kube::PodGroup>(kind, group));
    to.on<kube::Reservation>(watching::controllers_of<kube::Reservation>(kind, group));
    to.on<kube::PriorityClass>([](const watching::Change<kube::PriorityClass>&, watching::Keys&) {});
  }

  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    watching::Reconciliation result;
    const auto workload = context.caches.of<Kind>().find(key);
    if (workload == nullptr || workload->is_being_deleted() || !workloads::is_marked_whole(workload->metadata())) {
      return result;
    }
    if (workloads::holds_room(workload->metadata()) && rests(workload->view)) {
      give_back(*workload, context, result);
      return result;
    }
    RoomsOf<Kind> rooms(workload->view, context);
    const auto& groups = context.caches.of<kube::PodGroup>();
    const std::size_t known = groups.controlled_by(workload->metadata().uid).size();
    const std::vector<workloads::WholePart> parts = parts_of(workload->view, known + controllers::kBurst);
    for (const workloads::WholePart& part : parts) {
      if (const auto there = groups.find(key.name_space, part.group); there != nullptr) {
        follow(*there, workload->metadata(), part, result);
        follow_rooms(*workload, part, rooms, context, result);
        continue;
      }
      if (!has_rooms(*workload, part, rooms, context, result)) continue;
      const kube::PodGroup group = workloads::group_of_part(kube::kind_of<Kind>(), workload->metadata(), part);
      watching::Action creation = controllers::creation_of(group, kube::kPodGroupSchema);
      // It is made of no Workload, and a reference without a name would be refused.
      creation.document = document::without_at(std::move(creation.document), {"spec", "podGroupTemplateRef"});
      result.then(std::move(creation));
    }
    // As long as there are parts that were not looked at, a group may be of one of these.
    if (parts.size() == known + controllers::kBurst) return result;
    for (const auto& [group, object] : groups.controlled_by(workload->metadata().uid)) {
      if (std::ranges::find(parts, group.name, &workloads::WholePart::group) != parts.end()) continue;
      result.then(watching::remove(watching::kind_name<kube::PodGroup>(), group, object->metadata().uid));
      remove_rooms(*workload, context, result,
                   [&](const kube::Reservation& room) { return workloads::starts_with(room) == group.name; });
    }
    return result;
  }

 private:
  using Workload = watching::Observed<Kind>;

  /// It has no pods, or will have no more.
  static bool rests(const Kind& workload) { return is_over(workload) || workloads::is_suspended(workload); }

  template <class Which>
  static void remove_rooms(const Workload& workload, const controllers::Context& context,
                           watching::Reconciliation& result, Which which) {
    for (const auto& [key, room] : context.caches.of<kube::Reservation>().controlled_by(workload.metadata().uid)) {
      if (!which(room->view) || room->is_being_deleted()) continue;
      result.then(watching::remove(watching::kind_name<kube::Reservation>(), key, room->metadata().uid));
    }
  }

  /// When it goes on, it begins with its rooms, and so without groups.
  static void give_back(const Workload& workload, const controllers::Context& context,
                        watching::Reconciliation& result) {
    remove_rooms(workload, context, result, [](const kube::Reservation&) { return true; });
    if (!workloads::is_suspended(workload.view)) return;
    for (const auto& [key, group] : context.caches.of<kube::PodGroup>().controlled_by(workload.metadata().uid)) {
      if (group->is_being_deleted()) continue;
      result.then(watching::remove(watching::kind_name<kube::PodGroup>(), key, group->metadata().uid));
    }
  }

  /// Whether the part's group may be made: room for its later pods is asked for, and the scheduler knows of that.
  static bool has_rooms(const Workload& workload, const workloads::WholePart& part, RoomsOf<Kind>& rooms,
                        const controllers::Context& context, watching::Reconciliation& result) {
    if (!workloads::holds_room(workload.metadata())) return true;
    bool is_known = true;
    std::vector<watching::Action> creations;
    for (const kube::Reservation& room : rooms.of(part)) {
      const auto there = context.caches.of<kube::Reservation>().find({workload.key().name_space, room.metadata.name});
      if (there == nullptr) creations.push_back(creation_of(room));
      is_known &= there != nullptr && !there->is_being_deleted() && is_taken_up(there->view);
    }
    result.then(std::move(creations));
    return is_known;
  }

  /// What the workload asks for may be another room by now. No room is asked for anew once the part has begun.
  static void follow_rooms(const Workload& workload, const workloads::WholePart& part, RoomsOf<Kind>& rooms,
                           const controllers::Context& context, watching::Reconciliation& result) {
    const std::string generation = std::to_string(workload.metadata().generation);
    std::vector<watching::ObjectPtr<kube::Reservation>> outdated;
    for (const auto& [key, room] : context.caches.of<kube::Reservation>().controlled_by(workload.metadata().uid)) {
      if (workloads::starts_with(room->view) != part.group || room->is_being_deleted()) continue;
      const auto followed = room->metadata().annotations.find(kOfGeneration);
      const bool is_current = followed != room->metadata().annotations.end() && followed->second == generation;
      if (!is_current) outdated.push_back(room);
    }
    if (outdated.empty()) return;
    const std::vector<kube::Reservation> wanted = rooms.of(part);
    for (const watching::ObjectPtr<kube::Reservation>& room : outdated) {
      const auto now =
          std::ranges::find(wanted, room->key().name, [](const kube::Reservation& each) { return each.metadata.name; });
      result.then(now == wanted.end()
                      ? watching::remove(watching::kind_name<kube::Reservation>(), room->key(), room->metadata().uid)
                      : update_of(*room, *now));
    }
  }

  /// What the workload asks for may be less or more by now than when its group was made.
  static void follow(const watching::Observed<kube::PodGroup>& group, const kube::ObjectMeta& workload,
                     const workloads::WholePart& part, watching::Reconciliation& result) {
    const kube::OwnerReference* controller = group.metadata().controller();
    const bool is_its_own = controller != nullptr && controller->uid == workload.uid && !group.is_being_deleted();
    if (!is_its_own) return;
    const std::optional<kube::PodGroup> now = workloads::revised(group.view, part);
    if (!now) return;
    document::Value wanted = document::with_at(group.document, {"spec", "schedulingPolicy", "gang", "minCount"},
                                               document::Value(std::int64_t{part.min_count}));
    for (const std::string_view name : {cluster::spellings::kLaterParts, cluster::spellings::kStartsAfter}) {
      const auto said = now->metadata.annotations.find(name);
      if (said != now->metadata.annotations.end()) {
        wanted = document::with_at(std::move(wanted), {"metadata", "annotations", name}, document::Value(said->second));
      } else if (document::find_at(wanted, {"metadata", "annotations", name}) != nullptr) {
        wanted = document::without_at(std::move(wanted), {"metadata", "annotations", name});
      }
    }
    result.then(watching::update(watching::kind_name<kube::PodGroup>(), group.key(), std::move(wanted)));
  }

  const std::string name_ = kube::lower_case(watching::kind_name<Kind>().kind) + "-gang-controller";
};

}  // namespace

Controllers make_gang_workload_controllers() {
  Controllers made;
  workloads::for_each_whole_kind(
      [&]<class Kind>() { made.push_back(std::make_unique<GangWorkloadController<Kind>>()); });
  return made;
}

}  // namespace loadline::operators
