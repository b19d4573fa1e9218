#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/words.h"
#include "foundation/base/text.h"
#include "foundation/base/time.h"

namespace loadline::cli {
namespace {

using simulator::PlannedReservation;
using simulator::ReservationOutcome;

constexpr std::size_t kMostConsumers = 6;
constexpr std::size_t kMostSpareDomains = 8;

Line mark(const PlannedReservation& reservation, const Terminal& terminal) {
  const bool unicode = terminal.letters == Letters::kUnicode;
  switch (reservation.outcome) {
    case ReservationOutcome::kHolding:
    case ReservationOutcome::kConsumed:
      return {unicode ? "✓" : "ok", Style::kGood};
    case ReservationOutcome::kWaiting:
      return {unicode ? "✗" : "!!", Style::kBad};
    case ReservationOutcome::kAhead:
    case ReservationOutcome::kEnded:
      break;
  }
  return {"~", Style::kWarn};
}

/// "2 held, 1 consumed, 1 waiting".
Line state(const PlannedReservation& reservation) {
  Line line;
  const auto add = [&](std::size_t count, std::string_view word, Style style) {
    if (count == 0) return;
    if (!line.empty()) line.add(", ");
    line.add(grouped_digits(count) + " " + std::string(word), style);
  };
  if (reservation.outcome == ReservationOutcome::kAhead) {
    return Line("holds nothing before " + format_rfc3339(reservation.from.value_or(Instant{})));
  }
  if (reservation.outcome == ReservationOutcome::kEnded) {
    line.add("ended");
    if (reservation.until) line.add(" at " + format_rfc3339(*reservation.until));
    return line;
  }
  add(reservation.held, "held", Style::kPlain);
  add(reservation.consumed, "consumed", Style::kPlain);
  add(reservation.waiting, "waiting", Style::kBad);
  if (reservation.until) line.add(", until " + format_rfc3339(*reservation.until), Style::kDim);
  return line;
}

std::string where(const PlannedReservation& reservation, const Terminal& terminal) {
  std::vector<report::NodeShare> shares;
  for (const simulator::ReservedShare& share : reservation.nodes) shares.push_back({share.node, share.pods});
  return shares.empty() ? std::string() : shares_text(shares, 40, terminal);
}

std::string consumers(const PlanView& view, const PlannedReservation& reservation) {
  std::vector<std::string> names;
  const std::size_t shown = std::min(reservation.consumers.size(), kMostConsumers);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(report::pod_key(view.plan.pods[reservation.consumers[i]]));
  std::string text = fmt::format("consumed by {}", fmt::join(names, ", "));
  const std::size_t left = reservation.consumers.size() - shown;
  if (left > 0) text += fmt::format(", {} {}", ellipsis(view.terminal), counted(left, "more pod"));
  return text;
}

/// "example.com/rack: r1 1 held; r2 1 waiting".
std::string domains(const PlannedReservation& reservation, const Terminal& terminal) {
  std::vector<std::string> parts;
  for (const simulator::ReservedDomain& domain : reservation.domains) {
    if (parts.size() == kMostSpareDomains) break;
    std::string part = domain.name;
    if (domain.held > 0) part += fmt::format(" {} held", grouped_digits(domain.held));
    if (domain.waiting > 0)
      part += fmt::format("{} {} waiting", domain.held > 0 ? "," : "", grouped_digits(domain.waiting));
    parts.push_back(std::move(part));
  }
  std::string text = fmt::format("by {}: {}", reservation.per_domain, fmt::join(parts, "; "));
  const std::size_t left = reservation.domains.size() - parts.size();
  if (left > 0) text += fmt::format("; {} {}", ellipsis(terminal), counted(left, "more domain"));
  return text;
}

}  // namespace

Line room_of(const PlannedReservation& reservation, const Terminal& terminal) {
  Line line(reservation.nodes.empty() ? std::string("holds nothing") : where(reservation, terminal));
  if (reservation.waiting > 0) line.add(", " + grouped_digits(reservation.waiting) + " waiting", Style::kBad);
  if (reservation.consumed > 0) line.add(", " + grouped_digits(reservation.consumed) + " consumed");
  return line;
}

Lines reservations_section(const PlanView& view) {
  const Terminal terminal = narrowed(view.terminal, 2);
  std::vector<const PlannedReservation*> shown;
  for (const PlannedReservation& reservation : view.plan.reservations) {
    if (view.scope.shows(reservation)) shown.push_back(&reservation);
  }
  if (shown.empty()) return {};
  Grid grid;
  grid.columns = {{""}, {"RESERVATION", {}, 24}, {"PODS", report::Alignment::kRight}, {"STATE"}, {"WHERE", {}, 20}};
  for (const PlannedReservation* reservation : shown) {
    grid.rows.push_back({mark(*reservation, terminal), Line(report::reservation_key(*reservation)),
                         grouped_digits(reservation->pods), state(*reservation), where(*reservation, terminal)});
  }
  const Lines laid_out = lay_out(grid, terminal);
  Lines lines = {heading("RESERVATIONS")};
  add_indented(lines, {laid_out.front()}, 2);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add_indented(lines, {laid_out[i + 1]}, 2);
    if (shown[i]->is_for_replacements) {
      add_wrapped(lines, "spare: only pods that replace lost members of a group take it", 6, view.terminal,
                  Style::kDim);
    }
    if (!shown[i]->domains.empty())
      add_wrapped(lines, domains(*shown[i], view.terminal), 6, view.terminal, Style::kDim);
    if (!shown[i]->consumers.empty()) {
      add_wrapped(lines, consumers(view, *shown[i]), 6, view.terminal, Style::kDim);
    }
    if (!shown[i]->message.empty()) {
      add_wrapped(lines, report::for_readers(shown[i]->message), 6, view.terminal, Style::kPlain);
    }
  }
  return lines;
}

}  // namespace loadline::cli
