#include "hosts/simulator/awaited_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "foundation/base/text.h"

namespace loadline::simulator {

void AwaitedPods::add(AwaitedArrival next) {
  const workloads::CreationOrder* const order = next.order.get();
  const auto [place, is_new] = places_.try_emplace(order, awaited_.size());
  if (is_new) {
    awaited_.push_back({std::move(next.order), next.arrival.pod.metadata.namespace_, {}, {}});
    awaited_.back().there.resize(order->after.size());
    for (std::size_t i = 0; i < order->after.size(); ++i) {
      by_label_[order->after[i].labels.front()].emplace_back(place->second, i);
    }
  }
  awaited_[place->second].arrivals.emplace_back(added_++, std::move(next.arrival));
}

void AwaitedPods::count(const kube::Pod& pod, std::int64_t sign) {
  if (by_label_.empty()) return;
  const kube::StringMap& labels = pod.metadata.labels;
  for (const auto& [key, value] : labels) {
    const auto found = by_label_.find(Label(key, value));
    if (found == by_label_.end()) continue;
    for (const auto& [place, prerequisite] : found->second) {
      Awaited& awaited = awaited_[place];
      const bool is_one = awaited.name_space == pod.metadata.namespace_ &&
                          std::ranges::all_of(awaited.order->after[prerequisite].labels, [&](const Label& label) {
                            const auto own = labels.find(label.first);
                            return own != labels.end() && own->second == label.second;
                          });
      if (!is_one) continue;
      awaited.there[prerequisite] += sign;
      is_news_ = true;
    }
  }
}

bool AwaitedPods::is_met(const Awaited& awaited) {
  std::size_t met = 0;
  for (std::size_t i = 0; i < awaited.there.size(); ++i) {
    met += awaited.there[i] >= awaited.order->after[i].pods ? 1U : 0U;
  }
  return awaited.order->one_suffices ? met > 0 : met == awaited.there.size();
}

std::vector<Arrival> AwaitedPods::take_due() {
  if (!is_news_) return {};
  is_news_ = false;
  std::vector<std::pair<std::size_t, Arrival>> due;
  for (Awaited& awaited : awaited_) {
    if (awaited.arrivals.empty() || !is_met(awaited)) continue;
    std::ranges::move(awaited.arrivals, std::back_inserter(due));
    awaited.arrivals.clear();
  }
  std::ranges::sort(due, {}, &std::pair<std::size_t, Arrival>::first);
  std::vector<Arrival> arrivals;
  for (auto& [order, arrival] : due) arrivals.push_back(std::move(arrival));
  return arrivals;
}

void AwaitedPods::drop(const workloads::WorkloadReference& workload) {
  for (Awaited& awaited : awaited_) {
    std::erase_if(awaited.arrivals, [&](const auto& entry) { return entry.second.workload == workload; });
  }
}

std::string AwaitedPods::why(const Awaited& awaited) {
  std::vector<std::string> lacking;
  for (std::size_t i = 0; i < awaited.there.size(); ++i) {
    const workloads::Prerequisite& each = awaited.order->after[i];
    if (awaited.there[i] >= each.pods) continue;
    if (each.pods == 1) {
      lacking.push_back(each.what + ", which has no node");
    } else {
      lacking.push_back(fmt::format("{} ({} of {} pods {} a node)", each.what, awaited.there[i], each.pods,
                                    awaited.there[i] == 1 ? "has" : "have"));
    }
  }
  return "waits for " + joined(lacking, awaited.order->one_suffices ? " or " : " and ");
}

std::vector<AwaitedPods::Uncreated> AwaitedPods::take_rest() {
  std::vector<std::pair<std::size_t, Uncreated>> rest;
  for (Awaited& awaited : awaited_) {
    const std::string message = why(awaited);
    for (auto& [order, arrival] : awaited.arrivals) rest.emplace_back(order, Uncreated{std::move(arrival), message});
    awaited.arrivals.clear();
  }
  std::ranges::sort(rest, {}, &std::pair<std::size_t, Uncreated>::first);
  std::vector<Uncreated> uncreated;
  for (auto& [order, each] : rest) uncreated.push_back(std::move(each));
  return uncreated;
}

}  // namespace loadline::simulator
