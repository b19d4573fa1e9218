#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/command.h"
#include "command/up.h"
#include "foundation/base/text.h"
#include "seeds/page.h"
#include "seeds/printed.h"
#include "seeds/table.h"
#include "seeds/trial.h"

namespace loadline::seeds {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

constexpr const char* kTables = "tests/seeds/tables";
constexpr const char* kDocuments = "../shared/seeds";
constexpr const char* kPage = "docs/seeds.md";

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(LOADLINE_SOURCE_DIR) / kTables)) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Table table_of(const std::string& name) { return read_table(fs::path(kTables) / (name + ".yaml")); }

/// What the table's document prints; nothing where the document is not at hand.
std::vector<Printed> printed_of(const Table& table) {
  return find_printed(command::read(fs::path(kDocuments) / table.document));
}

/// What the row is about, as it is printed; empty where the document is not at hand.
std::string block_of(const Row& row, const std::vector<Printed>& printed) {
  for (const Printed& one : printed) {
    if (one.line != row.line || one.kind != Printed::Kind::kBlock) continue;
    if (row.document == 0) return one.text;
    const std::vector<std::string> documents = documents_of(one.text);
    return row.document <= documents.size() ? documents[row.document - 1] : std::string();
  }
  return {};
}

std::string titles_of(const std::string& block) {
  std::vector<std::string> titles;
  for (const std::string& document : documents_of(block)) titles.push_back(title_of(document));
  return joined(titles, ", ");
}

class Seeds : public ::testing::TestWithParam<std::string> {
 protected:
  void report(const Row& row, const Texts& wrong) const {
    for (const std::string& problem : wrong) {
      ADD_FAILURE() << table_.document << ":" << row.line << " " << row.what << " (" << words_of(row.state) << ") "
                    << problem;
    }
  }

  const Table table_ = table_of(GetParam());
  const std::vector<Printed> printed_ = printed_of(table_);
};

TEST_P(Seeds, RowsSayAllThatTheirStatesNeed) { EXPECT_THAT(unsound_rows(table_), IsEmpty()); }

TEST_P(Seeds, EverythingPrintedHasItsRow) {
  if (printed_.empty()) GTEST_SKIP() << kDocuments << "/" << table_.document << " is not there";
  std::map<std::pair<std::size_t, std::size_t>, const Row*> rows;
  for (const Row& row : table_.rows) {
    EXPECT_TRUE(rows.emplace(std::pair(row.line, row.document), &row).second) << "line " << row.line << " has two rows";
  }
  const auto take = [&](std::size_t line, std::size_t document, bool is_command, const std::string& what) {
    const auto found = rows.find({line, document});
    if (found == rows.end()) return false;
    EXPECT_EQ(found->second->is_command, is_command) << "line " << line;
    EXPECT_EQ(found->second->what, what) << "line " << line;
    rows.erase(found);
    return true;
  };
  for (const Printed& one : printed_) {
    const bool is_command = one.kind == Printed::Kind::kCommand;
    if (take(one.line, 0, is_command, is_command ? one.text : titles_of(one.text))) continue;
    const std::vector<std::string> documents = is_command ? std::vector<std::string>() : documents_of(one.text);
    EXPECT_FALSE(documents.empty()) << "line " << one.line << " has no row: " << one.text;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      EXPECT_TRUE(take(one.line, i + 1, false, title_of(documents[i])))
          << "line " << one.line << ", document " << i + 1 << " has no row: " << documents[i];
    }
  }
  for (const auto& [place, row] : rows)
    ADD_FAILURE() << "nothing is printed on line " << place.first << ": " << row->what;
}

TEST_P(Seeds, OurOwnBlocksArePlannedAsTheTableSays) {
  for (const Row& row : table_.rows) {
    if (row.plan) report(row, try_scenario(row));
  }
}

TEST_P(Seeds, PrintedBlocksArePlannedAsTheTableSays) {
  if (printed_.empty()) GTEST_SKIP() << kDocuments << "/" << table_.document << " is not there";
  const command::Folder folder;
  for (const Row& row : table_.rows) {
    if (row.plan) report(row, try_block(row, block_of(row, printed_), folder));
  }
}

TEST_P(Seeds, ALiveClusterDoesWhatTheTableSays) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl on the PATH";
  LiveTrials trials(table_);
  for (const Row& row : table_.rows) {
    if (row.live) report(row, trials.try_row(row, block_of(row, printed_)));
  }
}

std::string name_of_table(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tables, Seeds, ::testing::ValuesIn(table_names()), name_of_table);

TEST(SeedsPage, IsMadeOfTheTables) {
  std::vector<Table> tables;
  for (const std::string& name : table_names()) tables.push_back(table_of(name));
  const std::string page = page_of(tables);
  if (const char* update = std::getenv("UPDATE_SEEDS"); update != nullptr && *update == '1')
    command::write(kPage, page);
  const std::string kept = command::read(kPage);
  EXPECT_TRUE(kept == page) << kPage << ": " << command::first_difference(page, kept)
                            << "\nUPDATE_SEEDS=1 seeds_test --gtest_filter='SeedsPage.*' writes it anew";
}

/// A document that no table speaks of would be a hole in all of them.
TEST(SeedsPage, EveryDocumentHasATable) {
  if (!fs::exists(kDocuments)) GTEST_SKIP() << kDocuments << " is not there";
  std::set<std::string> documents;
  for (const fs::directory_entry& entry : fs::directory_iterator(kDocuments)) {
    documents.insert(entry.path().filename().string());
  }
  for (const std::string& name : table_names()) documents.erase(table_of(name).document);
  EXPECT_THAT(documents, IsEmpty());
}

}  // namespace
}  // namespace loadline::seeds
