#include "app/cli/policy.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/choices.h"
#include "app/cli/complaints.h"
#include "app/cli/plan_input.h"
#include "app/cli/policy_choice.h"
#include "app/cli/terminal/grid.h"
#include "app/cli/terminal/text.h"
#include "app/cli/view/page.h"
#include "app/cli/view/section_text.h"
#include "app/report/policy_document.h"
#include "brain/engine/policy.h"
#include "foundation/document/writer.h"
#include "objects/kube/loadline/policy_schema.h"

namespace loadline::cli {
namespace {

struct PolicyArguments {
  PlanFiles files;
  std::string output = "table";
};

constexpr std::string_view kPolicyExamples = R"(Examples:
  What holds when nothing is said?
    loadline policy
  What is otherwise in Kubernetes?
    loadline policy --policy parity
  What does this Policy come to?
    loadline policy --policy policy.yaml
  What is at work in the cluster that runs?
    kubectl get policies.loadline.dev -o yaml | loadline policy -f -

A switch that is not written has the default of the base. docs/policy.md says how to write a Policy.

Exit status: 0; 2 bad input or usage.)";

class PolicyCommand {
 public:
  PolicyCommand(const PolicyArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    const PlanInput input = read_plan_input(arguments_.files, console_.in);
    const Complaints complaints = sorted_complaints(input.diagnostics, Warnings::kShown);
    for (const std::string& line : complaints.lines) console_.err << line << '\n';
    if (complaints.errors > 0) return kBadInput;
    write(input.policy);
    return kDone;
  }

 private:
  /// Where the base is from.
  [[nodiscard]] std::string origin(const engine::ChosenPolicy& chosen) const {
    if (chosen.base_at) return report::position_text(*chosen.base_at);
    return named_base(arguments_.files.policy) ? "--policy" : "default";
  }

  void write(const engine::ChosenPolicy& chosen) {
    if (arguments_.output == "json") {
      const document::Value value = report::policy_document(chosen, origin(chosen));
      console_.out << document::write_json(value, document::JsonStyle::kIndented) << '\n';
    } else if (arguments_.output == "yaml") {
      console_.out << document::write_yaml(report::policy_document(chosen, origin(chosen)));
    } else {
      write_page(chosen);
    }
  }

  void write_page(const engine::ChosenPolicy& chosen) {
    Page page(console_);
    Line title("POLICY", Style::kBold);
    page.add({title.add(fmt::format("  {} (base: {})", kube::name_of(chosen.base), printable(origin(chosen))))});
    page.add(lay_out(to_grid(report::policy_table(chosen)), console_.out_terminal));
    for (const engine::Switch& row : engine::switches()) page.add(description(row));
  }

  [[nodiscard]] Lines description(const engine::Switch& row) const {
    constexpr std::size_t kIndent = 2;
    Lines lines{Line(std::string(row.name), Style::kBold)};
    add_wrapped(lines, row.decides, kIndent, console_.out_terminal, Style::kPlain);
    for (const engine::Word& word : row.words) {
      add_wrapped(lines, fmt::format("{}: {}", word.name, word.means), 2 * kIndent, console_.out_terminal,
                  Style::kPlain);
    }
    if (row.is_number()) {
      add_wrapped(lines, fmt::format("{} to {}: {}", row.numbers.least, row.numbers.most, row.numbers.means),
                  2 * kIndent, console_.out_terminal, Style::kPlain);
    }
    add_wrapped(lines, fmt::format("Source: {}", row.source), kIndent, console_.out_terminal, Style::kDim);
    return lines;
  }

  const PolicyArguments& arguments_;
  Console& console_;
};

}  // namespace

void add_policy(CLI::App& app, Console& console, int& status) {
  CLI::App* command =
      app.add_subcommand("policy", "List where Loadline may decide otherwise than Kubernetes, and what holds");
  auto arguments = std::make_shared<PolicyArguments>();
  arguments->files.command = "policy";
  add_policy_option(*command, arguments->files.policy, "the Policy of the input");
  command
      ->add_option("-f,--filename", arguments->files.manifests,
                   "Manifests that may hold a Policy: a file, a folder (read recursively), a glob, or - for standard "
                   "input. May be given again")
      ->allow_extra_args(false);
  command->add_option("-o,--output", arguments->output, "table, json or yaml")
      ->check(CLI::IsMember(fixed_choices("output", command->get_name())));
  command->footer(std::string(kPolicyExamples));
  command->callback([arguments, &console, &status] { status = PolicyCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
