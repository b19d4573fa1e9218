#include "app/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/choices.h"

namespace loadline::cli {
namespace {

struct CompletedOption {
  std::vector<std::string> names;    ///< with their dashes
  std::vector<std::string> choices;  ///< values it takes, if they are fixed
  bool takes_files = false;          ///< beside those, or as there are none
  std::string description;
  bool takes_value = false;
};

struct CompletedCommand {
  std::string name;
  std::string description;
  std::vector<CompletedOption> options;
  std::vector<std::string> words;  ///< choices of a positional argument
  bool takes_files = false;
};

CompletedOption describe(const CLI::Option& option, std::string_view subcommand) {
  CompletedOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.description = option.get_description();
  result.takes_value = option.get_expected_min() > 0;
  const std::string name = option.get_lnames().empty() ? option.get_name() : option.get_lnames().front();
  result.choices = fixed_choices(name, subcommand);
  result.takes_files = result.choices.empty() || may_be_a_file(name);
  return result;
}

std::vector<CompletedCommand> walk(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) {
    CompletedCommand& command = commands.emplace_back();
    command.name = subcommand->get_name();
    command.description = subcommand->get_description();
    for (const CLI::Option* option : subcommand->get_options()) {
      CompletedOption described = describe(*option, command.name);
      if (!described.names.empty()) {
        command.options.push_back(std::move(described));
      } else if (described.choices.empty()) {
        command.takes_files = true;
      } else {
        command.words = std::move(described.choices);
      }
    }
  }
  return commands;
}

std::string joined_words(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> names_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return names;
}

std::string bash_case(const CompletedCommand& command) {
  std::string text = fmt::format("    {})\n      case \"$previous\" in\n", command.name);
  std::vector<std::string> all = command.words;
  for (const CompletedOption& option : command.options) {
    all.insert(all.end(), option.names.begin(), option.names.end());
    if (!option.takes_value) continue;
    const std::string files = option.takes_files ? " -f" : "";
    const std::string choices = option.choices.empty() ? "" : fmt::format(" -W '{}'", joined_words(option.choices));
    const std::string reply = fmt::format("compgen{}{} -- \"$word\"", files, choices);
    text +=
        fmt::format("        {}) mapfile -t COMPREPLY < <({}); return ;;\n", joined_words(option.names, "|"), reply);
  }
  text += "      esac\n";
  if (command.takes_files && !command.words.empty()) {
    text += fmt::format(
        "      if ((COMP_CWORD == 2)) && [[ $word != -* ]]; then mapfile -t COMPREPLY < <(compgen -W '{}' -- "
        "\"$word\"); "
        "return; fi\n",
        joined_words(command.words));
  }
  const std::string words = fmt::format("compgen -W '{}' -- \"$word\"", joined_words(all));
  if (command.takes_files) {
    text += fmt::format(
        "      if [[ $word == -* ]]; then mapfile -t COMPREPLY < <({}); else mapfile -t COMPREPLY < <(compgen -f -- "
        "\"$word\"); fi ;;\n",
        words);
  } else {
    text += fmt::format("      mapfile -t COMPREPLY < <({}) ;;\n", words);
  }
  return text;
}

std::string bash_script(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "# bash completion for loadline; put it to use with: source <(loadline completion bash)\n"
      "_loadline() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  if ((COMP_CWORD == 1)); then\n";
  text += fmt::format("    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$word\")\n    return\n  fi\n",
                      joined_words(names_of(commands)));
  text += "  case ${COMP_WORDS[1]} in\n";
  for (const CompletedCommand& command : commands) text += bash_case(command);
  text += "  esac\n}\ncomplete -o filenames -F _loadline loadline\n";
  return text;
}

/// Text for a single-quoted zsh or fish word.
std::string shell_quoted(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':') {
      result += ' ';
    } else if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string zsh_values(const CompletedOption& option) {
  const std::string words = joined_words(option.choices);
  if (option.choices.empty()) return "_files";
  if (!option.takes_files) return fmt::format("({})", words);
  return fmt::format("{{_alternative \"words:word:({})\" \"files:file:_files\"}}", words);
}

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "#compdef loadline\n"
      "# zsh completion for loadline; save it as _loadline in a folder of $fpath\n"
      "_loadline() {\n  if ((CURRENT == 2)); then\n    local -a commands=(\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("      '{}:{}'\n", command.name, shell_quoted(command.description));
  }
  text +=
      "    )\n    _describe command commands\n    return\n  fi\n  local name=$words[2]\n  shift words\n"
      "  ((CURRENT--))\n  case $name in\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) {
        std::string value;
        if (option.takes_value) value = ":value:" + zsh_values(option);
        text += fmt::format(" \\\n        '*{}[{}]{}'", name, shell_quoted(option.description), value);
      }
    }
    if (!command.words.empty()) text += fmt::format(" \\\n        '1:argument:({})'", joined_words(command.words));
    if (command.takes_files) text += " \\\n        '*:file:_files'";
    text += " ;;\n";
  }
  text += "  esac\n}\ncompdef _loadline loadline\n";
  return text;
}

std::string fish_option(const CompletedCommand& command, const CompletedOption& option) {
  std::string text = fmt::format("complete -c loadline -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
  }
  if (option.takes_value) text += option.takes_files ? " -r -F" : " -x";
  if (option.takes_value && !option.choices.empty()) text += fmt::format(" -a '{}'", joined_words(option.choices));
  return text + fmt::format(" -d '{}'\n", shell_quoted(option.description));
}

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  std::string text = "# fish completion for loadline; put it to use with: loadline completion fish | source\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("complete -c loadline -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                        shell_quoted(command.description));
    for (const CompletedOption& option : command.options) text += fish_option(command, option);
    if (!command.words.empty()) {
      text += fmt::format("complete -c loadline -n '__fish_seen_subcommand_from {}' -f -a '{}'\n", command.name,
                          joined_words(command.words));
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("completion", "Write a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember(fixed_choices("shell")));
  command->callback([&app, &console, &status, shell] {
    const std::vector<CompletedCommand> commands = walk(app);
    console.out << (*shell == "bash"  ? bash_script(commands)
                    : *shell == "zsh" ? zsh_script(commands)
                                      : fish_script(commands));
    status = kDone;
  });
}

}  // namespace loadline::cli
