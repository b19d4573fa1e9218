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
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/typed_creation.h"
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
    to.on<kube::PodGroup>(watching::controllers_of<kube::PodGroup>(std::string(watching::kind_name<Kind>().kind),
                                                                   std::string(watching::kind_name<Kind>().group)));
  }

  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    watching::Reconciliation result;
    const auto workload = context.caches.of<Kind>().find(key);
    if (workload == nullptr || workload->is_being_deleted() || !workloads::is_marked_whole(workload->metadata())) {
      return result;
    }
    const auto& groups = context.caches.of<kube::PodGroup>();
    const std::size_t known = groups.controlled_by(workload->metadata().uid).size();
    const std::vector<workloads::WholePart> parts = parts_of(workload->view, known + controllers::kBurst);
    for (const workloads::WholePart& part : parts) {
      if (const auto there = groups.find(key.name_space, part.group); there != nullptr) {
        follow(*there, workload->metadata(), part, result);
        continue;
      }
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
    }
    return result;
  }

 private:
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
