#include "brain/engine/broken_groups.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Eviction;
using decision::Unit;
using gang::Release;

namespace {

/// Who starts in the room of others, and where.
struct Beneficiary {
  Unit unit;
  std::vector<gang::Place> places;  ///< of pods that gave back their room themselves
};

class Rooms {
 public:
  Rooms(cluster::Cluster& cluster, std::span<const InLine> line, const TryUnit& starts, Beneficiaries whose)
      : cluster_(cluster), line_(line), starts_(starts), whose_(whose) {}

  /// The first in line that starts once all of these are gone.
  std::optional<Beneficiary> beneficiary(std::span<const Release> gone) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    for (const Release& release : gone) {
      for (const PodId pod : release.pods) cluster_.unplace(pod);
    }
    std::size_t tried = 0;
    for (const InLine& each : line_) {
      if (tried++ == kMostBeneficiaries) break;
      if (std::optional<Beneficiary> found = try_in(each, gone)) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Beneficiary> try_in(const InLine& each, std::span<const Release> gone) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    std::vector<PodId> pods(each.pods.begin(), each.pods.end());
    const auto own = std::ranges::find(gone, each.unit.group, &Release::group);
    const bool has_own = each.unit.is_group() && own != gone.end();
    if (own != gone.end() && whose_ == Beneficiaries::kOthers) return std::nullopt;
    if (has_own) pods.insert(pods.end(), own->pods.begin(), own->pods.end());
    if (!starts_(each.unit, pods)) return std::nullopt;
    Beneficiary found{each.unit, {}};
    for (std::size_t i = 0; has_own && i < own->pods.size(); ++i) {
      const cluster::NodeId node = cluster_.pod(own->pods[i]).node;
      if (node.valid()) found.places.push_back({own->pods[i], node});
    }
    return found;
  }

  cluster::Cluster& cluster_;
  std::span<const InLine> line_;
  const TryUnit& starts_;
  Beneficiaries whose_;
};

std::vector<Eviction> evictions_of(std::span<const Release> releases, const Beneficiary& whose) {
  std::vector<Eviction> evictions;
  for (const Release& release : releases) {
    Eviction& eviction = evictions.emplace_back(decision::release_of(release, whose.unit));
    std::ranges::copy_if(whose.places, std::back_inserter(eviction.places), [&](const gang::Place& place) {
      return std::ranges::find(release.pods, place.pod) != release.pods.end();
    });
    if (!eviction.places.empty()) eviction.landing = decision::Landing::kPredicted;
  }
  return evictions;
}

}  // namespace

std::vector<Eviction> useful_releases(cluster::Cluster& cluster, std::vector<Release> broken,
                                      std::span<const InLine> line, const TryUnit& starts, Beneficiaries whose) {
  Rooms rooms(cluster, line, starts, whose);
  std::optional<Beneficiary> found;
  for (const Release& each : broken) {
    found = rooms.beneficiary({&each, 1});
    if (found) return evictions_of({&each, 1}, *found);
  }
  std::vector<Release> gone;
  for (std::size_t i = 0; i < broken.size() && !found; ++i) {
    gone.push_back(std::move(broken[i]));
    if (gone.size() > 1) found = rooms.beneficiary(gone);
  }
  if (!found) return {};
  // The last of them is needed; each of the others stays if somebody starts without its room.
  for (std::size_t i = gone.size() - 1; i-- > 0;) {
    std::vector<Release> fewer = gone;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    std::optional<Beneficiary> other = rooms.beneficiary(fewer);
    if (!other) continue;
    gone = std::move(fewer);
    found = std::move(other);
  }
  return evictions_of(gone, *found);
}

}  // namespace loadline::engine
