#include "seeds/table.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "command/command.h"
#include "foundation/document/reader.h"

namespace loadline::seeds {
namespace {

using document::Value;

constexpr std::array<std::pair<std::string_view, State>, 4> kStates = {
    {{"works", State::kWorks}, {"told", State::kTold}, {"refused", State::kRefused}, {"not yet", State::kNotYet}}};

/// Reads the fields of one object, and objects to those that nobody asked for.
class Fields {
 public:
  Fields(const Value& value, std::string place) : value_(value), place_(std::move(place)) {
    if (!value.is_object()) fail("is no object");
  }

  [[nodiscard]] const Value* find(const char* name) {
    asked_.insert(name);
    return value_.find(name);
  }
  [[nodiscard]] std::string text(const char* name) {
    const Value* found = find(name);
    if (found == nullptr) return {};
    if (!found->is_string()) fail(std::string(name) + " is no text");
    return found->string();
  }
  [[nodiscard]] std::size_t number(const char* name) {
    const Value* found = find(name);
    if (found == nullptr) return 0;
    if (!found->is_integer() || found->integer() < 0) fail(std::string(name) + " is no number");
    return static_cast<std::size_t>(found->integer());
  }
  /// One text may stand for a list of one.
  [[nodiscard]] Texts texts(const char* name) {
    const Value* found = find(name);
    if (found == nullptr) return {};
    if (found->is_string()) return {found->string()};
    if (!found->is_array()) fail(std::string(name) + " is no list");
    Texts texts;
    for (const Value& item : found->array()) {
      if (!item.is_string()) fail(std::string(name) + " is no list of texts");
      texts.push_back(item.string());
    }
    return texts;
  }
  void end() const {
    for (const document::Member& member : value_.object()) {
      if (!asked_.contains(member.key)) fail("has a field \"" + member.key + "\", which means nothing");
    }
  }
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(place_ + " " + why); }

 private:
  const Value& value_;
  std::string place_;
  std::set<std::string> asked_;
};

PlanTrial read_plan(const Value& value, const std::string& place) {
  Fields fields(value, place + ", plan:");
  PlanTrial trial{fields.text("scenario"), fields.texts("with"), fields.texts("shows"), fields.texts("once"),
                  fields.text("mended")};
  fields.end();
  return trial;
}

std::vector<Question> read_questions(const Value* list, const std::string& place) {
  std::vector<Question> questions;
  if (list == nullptr) return questions;
  for (const Value& item : list->array()) {
    Fields fields(item, place + ", then:");
    questions.push_back({fields.text("command"), fields.texts("shows")});
    fields.end();
  }
  return questions;
}

LiveTrial read_live(const Value& value, const std::string& place) {
  Fields fields(value, place + ", live:");
  LiveTrial trial;
  if (fields.find("cluster") != nullptr) trial.cluster = fields.texts("cluster");
  trial.before = fields.texts("before");
  trial.command = fields.text("command");
  trial.shows = fields.texts("shows");
  trial.then = read_questions(fields.find("then"), place);
  trial.mended = fields.texts("mended");
  trial.once = fields.texts("once");
  trial.ours = fields.text("ours");
  fields.end();
  return trial;
}

Row read_row(const Value& value, const std::string& file) {
  Fields fields(value, file + ", row");
  Row row;
  row.line = fields.number("line");
  const std::string place = file + ", row of line " + std::to_string(row.line);
  row.document = fields.number("document");
  row.is_command = fields.find("command") != nullptr;
  row.what = row.is_command ? fields.text("command") : fields.text("block");
  const std::string state = fields.text("state");
  const auto known = std::ranges::find(kStates, std::string_view(state), &std::pair<std::string_view, State>::first);
  if (known == kStates.end()) throw std::runtime_error(place + ": no state is called \"" + state + "\"");
  row.state = known->second;
  row.capability = fields.text("capability");
  row.note = fields.text("note");
  row.mend = fields.text("mend");
  row.asks_nothing = fields.find("asks_nothing") != nullptr;
  if (const Value* plan = fields.find("plan")) row.plan = read_plan(*plan, place);
  if (const Value* live = fields.find("live")) row.live = read_live(*live, place);
  fields.end();
  return row;
}

}  // namespace

std::string_view words_of(State state) {
  switch (state) {
    case State::kWorks:
      return "works";
    case State::kTold:
      return "works, and a correction is told";
    case State::kRefused:
      return "refused as upstream, with the mend";
    case State::kNotYet:
      return "not yet";
  }
  return {};
}

Table read_table(const std::filesystem::path& file) {
  const document::Reading reading = document::read_yaml(command::read(file), file.string());
  if (!reading.problems.empty()) throw std::runtime_error(file.string() + ": " + reading.problems.front().message);
  Fields fields(reading.documents.at(0), file.string());
  Table table{fields.text("document"), fields.text("title"), fields.texts("cluster"), {}};
  const Value* rows = fields.find("rows");
  fields.end();
  if (rows == nullptr || !rows->is_array()) fields.fail("has no rows");
  for (const Value& row : rows->array()) table.rows.push_back(read_row(row, file.string()));
  return table;
}

Texts unsound_rows(const Table& table) {
  Texts wrong;
  for (const Row& row : table.rows) {
    const auto lacks = [&](bool is_lacking, const std::string& what) {
      if (is_lacking) wrong.push_back(table.document + ":" + std::to_string(row.line) + " lacks " + what);
    };
    lacks(row.what.empty(), "what it is about");
    lacks(row.note.empty(), "a note");
    lacks((row.plan || row.live) == row.asks_nothing, "a trial, or has one though it asks nothing");
    lacks((row.state == State::kNotYet) != !row.capability.empty(), "a capability, or has one though it works");
    lacks((row.state == State::kRefused) != !row.mend.empty(), "a mend, or has one though nothing is wrong");
    const bool tells =
        (row.plan && !row.plan->shows.empty()) || (row.live && (!row.live->shows.empty() || !row.live->then.empty()));
    lacks(!tells && !row.asks_nothing, "texts that show what comes of it");
    const bool is_mended = (row.plan && !row.plan->mended.empty()) || (row.live && !row.live->mended.empty());
    lacks((row.state == State::kRefused) != is_mended, "a trial of its mend, or has one though nothing is wrong");
    const bool knows_more = (row.plan && !row.plan->once.empty()) || (row.live && !row.live->once.empty());
    lacks((row.state == State::kNotYet) != knows_more, "what would show if it worked, or has that though it works");
  }
  return wrong;
}

}  // namespace loadline::seeds
