#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include "app/cli/clock.h"
#include "app/cli/completion.h"
#include "app/cli/dump.h"
#include "app/cli/explain.h"
#include "app/cli/generate.h"
#include "app/cli/lint.h"
#include "app/cli/plan.h"
#include "app/cli/plan_change.h"
#include "app/cli/policy.h"
#include "app/cli/queues.h"
#include "app/cli/replay.h"
#include "app/cli/snapshot.h"
#include "app/cli/status.h"
#include "app/cli/terminal/visible_stream.h"
#include "app/cli/up.h"
#include "app/cli/version.h"
#include "foundation/base/closest.h"

namespace loadline::cli {
namespace {

/// Every subcommand, in the order of `loadline --help`. Each adds itself and sets the status when it has run.
constexpr std::array kSubcommands = {&add_plan,     &add_explain, &add_queues,     &add_lint,   &add_replay,
                                     &add_generate, &add_policy,  &add_up,         &add_status, &add_dump,
                                     &add_snapshot, &add_clock,   &add_completion, &add_version};

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string_view nearest = closest(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) names.push_back(subcommand->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// The subcommand whose arguments were being read, or the program itself.
const CLI::App& current(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

/// What is wrong with arguments that CLI11 could not place anywhere.
std::string unplaced_text(const CLI::App& app) {
  const CLI::App& at = current(app);
  const std::vector<std::string> left = app.remaining(true);
  const auto option = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with("-"); });
  if (option != left.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("unknown option {}{}", name, suggestion(name, option_names(at)));
  }
  return fmt::format("unexpected argument \"{}\"", left.empty() ? "" : left.front());
}

int complain(const CLI::App& app, const std::string& message, Console& console) {
  const CLI::App& at = current(app);
  const std::string command = &at == &app ? app.get_name() : app.get_name() + " " + at.get_name();
  console.err << "error: " << message << "\nSee: " << command << " --help\n";
  return kBadInput;
}

/// CLI11 would take a misspelt subcommand for a stray argument; its author wants to hear the right word.
bool names_no_subcommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return false;
  const std::vector<std::string> names = subcommand_names(app);
  return std::ranges::find(names, arguments.front()) == names.end();
}

}  // namespace

int run(const std::vector<std::string>& arguments, Console& whole) {
  VisibleStream out(whole.out);
  VisibleStream err(whole.err);
  err.tie(&out);  // who reads both in one place sees them in order
  Console console{whole.in, out, err, whole.out_terminal, whole.err_terminal};
  int status = kDone;
  CLI::App app("A scheduler and resource manager for GPU and machine-learning clusters.", "loadline");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer("Start with: loadline plan --help");
  for (const auto add : kSubcommands) add(app, console, status);
  if (arguments.empty()) {
    console.err << app.help();
    return kBadInput;
  }
  if (names_no_subcommand(app, arguments)) {
    const std::string& word = arguments.front();
    return complain(app, fmt::format("unknown command \"{}\"{}", word, suggestion(word, subcommand_names(app))),
                    console);
  }
  try {
    std::vector<std::string> words = with_joined_node_counts(arguments);
    std::ranges::reverse(words);  // CLI11 reads from the back
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& at = current(app);
    console.out << (&at == &app ? app.help() : at.help(app.get_name()));
    return kDone;
  } catch (const CLI::CallForVersion&) {
    console.out << version_text() << '\n';
    return kDone;
  } catch (const CLI::ExtrasError&) {
    return complain(app, unplaced_text(app), console);
  } catch (const CLI::ParseError& error) {
    return complain(app, error.what(), console);
  } catch (const std::bad_alloc&) {
    // What the command had is free again.
    console.err << "error: there is not enough memory for this input\n";
    return kBadInput;
  } catch (const std::length_error&) {
    console.err << "error: this input asks for more than any memory holds\n";
    return kBadInput;
  }
  return status;
}

}  // namespace loadline::cli
