#include "brain/workloads/reservation.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/defaults.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::workloads {
namespace {

/// Each way to satisfy the pod's affinity, on each of these nodes: a term takes one name.
void restrict_to(const std::vector<std::string>& nodes, kube::PodSpec& spec) {
  if (nodes.empty()) return;
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node) spec.affinity->node.emplace();
  std::optional<kube::NodeSelector>& required = spec.affinity->node->required;
  const bool takes_any_node = !required;
  if (takes_any_node) required = kube::NodeSelector{{kube::NodeSelectorTerm{}}};
  std::vector<kube::NodeSelectorTerm> terms;
  for (const kube::NodeSelectorTerm& term : required->terms) {
    const bool takes_nothing = term.match_expressions.empty() && term.match_fields.empty() && !takes_any_node;
    for (std::size_t i = 0; i < nodes.size() && !takes_nothing; ++i) {
      terms.push_back(term);
      terms.back().match_fields.push_back({std::string(kNodeNameField), kube::NodeSelectorOperator::kIn, {nodes[i]}});
    }
  }
  required->terms = std::move(terms);
}

/// As many terms restrict_to() makes.
constexpr std::size_t kMostWays = 10'000;
std::size_t ways_to(const std::vector<std::string>& nodes, const kube::PodSpec& spec) {
  const bool has_terms = spec.affinity && spec.affinity->node && spec.affinity->node->required;
  return nodes.size() * (has_terms ? spec.affinity->node->required->terms.size() : 1);
}

void leave_out_what_takes_no_room(kube::PodSpec& spec) {
  spec.scheduling_gates.clear();
  spec.pod_group_name.clear();
  std::erase_if(spec.volumes, [](const kube::Volume& volume) { return volume.ephemeral_claim.has_value(); });
}

}  // namespace

std::string starts_with(const kube::Reservation& reservation) {
  const auto said = reservation.metadata.annotations.find(kStartsWith);
  const bool is_said = said != reservation.metadata.annotations.end() && !reservation.metadata.namespace_.empty();
  return is_said ? said->second : std::string();
}

ReservationTerm term_of(const kube::Reservation& reservation, Instant now) {
  if (const std::optional<Instant> end = reservation.end(now); end && *end <= now) return ReservationTerm::kOver;
  return reservation.from && now < *reservation.from ? ReservationTerm::kAhead : ReservationTerm::kNow;
}

std::vector<kube::Reservation> all_reservations(const kube::Objects& objects) {
  std::vector<kube::Reservation> all = objects.of<kube::Reservation>();
  for (const kube::KoordinatorReservation& each : objects.of<kube::KoordinatorReservation>()) {
    all.push_back(kube::as_reservation(each));
  }
  return all;
}

cluster::Reservation as_modelled(const kube::Reservation& reservation, SymbolTable& symbols) {
  cluster::Reservation result;
  result.name_space = reservation.metadata.namespace_;
  result.name = reservation.metadata.name;
  cluster::ReservationRule& rule = result.rule;
  const std::string& name_space =
      result.name_space.empty() ? reservation.pods_of_namespace : reservation.metadata.namespace_;
  if (!name_space.empty()) rule.name_space = symbols.intern(name_space);
  rule.is_closed = reservation.is_closed;
  rule.reserved_for = reservation.purpose == kube::ReservationPurpose::kReplacements
                          ? cluster::ReservedFor::kReplacements
                          : cluster::ReservedFor::kAnyPod;
  if (!reservation.per_domain.empty()) rule.domain_label = symbols.intern(reservation.per_domain);
  rule.is_refilled = reservation.refill;
  if (reservation.owner) {
    rule.owner_kind = reservation.owner->kind;
    rule.owner_name = reservation.owner->name;
  }
  const kube::StringMap& labels = reservation.template_.metadata.labels;
  if (reservation.selector) {
    rule.selector = cluster::PodSelector::of(reservation.selector, symbols);
  } else if (!reservation.owner && !labels.empty()) {
    rule.selector = cluster::PodSelector::of_labels(labels, symbols);
  } else if (!reservation.owner) {
    rule.is_closed = true;
  }
  return result;
}

Result<kube::Pod> placeholder_of(const kube::Reservation& reservation, const Complete& complete) {
  const kube::PodTemplateSpec& pod_template = reservation.template_;
  if (const std::size_t ways = ways_to(reservation.nodes, *pod_template.spec); ways > kMostWays) {
    return failure(fmt::format("{} nodes and {} node selector terms are {} ways to place a pod, more than {}",
                               reservation.nodes.size(), ways / reservation.nodes.size(), ways, kMostWays));
  }
  const std::string& own = reservation.metadata.namespace_;
  kube::Pod pod;
  pod.metadata.namespace_ = own.empty() ? pod_template.metadata.namespace_ : own;
  pod.metadata.name = reservation.metadata.name;
  pod.metadata.labels = pod_template.metadata.labels;
  keep_workload_name(pod_template.metadata, pod.metadata);
  auto spec = std::make_shared<kube::PodSpec>(*pod_template.spec);
  leave_out_what_takes_no_room(*spec);
  spec->pod_group_name = starts_with(reservation);
  restrict_to(reservation.nodes, *spec);
  const std::optional<std::int32_t> number =
      spec->priority_class_name.empty() ? std::exchange(spec->priority, std::nullopt) : std::nullopt;
  pod.spec = std::move(spec);
  kube::set_defaults(pod);
  kube::prepare_for_create(pod);
  if (const Result<void> completed = complete(pod); !completed) return tl::unexpected(completed.error());

  auto settled = std::make_shared<kube::PodSpec>(*pod.spec);
  if (number) settled->priority = number;
  // A group with a member that never preempts does not, either.
  const bool is_of_group = !settled->pod_group_name.empty();
  if (!is_of_group) {
    settled->preemption_policy = pod_template.spec->preemption_policy.value_or(kube::PreemptionPolicy::kNever);
  }
  pod.spec = std::move(settled);
  return pod;
}

void keep_workload_name(const kube::ObjectMeta& from, kube::ObjectMeta& to) {
  const auto named = from.annotations.find(kube::kWorkloadAnnotation);
  if (named != from.annotations.end()) to.annotations.insert(*named);
}

std::string placeholder_name(std::string_view reservation, std::uint64_t number) {
  return fmt::format("{}.reserved.{}", reservation, number);
}

}  // namespace loadline::workloads
