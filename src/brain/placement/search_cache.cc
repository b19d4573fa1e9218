#include "brain/placement/search_cache.h"

#include <algorithm>
#include <utility>

namespace loadline::placement {
namespace {

constexpr std::size_t kMostBytes = std::size_t{3} << 29;  // 1.5 GiB

/// nullopt: some plugin's answers cannot be kept.
std::optional<SignedPod> sign(Cycle& cycle, const Profile& profile) {
  std::vector<const Plugin*> asked;
  const auto ask = [&](const Plugin* plugin) {
    if (std::find(asked.begin(), asked.end(), plugin) == asked.end()) asked.push_back(plugin);
  };
  for (const Plugin* plugin : profile.pre_filters()) ask(plugin);
  for (const Plugin* plugin : profile.filters()) ask(plugin);
  for (const Plugin* plugin : profile.pre_scores()) ask(plugin);
  for (const WeightedPlugin& score : profile.scores()) ask(score.plugin);

  SignedPod pod;
  for (const Plugin* plugin : asked) {
    Signature signature;
    const Locality locality = plugin->sign(cycle, signature);
    if (locality == Locality::kCluster) return std::nullopt;
    if (locality == Locality::kTopology) pod.topological.push_back(plugin);
    if (locality == Locality::kFacts) pod.on_facts.push_back(plugin);
    (locality == Locality::kFacts ? pod.facts : pod.rest).add(signature);
  }
  return pod;
}

/// Names pods by what plugins read of them, by which plugins are topological, and by priority, on which it depends
/// which nominated pods they must leave room for.
std::string key_of(const SignedPod& pod, std::int32_t priority) {
  Signature key = pod.rest;
  key.add(pod.facts);
  key.add(priority);
  for (const Plugin* plugin : pod.topological) key.add(plugin->name());
  return key.key();
}

}  // namespace

RankedSearch* SearchCache::find(Cycle& cycle, const Profile& profile) {
  const std::size_t shape = cycle.record().shape.index();
  if (by_shape_.size() <= shape) by_shape_.resize(std::max(shape + 1, 2 * by_shape_.size()));
  const cluster::Cluster& cluster = cycle.cluster();
  if (reclaims_ != cluster.reclaims()) {  // the cluster was reclaimed without Scheduler::reclaim()
    forget([](const Entry&) { return true; });
    by_shape_.assign(by_shape_.size(), {});
    reclaims_ = cluster.reclaims();
  }
  const auto basis = [&] {
    return Basis{cluster.matching_version(), cluster.affinity_term_counts_made(), cycle.record().priority, forgotten_};
  };
  if (by_shape_[shape].basis != basis()) {
    Entry* entry = look_up(cycle, profile);
    by_shape_[shape] = {basis(), entry};  // which the looking up may have moved on
  }
  Entry* entry = by_shape_[shape].entry;
  if (entry == nullptr) return nullptr;
  entry->last_used = ++uses_;
  return entry->search.get();
}

SearchCache::Entry* SearchCache::look_up(Cycle& cycle, const Profile& profile) {
  const std::optional<SignedPod> pod = sign(cycle, profile);
  if (!pod) return nullptr;
  const std::string key = key_of(*pod, cycle.record().priority);
  if (const auto found = searches_.find(key); found != searches_.end()) return &found->second;
  std::unique_ptr<RankedSearch> search = RankedSearch::make(cycle, profile, *pod);
  if (search == nullptr) return nullptr;
  std::shared_ptr<FactsView>& view = views_[search->facts_key()];
  if (view == nullptr) view = std::make_shared<FactsView>();
  search->share(view);
  make_room();
  return &searches_.emplace(key, Entry{std::move(search), uses_}).first->second;
}

/// Forgets the half that was used least recently, once there is too much, which is looked at each time that there is an
/// eighth more.
void SearchCache::make_room() {
  if (searches_.size() < next_look_) return;
  std::size_t bytes = 0;
  std::vector<std::uint64_t> uses;
  for (const auto& [key, entry] : searches_) {
    bytes += entry.search->bytes();
    uses.push_back(entry.last_used);
  }
  next_look_ = searches_.size() + searches_.size() / 8 + 1;
  if (bytes < kMostBytes || uses.size() < 2) return;
  const auto middle = uses.begin() + static_cast<std::ptrdiff_t>((uses.size() - 1) / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  forget([limit = *middle](const Entry& entry) { return entry.last_used <= limit; });
  next_look_ = searches_.size() + searches_.size() / 8 + 1;
}

template <class Goes>
void SearchCache::forget(Goes&& goes) {
  if (std::erase_if(searches_, [&](const auto& item) { return goes(item.second); }) == 0) return;
  std::erase_if(views_, [](const auto& item) { return item.second.use_count() == 1; });
  ++forgotten_;
}

namespace {

bool is_there(const Coordinate& coordinate, const cluster::Cluster& cluster) {
  switch (coordinate.type) {
    case Coordinate::Type::kDomain:
      return true;
    case Coordinate::Type::kCounted:
      return cluster.is_counter(cluster::CounterId{coordinate.id});
    case Coordinate::Type::kHeld:
      return cluster.is_affinity_term_count(cluster::AffinityTermCountId{coordinate.id});
  }
  return false;
}

}  // namespace

void SearchCache::keep_in_use(cluster::Cluster& cluster) const {
  for (const auto& [key, entry] : searches_) {
    if (!in_use(entry)) continue;
    for (const auto& [type, id] : entry.search->coordinates()) {
      const cluster::CounterId counter{id};
      if (type == Coordinate::Type::kCounted && cluster.is_counter(counter)) cluster.keep(counter);
    }
  }
}

void SearchCache::forget_reclaimed(const cluster::Cluster& cluster) {
  if (cluster.reclaims() != reclaims_ + 1) return;  // the next find() forgets everything
  reclaims_ = cluster.reclaims();
  forget([&](const Entry& entry) {
    const std::vector<Coordinate>& coordinates = entry.search->coordinates();
    return !in_use(entry) || !std::all_of(coordinates.begin(), coordinates.end(),
                                          [&](const Coordinate& each) { return is_there(each, cluster); });
  });
  for (std::size_t shape = 0; shape < by_shape_.size(); ++shape) {
    if (shape >= cluster.shape_slots() || !cluster.is_shape(cluster::ShapeId{shape})) by_shape_[shape] = {};
  }
  uses_before_ = uses_;
}

}  // namespace loadline::placement
