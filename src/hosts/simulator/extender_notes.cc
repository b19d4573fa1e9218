#include "hosts/simulator/extender_notes.h"

#include <fmt/format.h>

namespace loadline::simulator {

using placement::ExtenderTrouble;

namespace {

std::string sentence(ExtenderTrouble::Kind kind, std::size_t times, const std::string& first) {
  switch (kind) {
    case ExtenderTrouble::Kind::kFailedAttempt:
      return fmt::format("failed {} scheduling {}: {}", times, times == 1 ? "attempt" : "attempts", first);
    case ExtenderTrouble::Kind::kLeftOut:
      return fmt::format("failed, and {} went on without it: {}",
                         times == 1 ? "1 decision" : fmt::format("{} decisions", times), first);
    case ExtenderTrouble::Kind::kScoreOutOfRange:
      break;
  }
  return times == 1 ? first : fmt::format("{} (and {} more such scores)", first, times - 1);
}

std::string hint(ExtenderTrouble::Kind kind) {
  if (kind != ExtenderTrouble::Kind::kFailedAttempt) return "";
  return "is it running, and reachable from here? Pass --without-extenders to plan without";
}

}  // namespace

void ExtenderNotes::add(const placement::Decision& decision) {
  for (const ExtenderTrouble& trouble : decision.extender_troubles) {
    Tally& tally = tallies_[{std::string(trouble.extender), trouble.kind}];
    if (tally.times++ == 0) tally.first = trouble.message;
  }
}

Diagnostics ExtenderNotes::notes() const {
  Diagnostics notes;
  for (const auto& [key, tally] : tallies_) {
    const auto& [extender, kind] = key;
    notes.push_back(
        {Severity::kWarning, {}, "extender " + extender, "", sentence(kind, tally.times, tally.first), hint(kind)});
  }
  return notes;
}

}  // namespace loadline::simulator
