#include "brain/engine/broken_groups.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Unit;
using gang::Release;

namespace {

class Rooms {
 public:
  Rooms(cluster::Cluster& cluster, std::span<const InLine> line, const TryUnit& starts, Beneficiaries whose)
      : cluster_(cluster), line_(line), starts_(starts), whose_(whose) {}

  /// The first in line that starts once all of these are gone.
  std::optional<Unit> beneficiary(std::span<const Release> gone) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    for (const Release& release : gone) {
      for (const PodId pod : release.pods) cluster_.unplace(pod);
    }
    std::size_t tried = 0;
    for (const InLine& each : line_) {
      if (tried++ == kMostBeneficiaries) break;
      if (starts(each, gone)) return each.unit;
    }
    return std::nullopt;
  }

 private:
  bool starts(const InLine& each, std::span<const Release> gone) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    std::vector<PodId> pods(each.pods.begin(), each.pods.end());
    const auto own = std::ranges::find(gone, each.unit.group, &Release::group);
    if (own != gone.end() && whose_ == Beneficiaries::kOthers) return false;
    if (each.unit.is_group() && own != gone.end()) pods.insert(pods.end(), own->pods.begin(), own->pods.end());
    return starts_(each.unit, pods);
  }

  cluster::Cluster& cluster_;
  std::span<const InLine> line_;
  const TryUnit& starts_;
  Beneficiaries whose_;
};

void say_for_whom(const cluster::Cluster& cluster, std::vector<Release>& releases, Unit unit) {
  for (Release& release : releases) {
    if (unit.is_group() && unit.group == release.group) {
      release.message += ", and the group starts anew elsewhere";
    } else if (unit.is_group()) {
      release.message += ", and pod group \"" + cluster.group(unit.group).name + "\" starts in their room";
    } else {
      release.message += ", and pod " + cluster.pod_text(unit.pod) + " starts in their room";
    }
  }
}

}  // namespace

std::vector<Release> useful_releases(cluster::Cluster& cluster, std::vector<Release> broken,
                                     std::span<const InLine> line, const TryUnit& starts, Beneficiaries whose) {
  Rooms rooms(cluster, line, starts, whose);
  std::optional<Unit> unit;
  for (Release& each : broken) {
    unit = rooms.beneficiary({&each, 1});
    if (!unit) continue;
    std::vector<Release> one = {std::move(each)};
    say_for_whom(cluster, one, *unit);
    return one;
  }
  std::vector<Release> gone;
  for (std::size_t i = 0; i < broken.size() && !unit; ++i) {
    gone.push_back(std::move(broken[i]));
    if (gone.size() > 1) unit = rooms.beneficiary(gone);
  }
  if (!unit) return {};
  // The last of them is needed; each of the others stays if somebody starts without its room.
  for (std::size_t i = gone.size() - 1; i-- > 0;) {
    std::vector<Release> fewer = gone;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const std::optional<Unit> other = rooms.beneficiary(fewer);
    if (!other) continue;
    gone = std::move(fewer);
    unit = other;
  }
  say_for_whom(cluster, gone, *unit);
  return gone;
}

}  // namespace loadline::engine
