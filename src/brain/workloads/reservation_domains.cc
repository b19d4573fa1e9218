#include "brain/workloads/reservation_domains.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace loadline::workloads {
namespace {

using cluster::NodeId;

constexpr std::size_t kMostPods = 100'000;  // as many as a reservation without domains may ask for

/// Where the pod may go, as far as its node selector and required affinity say.
class Reach {
 public:
  Reach(const kube::PodSpec& spec, cluster::Cluster& cluster) : cluster_(cluster) {
    for (const auto& [key, value] : spec.node_selector) {
      selected_.emplace_back(cluster.symbols().intern(key), cluster.symbols().intern(value));
    }
    if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return;
    has_terms_ = true;
    terms_ = cluster::compile_node_terms(*spec.affinity->node->required, cluster.symbols());
  }

  [[nodiscard]] bool covers(NodeId node) const {
    const cluster::NodeFacts& facts = cluster_.facts(node);
    const bool is_selected = std::ranges::all_of(
        selected_, [&](const cluster::Label& label) { return facts.labels.find(label.first) == label.second; });
    return is_selected && (!has_terms_ || matches_any(terms_, facts.labels, facts.name, cluster_.symbols()));
  }

 private:
  const cluster::Cluster& cluster_;
  std::vector<cluster::Label> selected_;
  bool has_terms_ = false;
  std::vector<cluster::NodeTerm> terms_;
};

std::set<std::string> domains_of(const std::string& label, const kube::PodSpec& spec, cluster::Cluster& cluster) {
  std::set<std::string> domains;
  const Symbol key = cluster.symbols().intern(label);
  const Reach reach(spec, cluster);
  for (const NodeId node : cluster.nodes()) {
    const Symbol domain = cluster.facts(node).labels.find(key);
    if (domain.valid() && reach.covers(node)) domains.emplace(cluster.symbols().text(domain));
  }
  return domains;
}

kube::Pod kept_to(const kube::Pod& placeholder, const std::string& label, const std::string& domain) {
  kube::Pod pod = placeholder;
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->node_selector.insert_or_assign(label, domain);
  pod.spec = std::move(spec);
  return pod;
}

}  // namespace

Result<std::vector<DomainRoom>> rooms_of(const kube::Reservation& reservation, const kube::Pod& placeholder,
                                         cluster::Cluster& cluster) {
  const auto pods = static_cast<std::size_t>(std::max(reservation.pods, 0));
  if (reservation.per_domain.empty()) return std::vector<DomainRoom>{{"", placeholder, pods}};
  const std::set<std::string> domains = domains_of(reservation.per_domain, *placeholder.spec, cluster);
  if (domains.empty()) {
    return failure(fmt::format("no node that pods of the template may go to has the label {}", reservation.per_domain));
  }
  if (pods * domains.size() > kMostPods) {
    return failure(fmt::format("{} pods in each of {} domains of {} are more than {}", pods, domains.size(),
                               reservation.per_domain, kMostPods));
  }
  std::vector<DomainRoom> rooms;
  for (const std::string& domain : domains) {
    rooms.push_back({domain, kept_to(placeholder, reservation.per_domain, domain), pods});
  }
  return rooms;
}

std::string domain_of(const kube::Reservation& reservation, NodeId node, const cluster::Cluster& cluster) {
  if (reservation.per_domain.empty()) return {};
  const Symbol key = cluster.symbols().find(reservation.per_domain);
  const Symbol domain = key.valid() ? cluster.facts(node).labels.find(key) : Symbol{};
  return domain.valid() ? std::string(cluster.symbols().text(domain)) : std::string();
}

}  // namespace loadline::workloads
