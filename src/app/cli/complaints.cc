#include "app/cli/complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

std::string_view file_of(const Diagnostic& diagnostic) {
  return diagnostic.at.file == nullptr ? std::string_view{} : std::string_view{*diagnostic.at.file};
}

/// Severity and message, with the name of the object it is about blanked out.
std::string without_own_name(const Diagnostic& diagnostic) {
  const std::size_t slash = diagnostic.subject.find_last_of("/ ");
  const std::string name = slash == std::string::npos ? "" : diagnostic.subject.substr(slash + 1);
  return std::string(severity_word(diagnostic.severity)) + report::without_name(diagnostic.message, name);
}

/// A kind that is understood, and whose effect is a capability that is not there yet.
struct InertKind {
  std::string_view group;
  std::string_view kind;
  std::string_view lack;
};

constexpr std::string_view kNothingIsBought = "no machine is bought yet, so pods that wait for one go on waiting";
constexpr std::string_view kNothingIsDescheduled = "nothing is descheduled yet";
constexpr std::array kInertKinds = {
    InertKind{"karpenter.sh", "NodePool", kNothingIsBought},
    InertKind{"karpenter.sh", "Provisioner", kNothingIsBought},
    InertKind{"descheduler", "DeschedulerPolicy", kNothingIsDescheduled},
};

/// Null: the kind asks for nothing of the sort.
const InertKind* inert_kind(const kube::SkippedKind& kind) {
  const std::string_view group = std::string_view(kind.api_version).substr(0, kind.api_version.find('/'));
  const auto found = std::ranges::find_if(
      kInertKinds, [&](const InertKind& each) { return each.group == group && each.kind == kind.kind; });
  return found == kInertKinds.end() ? nullptr : &*found;
}

/// "1 Ingress (networking.k8s.io/v1), 5 Secret (v1)": those that are meant, with their sums.
template <class Meant>
std::string counted_kinds(const std::vector<kube::SkippedKind>& skipped, Meant&& is_meant) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const kube::SkippedKind& kind : skipped) {
    if (is_meant(kind)) counts[{kind.kind, kind.api_version}] += kind.count;
  }
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += text.empty() ? "" : ", ";
    text += fmt::format("{} {} ({})", count, kind.first, kind.second);
  }
  return text;
}

}  // namespace

Complaints sorted_complaints(Diagnostics diagnostics, Warnings wish) {
  if (wish == Warnings::kHidden) {
    std::erase_if(diagnostics, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::kError; });
  }
  std::ranges::stable_sort(diagnostics, {}, [](const Diagnostic& diagnostic) {
    return std::tuple(file_of(diagnostic), diagnostic.at.line, diagnostic.at.column);
  });
  Complaints complaints;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string text = diagnostic.to_string();
    if (!complaints.lines.empty() && complaints.lines.back() == text) continue;
    complaints.lines.push_back(std::move(text));
    ++(diagnostic.severity == Severity::kError ? complaints.errors : complaints.warnings);
  }
  return complaints;
}

Diagnostics with_repetitions_counted(const Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  std::map<std::string, std::size_t> told;  // by what was said, without the object's name
  Diagnostics result;
  for (const Diagnostic& each : diagnostics) {
    if (++told[without_own_name(each)] <= kShown) result.push_back(each);
  }
  std::map<std::string, std::size_t> left;
  for (const Diagnostic& each : diagnostics) {
    const std::string what = without_own_name(each);
    if (left[what]++ != kShown) continue;
    Diagnostic rest;
    rest.severity = each.severity;
    rest.at = each.at;
    rest.message = fmt::format("and {} like this: {}", counted(told[what] - kShown, "more object"), each.message);
    result.push_back(std::move(rest));
  }
  return result;
}

std::string complaint_count(const Complaints& complaints) {
  std::string errors = counted(complaints.errors, "error");
  const std::string warnings = counted(complaints.warnings, "warning");
  if (complaints.warnings == 0) return errors;
  return complaints.errors == 0 ? warnings : errors + ", " + warnings;
}

std::string skipped_text(const std::vector<kube::SkippedKind>& skipped) {
  const std::string kinds = counted_kinds(skipped, [](const kube::SkippedKind& kind) {
    return kind.unplanned == 0 && !kind.is_guessed && inert_kind(kind) == nullptr;
  });
  return kinds.empty() ? kinds : "skipped, as plan does not read these kinds: " + kinds;
}

std::vector<std::string> inert_texts(const std::vector<kube::SkippedKind>& skipped) {
  std::vector<std::string> lines;
  for (const std::string_view lack : {kNothingIsBought, kNothingIsDescheduled}) {
    const std::string kinds = counted_kinds(skipped, [&](const kube::SkippedKind& kind) {
      const InertKind* inert = inert_kind(kind);
      return inert != nullptr && inert->lack == lack;
    });
    if (!kinds.empty()) lines.push_back(fmt::format("read, but {}: {}", lack, kinds));
  }
  return lines;
}

std::vector<std::string> unplanned_texts(const std::vector<kube::SkippedKind>& skipped) {
  std::vector<std::string> lines;
  for (const kube::SkippedKind& kind : skipped) {
    const std::string objects = fmt::format("{} {} ({})", kind.count, kind.kind, kind.api_version);
    const std::string pods = counted(static_cast<std::size_t>(kind.held_pods), "pod");
    if (kind.is_guessed) {
      lines.push_back(fmt::format("guessed: {} of {}, made of {}", pods, objects, kind.held_in));
    } else if (kind.unplanned > 0 && kind.held_in.empty()) {
      lines.push_back(fmt::format("not planned: the pods of {}, a kind that loadline does not run yet", objects));
    } else if (kind.unplanned > 0) {
      lines.push_back(fmt::format("not planned: {} that {} seem{} to make, of {}; --guess-workloads plans {}", pods,
                                  objects, kind.count == 1 ? "s" : "", kind.held_in,
                                  kind.held_pods == 1 ? "it" : "them"));
    }
  }
  return lines;
}

}  // namespace loadline::cli
