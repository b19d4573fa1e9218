#include "app/report/words.h"

#include "brain/capacity/node_template_text.h"

namespace loadline::report {

std::string_view outcome_word(simulator::PodOutcome outcome) {
  switch (outcome) {
    case simulator::PodOutcome::kRunning:
      return "Running";
    case simulator::PodOutcome::kPlaced:
      return "Placed";
    case simulator::PodOutcome::kPending:
      return "Pending";
    case simulator::PodOutcome::kGated:
      return "Gated";
    case simulator::PodOutcome::kRejected:
      return "Rejected";
    case simulator::PodOutcome::kPreempted:
      return "Preempted";
    case simulator::PodOutcome::kEvicted:
      return "Evicted";
    case simulator::PodOutcome::kIgnored:
      return "Ignored";
    case simulator::PodOutcome::kEnded:
      return "Ended";
    case simulator::PodOutcome::kFailed:
      return "Failed";
    case simulator::PodOutcome::kNotCreated:
      return "NotCreated";
    case simulator::PodOutcome::kQueued:
      return "Queued";
  }
  return "";
}

std::string_view outcome_word(simulator::ReservationOutcome outcome) {
  switch (outcome) {
    case simulator::ReservationOutcome::kHolding:
      return "Holding";
    case simulator::ReservationOutcome::kWaiting:
      return "Waiting";
    case simulator::ReservationOutcome::kConsumed:
      return "Consumed";
    case simulator::ReservationOutcome::kAhead:
      return "Ahead";
    case simulator::ReservationOutcome::kEnded:
      return "Ended";
  }
  return "";
}

std::string reservation_key(const simulator::PlannedReservation& reservation) {
  return reservation.name_space.empty() ? reservation.name : reservation.name_space + "/" + reservation.name;
}

std::string pod_key(const simulator::PlannedPod& pod) { return pod.name_space + "/" + pod.name; }

std::string_view for_readers(std::string_view message) {
  constexpr std::string_view kSlip = " not found";
  constexpr std::string_view kSlipAfterSentence = ". not found";
  if (message.ends_with(kSlipAfterSentence)) message.remove_suffix(kSlip.size());
  return message;
}

std::string spares_text(const std::vector<std::string>& spares) {
  if (spares.empty()) return {};
  return fmt::format("Room of that is held for replacements of lost members by {}.", fmt::join(spares, ", "));
}

std::string workload_text(const simulator::WorkloadName& workload) {
  return workload.kind + " " + workload.name_space + "/" + workload.name;
}

std::string node_template_text(const capacity::NodeTemplate& nodes) {
  if (const std::string* like = nodes.like()) return "like " + *like;
  const std::string settings = capacity::settings_text(nodes);
  return settings.empty() ? "of no special kind" : "with " + settings;
}

std::string without_name(std::string message, std::string_view name) {
  constexpr std::string_view kBlank = "\x01";
  if (name.empty()) return message;
  for (std::size_t at = message.find(name); at != std::string::npos; at = message.find(name, at + kBlank.size())) {
    message.replace(at, name.size(), kBlank);
  }
  return message;
}

std::string span_text(Duration span) {
  const std::int64_t seconds = span.nanoseconds / 1'000'000'000;
  std::string text;
  if (seconds >= 3600) text += std::to_string(seconds / 3600) + "h";
  if (seconds / 60 % 60 != 0) text += std::to_string(seconds / 60 % 60) + "m";
  if (seconds % 60 != 0 || text.empty()) text += std::to_string(seconds % 60) + "s";
  return text;
}

}  // namespace loadline::report
