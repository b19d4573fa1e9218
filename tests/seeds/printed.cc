#include "seeds/printed.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/schema/published.h"

namespace loadline::seeds {
namespace {

constexpr std::array<std::string_view, 4> kPrograms = {"kubectl", "helm", "eksctl", "kind"};
constexpr std::string_view kSeparator = "---";

std::string_view without_indentation(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

/// "spec" of `spec:` and of `spec: {…}` at the beginning of a line; empty: it is no field.
std::string_view field_of(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && std::isalnum(static_cast<unsigned char>(line[end])) != 0) ++end;
  if (end == 0 || end == line.size() || line[end] != ':') return {};
  return end + 1 == line.size() || line[end + 1] == ' ' ? line.substr(0, end) : std::string_view();
}

bool begins_block(std::string_view line) {
  static const schema::Type& pod = *schema::find_published("v1", "Pod")->type;
  static const schema::Type& spec = *pod.find("spec")->type;
  const std::string_view field = field_of(line);
  return !field.empty() && (pod.find(field) != nullptr || spec.find(field) != nullptr);
}

/// Blank lines, comments and separators belong to a block only if more of it follows.
bool is_between(std::string_view line) {
  const std::string_view words = without_indentation(line);
  return words.empty() || line.front() == '#' || line == kSeparator;
}

bool continues_block(std::string_view line) {
  return is_between(line) || line.front() == ' ' || line.starts_with("- ") || !field_of(line).empty();
}

bool begins_command(std::string_view line) {
  std::string_view words = without_indentation(line);
  if (words.starts_with("$ ")) words.remove_prefix(2);
  if (words.starts_with("./")) return true;
  return std::ranges::any_of(kPrograms, [&](std::string_view program) {
    return words.size() > program.size() + 1 && words.starts_with(program) && words[program.size()] == ' ' &&
           std::islower(static_cast<unsigned char>(words[program.size() + 1])) != 0;
  });
}

std::size_t end_of_block(const std::vector<std::string_view>& lines, std::size_t begin) {
  std::size_t end = begin;
  while (end < lines.size() && continues_block(lines[end])) ++end;
  while (is_between(lines[end - 1])) --end;
  return end;
}

/// Appends the command's lines, and returns where the next begins.
std::size_t read_command(const std::vector<std::string_view>& lines, std::size_t at, std::string& command) {
  std::string_view words = without_indentation(lines[at]);
  if (words.starts_with("$ ")) words.remove_prefix(2);
  command = words;
  while (command.ends_with('\\') && at + 1 < lines.size()) {
    command.pop_back();
    while (command.ends_with(' ')) command.pop_back();
    command += ' ';
    command += without_indentation(lines[++at]);
  }
  while (command.ends_with(' ')) command.pop_back();
  return at + 1;
}

}  // namespace

std::vector<Printed> find_printed(std::string_view text) {
  std::vector<std::string_view> lines = split(text, "\n");
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  std::vector<Printed> found;
  for (std::size_t at = 0; at < lines.size();) {
    if (begins_block(lines[at])) {
      const std::size_t end = end_of_block(lines, at);
      std::string block;
      for (std::size_t i = at; i < end; ++i) block += std::string(lines[i]) + "\n";
      found.push_back({at + 1, Printed::Kind::kBlock, std::move(block)});
      at = end;
    } else if (begins_command(lines[at])) {
      Printed command{at + 1, Printed::Kind::kCommand, {}};
      at = read_command(lines, at, command.text);
      found.push_back(std::move(command));
    } else {
      ++at;
    }
  }
  return found;
}

std::vector<std::string> documents_of(std::string_view block) {
  std::vector<std::string> documents(1);
  while (block.ends_with('\n')) block.remove_suffix(1);
  for (const std::string_view line : split(block, "\n")) {
    if (line == kSeparator) {
      documents.emplace_back();
    } else if (!line.empty() || !documents.back().empty()) {
      documents.back() += std::string(line) + "\n";
    }
  }
  return documents;
}

std::string title_of(std::string_view document) {
  const document::Reading reading = document::read_yaml(document, "block");
  if (reading.documents.empty() || !reading.documents.front().is_object()) return "?";
  const document::Value& object = reading.documents.front();
  const std::string_view kind = document::text_at(object, {"kind"});
  if (kind.empty()) return object.object().empty() ? "?" : object.object().front().key;
  const std::string_view name = document::text_at(object, {"metadata", "name"});
  return std::string(kind) + (name.empty() ? "" : " " + std::string(name));
}

}  // namespace loadline::seeds
