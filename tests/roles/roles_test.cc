// Who may change what is decided for others: docs/security.md says it in a table, whose cells are tried here.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "roles/shared_cluster.h"

namespace loadline::roles {
namespace {

using document::Value;
using Lines = std::map<std::string, std::string>;

constexpr const char* kUsers[] = {"view", "edit", "admin", "all"};
constexpr std::string_view kBegin = "<!-- roles: written by tests/roles -->\n";
constexpr std::string_view kEnd = "<!-- roles: end -->\n";
constexpr std::string_view kHead =
    "| what is tried in `mine` | `view` | `edit` | `admin` | every right | and why |\n"
    "| --- | --- | --- | --- | --- | --- |\n";

/// Tests run in the root of the repository.
constexpr const char* kSecurityPage = "docs/security.md";

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What is decided for the others where nobody tries anything.
const Lines& undisturbed() {
  static const Lines* const lines = [] {  // never freed
    SharedCluster cluster;
    cluster.go_on();
    return new Lines(cluster.theirs());
  }();
  return *lines;
}

/// Names what differs.
std::string difference(const Lines& before, const Lines& after) {
  std::vector<std::string> texts;
  for (const auto& [name, line] : before) {
    const auto now = after.find(name);
    if (now == after.end()) texts.push_back(name + " is gone");
    if (now != after.end() && now->second != line)
      texts.push_back(fmt::format("{}: {} -> {}", name, line, now->second));
  }
  for (const auto& [name, line] : after) {
    if (!before.contains(name)) texts.push_back(fmt::format("{} has come: {}", name, line));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// What comes of the attempt: the status of its last request, and whether the others feel it.
std::string outcome(const Value& attempt, const std::string& user) {
  SharedCluster cluster;
  int status = 0;
  for (const Value& request : document::items_at(attempt, {"requests"})) {
    status = cluster.attempt(user, request);
    if (status >= 300) break;
  }
  const std::string text = std::to_string(status);
  if (status >= 300 && !cluster.has_changed()) return text;
  cluster.go_on();
  const std::string changed = difference(undisturbed(), cluster.theirs());
  if (!changed.empty() && std::getenv("LOADLINE_ROLES_EXPLAIN") != nullptr) {
    fmt::print("{}, {}: {}\n", document::text_at(attempt, {"attempt"}), user, changed);
  }
  return changed.empty() ? text : text + ", **felt**";
}

std::string row(const Value& attempt) {
  std::string line = fmt::format("| {} |", document::text_at(attempt, {"attempt"}));
  for (const char* user : kUsers) line += fmt::format(" {} |", outcome(attempt, user));
  return fmt::format("{} {} |\n", line, document::text_at(attempt, {"why"}));
}

/// What is there without any attempt is what the attempts are to change: some of it runs, some waits.
TEST(Roles, TheOthersGetWhatTheyAskForWhereNobodyDisturbsThem) {
  const Lines& lines = undisturbed();
  for (const char* placed : {"web-0", "web-1", "gpu", "gang-0", "gang-1", "late-0", "late-1", "train", "urgent"}) {
    EXPECT_TRUE(lines.at(fmt::format("pod {}", placed)).starts_with("Running on ")) << placed;
  }
  for (const char* waiting :
       {"too-large", "two-gpus", "nowhere", "intolerant", "elsewhere", "waiting-0", "waiting-1"}) {
    EXPECT_EQ(lines.at(fmt::format("pod {}", waiting)), "Pending on ") << waiting;
  }
  EXPECT_EQ(lines.at("room room"), "held 0 consumed 1");
  EXPECT_EQ(lines.at("shared room shared").substr(0, 9), "Available");
  EXPECT_EQ(lines.at("group gang"), "True");
  EXPECT_NE(lines.at("group waiting"), "True");
}

/// The page's table is what comes of the attempts. UPDATE_ROLES=1 writes it.
TEST(Roles, TheTableSaysWhatEachRoleCanDo) {
  std::string table(kHead);
  for (const Value& attempt : read_documents("attempts.yaml")) table += row(attempt);
  std::string page = read(kSecurityPage);
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + kBegin.size();
  const std::string written = page.substr(from, end - from);
  if (std::getenv("UPDATE_ROLES") == nullptr) {
    EXPECT_EQ(written, table) << "UPDATE_ROLES=1 writes docs/security.md; read what it says";
    return;
  }
  page.replace(from, end - from, table);
  std::ofstream(kSecurityPage, std::ios::binary) << page;
}

}  // namespace
}  // namespace loadline::roles
