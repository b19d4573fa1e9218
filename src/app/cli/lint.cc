#include "app/cli/lint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "app/cli/choices.h"
#include "app/cli/complaints.h"
#include "app/cli/configuration_options.h"
#include "app/cli/most_pods.h"
#include "app/cli/plan_input.h"
#include "app/cli/planning_options.h"
#include "app/report/lint_document.h"
#include "foundation/base/text.h"
#include "foundation/document/writer.h"
#include "hosts/advice/lint/lint_input.h"
#include "hosts/advice/lint/rules.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/source_index.h"

namespace loadline::cli {
namespace {

using advice::lint::Advice;
using advice::lint::Finding;
using advice::lint::Rule;

struct LintArguments {
  PlanFiles files;
  std::vector<std::string> plain;
  std::string output = "table";
  std::vector<std::string> only;
  std::vector<std::string> without;
  bool list_rules = false;
  bool keep_going = false;
  bool quiet = false;
};

constexpr std::string_view kLintExamples = R"(Examples:
  In the CI of an application, against a dump of the cluster it goes to:
    loadline dump -o cluster.yaml
    loadline lint --cluster cluster.yaml -f my-app/
  The cluster itself, its nodes, quotas and priorities too:
    loadline lint -f cluster.yaml
  What is there to find?
    loadline lint --rules

What is named with -f is judged. What is named with --cluster is taken into account (nodes, classes, quotas, what
runs) and not judged. Without nodes, rules that need them are left out.

Exit status: 0 nothing found; 1 warnings or advice; 2 input errors, or bad usage. With input errors there is no
advice, for what is missing could mislead it, unless --keep-going is given.)";

/// One run of the command, step by step.
class LintCommand {
 public:
  LintCommand(const LintArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    if (arguments_.list_rules) return list_rules();
    const auto rules = advice::lint::choose_rules(arguments_.only, arguments_.without);
    if (!rules) return fail(rules.error().message + "; loadline lint --rules lists them");
    PlanFiles files = arguments_.files;
    files.manifests.insert(files.manifests.end(), arguments_.plain.begin(), arguments_.plain.end());
    files.command = "lint";
    if (!files.any()) return fail("nothing to lint; name manifests with -f");
    if (files.manifests.empty()) {
      return fail(
          "nothing to lint: --cluster is only taken into account; to judge the cluster itself, name it with -f");
    }
    const PlanInput input = read_plan_input(files, console_.in, Purpose::kLint);
    std::vector<Finding> findings = input_findings(input);
    const bool broken = count(findings, Severity::kError) > 0;
    Advice advice;
    const bool may_be_judged = !input.configuration_failed && !input.makes_too_many_pods;
    if (may_be_judged && (!broken || arguments_.keep_going)) {
      Result<Advice> given = advise(input, *rules);
      if (!given) return fail(given.error().message);
      advice = std::move(*given);
    }
    // Input checks and advice on one line of input: the checks come first.
    findings.insert(findings.end(), std::make_move_iterator(advice.findings.begin()),
                    std::make_move_iterator(advice.findings.end()));
    std::ranges::stable_sort(findings, {}, place_of);
    write(findings, advice.without_nodes, input);
    if (broken) return kBadInput;
    return findings.empty() ? kDone : kNotAllPlaced;
  }

 private:
  using Place = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;

  static Place place_of(const Finding& finding) {
    const SourcePosition& at = finding.what.at;
    return {at.file == nullptr ? std::string_view() : std::string_view(*at.file), at.line, at.column};
  }

  static std::size_t count(const std::vector<Finding>& findings, Severity severity) {
    return static_cast<std::size_t>(
        std::ranges::count_if(findings, [&](const Finding& each) { return each.what.severity == severity; }));
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  /// The files that were read after the cluster's.
  static std::set<std::string> judged_files(const PlanInput& input) {
    std::set<std::string> files;
    for (std::size_t i = input.cluster_documents; i < input.documents.size(); ++i) {
      files.insert(input.documents[i].file);
    }
    return files;
  }

  /// Lint loads no libraries, so an unknown plugin may come from one, unless its name is nearly that of a built-in
  /// plugin.
  static Diagnostics misspelt_plugins(const kube::SchedulerConfiguration& configuration) {
    Diagnostics unknown = kube::unknown_plugins(configuration, {});
    std::erase_if(unknown, [](const Diagnostic& each) { return each.hint.find("did you mean") == std::string::npos; });
    return unknown;
  }

  /// What plan would say of the input. Warnings about the cluster are for its operators.
  std::vector<Finding> input_findings(const PlanInput& input) const {
    const std::set<std::string> judged = judged_files(input);
    std::vector<Finding> findings;
    std::set<std::string> seen;
    const auto add = [&](const Diagnostic& diagnostic, bool is_cluster) {
      if (diagnostic.severity != Severity::kError && is_cluster) return;
      if (seen.insert(diagnostic.to_string()).second) findings.push_back({{}, diagnostic});
    };
    for (std::size_t i = 0; i < input.diagnostics.size(); ++i) {
      const auto& file = input.diagnostics[i].at.file;
      add(input.diagnostics[i], file != nullptr && (i < input.cluster_diagnostics || !judged.contains(*file)));
    }
    for (const Diagnostic& each : misspelt_plugins(input.configuration)) {
      add(each, each.at.file != nullptr && !judged.contains(*each.at.file));
    }
    return findings;
  }

  static Result<Advice> advise(const PlanInput& input, const std::vector<const Rule*>& rules) {
    const auto is_judged = [files = judged_files(input)](const SourcePosition& at) {
      return at.file != nullptr && files.contains(*at.file);
    };
    const bool has_configuration = std::ranges::any_of(
        input.configuration.profiles, [](const kube::SchedulerProfile& each) { return each.source.file != nullptr; });
    const Result<advice::lint::LintInput> lint_input =
        advice::lint::LintInput::make(input.objects, input.configuration, has_configuration, is_judged);
    if (!lint_input) return tl::unexpected(lint_input.error());
    return advice::lint::advise(*lint_input, rules, kube::SourceIndex(input.documents));
  }

  void write(const std::vector<Finding>& findings, std::size_t left_out, const PlanInput& input) {
    if (arguments_.output == "json") {
      console_.out << document::write_json(report::lint_document(findings, left_out), document::JsonStyle::kIndented)
                   << '\n';
      return;
    }
    if (arguments_.output == "yaml") {
      console_.out << document::write_yaml(report::lint_document(findings, left_out));
      return;
    }
    for (const Finding& finding : findings) console_.out << finding.to_string() << '\n';
    if (arguments_.quiet) return;
    if (left_out > 0) {
      console_.err << counted(left_out, "rule") << (left_out == 1 ? " needs" : " need")
                   << " nodes, and the input has none; name the cluster with --cluster\n";
    }
    const std::string skipped = skipped_text(input.objects.skipped);
    if (!skipped.empty()) console_.err << skipped << '\n';
    for (const std::string& line : inert_texts(input.objects.skipped)) console_.err << line << '\n';
    for (const std::string& line : unplanned_texts(input.objects.skipped)) console_.err << line << '\n';
    console_.err << summary(findings) << '\n';
  }

  /// "1 error, 2 warnings, 3 pieces of advice in 2 files".
  [[nodiscard]] std::string summary(const std::vector<Finding>& findings) const {
    if (findings.empty()) return "nothing found";
    std::vector<std::string> parts;
    const std::size_t errors = count(findings, Severity::kError);
    const std::size_t warnings = count(findings, Severity::kWarning);
    const std::size_t advice = count(findings, Severity::kAdvice);
    if (errors > 0) parts.push_back(counted(errors, "error"));
    if (warnings > 0) parts.push_back(counted(warnings, "warning"));
    if (advice > 0) parts.push_back(counted(advice, "piece") + " of advice");
    std::set<std::string_view> files;
    for (const Finding& finding : findings) files.insert(std::get<0>(place_of(finding)));
    std::string text = fmt::format("{} in {}", fmt::join(parts, ", "), counted(files.size(), "file"));
    if (errors > 0 && !arguments_.keep_going) text += "; advice comes once the errors are mended";
    return text;
  }

  int list_rules() {
    const auto rules = advice::lint::all_rules();
    if (arguments_.output == "json") {
      console_.out << document::write_json(report::rules_document(rules), document::JsonStyle::kIndented) << '\n';
      return kDone;
    }
    if (arguments_.output == "yaml") {
      console_.out << document::write_yaml(report::rules_document(rules));
      return kDone;
    }
    for (const Rule& rule : rules) {
      console_.out << fmt::format("{} ({}{}{})\n    {}\n    {}\n", rule.name, severity_word(rule.severity),
                                  rule.needs == advice::lint::Needs::kNodes ? ", needs nodes" : "",
                                  rule.asked == advice::lint::Asked::kByName ? ", only with --rule" : "", rule.finds,
                                  rule.why);
    }
    return kDone;
  }

  const LintArguments& arguments_;
  Console& console_;
};

void add_options(CLI::App& command, LintArguments& arguments) {
  command.add_option("files", arguments.plain, "The same as -f");
  command
      .add_option("-f,--filename", arguments.files.manifests,
                  "Manifests to judge: a file, a folder (read recursively), a glob, or - for standard input; .gz too. "
                  "May be given again")
      ->allow_extra_args(false);
  command
      .add_option("--cluster", arguments.files.cluster,
                  "The cluster they go to, for example a dump made with loadline dump: taken into account, not "
                  "judged. May be given again")
      ->allow_extra_args(false);
  command.add_flag("--live", arguments.files.is_live, "Take the running cluster into account, as the kubeconfig says");
  add_access_options(command, arguments.files.access);
  command.add_option("--config", arguments.files.configuration,
                     "A KubeSchedulerConfiguration, or a ConfigMap that carries one; judged too. Default: those in the "
                     "input, else Kubernetes' defaults");
  add_scope_options(command, arguments.files.scope);
  add_accept_retired(command, arguments.files.accept_retired);
  add_most_pods(command, arguments.files.most_pods);
  command.add_flag("--keep-going", arguments.keep_going, "Give advice on what is valid even if some objects are not");
  command.add_option("--rule", arguments.only, "Ask only this rule. May be given again")->allow_extra_args(false);
  command.add_option("--without", arguments.without, "Do not ask this rule. May be given again")
      ->allow_extra_args(false);
  command.add_flag("--rules", arguments.list_rules, "List the rules: what each finds, and why that matters");
  command.add_option("-o,--output", arguments.output, "table (one line a finding), json or yaml")
      ->check(CLI::IsMember(fixed_choices("output", "lint")));
  command.add_flag("-q,--quiet", arguments.quiet, "Only findings: no summary and no notes");
}

}  // namespace

void add_lint(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("lint", "Find mistakes in manifests: errors, and what cannot work as meant");
  auto arguments = std::make_shared<LintArguments>();
  add_options(*command, *arguments);
  command->footer(std::string(kLintExamples));
  command->callback([arguments, &console, &status] { status = LintCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
