#include "hosts/advice/lint/finding.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace loadline::advice::lint {
namespace {

auto place_of(const Finding& finding) {
  const SourcePosition& at = finding.what.at;
  return std::tuple(at.file == nullptr ? std::string_view() : std::string_view(*at.file), at.line, at.column);
}

}  // namespace

std::string Finding::to_string() const {
  std::string text = what.to_string();
  return rule.empty() ? text : text.append(" [").append(rule).append("]");
}

void Findings::begin(std::string_view name, Severity severity) {
  rule_ = name;
  severity_ = severity;
}

void Findings::add(std::string subject, const SourcePosition& object, std::string path, std::string message,
                   std::string hint) {
  Finding& finding = findings_.emplace_back();
  finding.rule = rule_;
  finding.what.severity = severity_;
  finding.what.at = sources_.locate(object, path);
  finding.what.subject = std::move(subject);
  finding.what.path = std::move(path);
  finding.what.message = std::move(message);
  finding.what.hint = std::move(hint);
}

std::vector<Finding> Findings::sorted() && {
  std::ranges::stable_sort(findings_, {}, place_of);
  const auto repeated = [](const Finding& a, const Finding& b) {
    return place_of(a) == place_of(b) && a.rule == b.rule && a.what.path == b.what.path &&
           a.what.message == b.what.message && a.what.subject == b.what.subject;
  };
  findings_.erase(std::unique(findings_.begin(), findings_.end(), repeated), findings_.end());
  return std::move(findings_);
}

}  // namespace loadline::advice::lint
