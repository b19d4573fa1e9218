#include "hosts/recording/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <string_view>
#include <utility>

#include "foundation/base/closest.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/recording/fault.h"

namespace loadline::recording {

using document::Value;

namespace {

struct Row {
  std::string_view name;  ///< the member that tells the kind of a line
  LineKind kind;
  bool is_input;  ///< it stands behind the time
};

constexpr std::array kRows = {
    Row{"put", LineKind::kPut, true},          Row{"gone", LineKind::kGone, true},
    Row{"start", LineKind::kStart, true},      Row{"wake", LineKind::kWake, true},
    Row{"ran", LineKind::kRan, true},          Row{"answer", LineKind::kAnswer, true},
    Row{"end", LineKind::kEnd, true},          Row{"section", LineKind::kSection, false},
    Row{"decided", LineKind::kDecided, false}, Row{"round", LineKind::kRound, false},
    Row{"request", LineKind::kRequest, false},
};

/// Takes one line apart.
class LineReader {
 public:
  LineReader(const Value& value, std::uint32_t number, const std::string& file, Diagnostics& problems)
      : value_(value), number_(number), file_(file), problems_(problems) {}

  void run(RecordedLine& line) {
    const Row* row = find_row();
    if (row == nullptr) return;
    line.kind = row->kind;
    if (row->is_input || row->kind == LineKind::kSection) read_time(line);
    switch (row->kind) {
      case LineKind::kPut:
        read_text(row->name, line.subject);
        return read_object(line);
      case LineKind::kGone:
        read_text(row->name, line.subject);
        return read_text("name", ignored_);
      case LineKind::kAnswer:
        read_number(row->name, line.ordinal);
        return read_answer(line);
      case LineKind::kRan:
      case LineKind::kSection:
      case LineKind::kRequest:
        return read_number(row->name, line.ordinal);
      case LineKind::kDecided:
        return read_text(row->name, line.subject);
      case LineKind::kRound:
        read_number(row->name, line.ordinal);
        return read_text("workload", line.subject);
      case LineKind::kEnd:
        return read_number("lines", line.ordinal);
      case LineKind::kStart:
      case LineKind::kWake:
        return;
    }
  }

 private:
  void report(const Value& at, std::string_view path, std::string message, std::string hint = {}) {
    problems_.push_back(
        fault_at(file_, {number_, at.mark().column}, {std::string(path), std::move(message), std::move(hint)}));
  }

  const Row* find_row() {
    const document::Object& members = value_.object();
    const std::size_t begin = !members.empty() && members.front().key == "at" ? 1 : 0;
    if (members.size() <= begin) {
      report(value_, "", "the line does not say what it is about");
      return nullptr;
    }
    const document::Member& first = members[begin];
    const auto* const row = std::ranges::find(kRows, first.key, &Row::name);
    if (row != kRows.end() && row->is_input == (begin == 1)) return row;
    if (row != kRows.end()) {
      report(first.value, first.key, row->is_input ? "the time is missing" : "this line has no time");
      return nullptr;
    }
    std::array<std::string_view, kRows.size()> names;
    std::ranges::transform(kRows, names.begin(), &Row::name);
    const std::string_view nearest = closest(first.key, names);
    report(first.value, first.key, "no line of a recording begins like this",
           nearest.empty() ? std::string() : fmt::format("did you mean \"{}\"?", nearest));
    return nullptr;
  }

  void read_time(RecordedLine& line) {
    const Value* at = value_.find("at");
    const std::optional<Instant> time =
        at != nullptr && at->is_string() ? parse_rfc3339(at->string()) : std::optional<Instant>();
    if (!time) {
      return report(at == nullptr ? value_ : *at, "at", "no time", "write it like \"2026-01-01T00:00:00.000000000Z\"");
    }
    // Beyond, there would be no time left to wait for anything.
    constexpr Instant kLast{std::int64_t{7'258'118'400} * 1'000'000'000};  // the year 2200
    if (*time < Instant{} || *time >= kLast) return report(*at, "at", "a time before 1970, or after 2199");
    line.at = *time;
  }

  void read_text(std::string_view name, std::string& into) {
    const Value* value = value_.find(name);
    if (value == nullptr || !value->is_string() || value->string().empty()) {
      return report(value == nullptr ? value_ : *value, name, "a text is missing here");
    }
    into = value->string();
  }

  void read_number(std::string_view name, std::uint64_t& into) {
    const Value* value = value_.find(name);
    if (value == nullptr || !value->is_integer() || value->integer() < 0) {
      return report(value == nullptr ? value_ : *value, name, "a count is missing here");
    }
    into = static_cast<std::uint64_t>(value->integer());
  }

  void read_object(RecordedLine& line) {
    const Value* object = value_.find("object");
    if (object == nullptr || !object->is_object()) {
      return report(object == nullptr ? value_ : *object, "object", "an object is missing here");
    }
    if (document::text_at(*object, {"metadata", "name"}).empty()) {
      return report(*object, "object.metadata.name", "an object has a name");
    }
    const Value* spec = object->find("spec");
    if (line.subject == "pods" && (spec == nullptr || !spec->is_object())) {
      return report(*object, "object.spec", "a pod has a spec");
    }
    line.object = *object;
  }

  void read_answer(RecordedLine& line) {
    const Value* object = value_.find("object");
    const Value* status = value_.find("status");
    if ((object == nullptr) == (status == nullptr)) {
      return report(value_, "answer", "an answer has an object, or a status that says no");
    }
    if (object != nullptr && !object->is_object()) return report(*object, "object", "an object is missing here");
    if (object != nullptr) line.object = *object;
    if (status == nullptr) return;
    const Value* code = status->find("code");
    if (code == nullptr || !code->is_integer()) return report(*status, "status.code", "a number is missing here");
    if (code->integer() < 0 || code->integer() > 999) return report(*code, "status.code", "no status of HTTP");
    line.status = *status;
  }

  const Value& value_;
  std::uint32_t number_;
  const std::string& file_;
  Diagnostics& problems_;
  std::string ignored_;
};

}  // namespace

RecordingReader::RecordingReader(std::istream& text, std::string file) : text_(text), file_(std::move(file)) {}

tl::expected<Header, Diagnostics> RecordingReader::header() {
  Diagnostics problems;
  if (!read_line()) {
    is_over_ = true;
    Fault fault{"", is_cut_ ? "the first line is cut off" : "an empty file is no recording", ""};
    return tl::unexpected(Diagnostics{fault_at(file_, {1, 1}, std::move(fault))});
  }
  std::optional<Header> header;
  if (const std::optional<Value> value = parse(problems)) header = read_header(*value, file_, problems);
  if (header) return *std::move(header);
  is_over_ = true;
  return tl::unexpected(std::move(problems));
}

tl::expected<std::optional<RecordedLine>, Diagnostics> RecordingReader::next() {
  if (is_over_ || !read_line()) return std::nullopt;
  Diagnostics problems;
  RecordedLine line;
  line.number = number_;
  line.at = at_;
  if (std::optional<Value> value = parse(problems)) {
    LineReader(*value, number_, file_, problems).run(line);
    line.value = *std::move(value);
  }
  if (!problems.empty()) {
    is_over_ = true;
    return tl::unexpected(std::move(problems));
  }
  at_ = line.at;
  line.text = std::move(line_);
  return line;
}

/// Only a line that ends is whole. One that is too long is left where it is too long, for parse() to say so.
bool RecordingReader::read_line() {
  line_.clear();
  while (line_.size() <= kLongestLine) {
    text_.getline(block_.data(), static_cast<std::streamsize>(block_.size()));
    const auto count = static_cast<std::size_t>(text_.gcount());
    const bool is_full = text_.fail() && !text_.eof() && count + 1 == block_.size();
    const bool is_whole = text_.good();  // then its end counts, too, and is not there
    line_.append(block_.data(), is_whole ? count - 1 : count);
    if (is_whole) break;
    if (is_full) {
      text_.clear();
      continue;
    }
    is_cut_ = !line_.empty();
    return false;
  }
  ++number_;
  return true;
}

std::optional<Value> RecordingReader::parse(Diagnostics& problems) {
  if (line_.size() > kLongestLine) {
    problems.push_back(fault_at(file_, {number_, 1},
                                {"", fmt::format("a line of more than {} MiB", kLongestLine >> 20U),
                                 "each line of a recording is an input or an output of its scheduler"}));
    return std::nullopt;
  }
  document::Reading reading = document::read_json(line_, file_);
  const std::string first_line = file_ + ":1:";
  for (Diagnostic& problem : reading.problems) {
    problem.at.line = number_;
    // Other places that are named are of the same line.
    if (const std::size_t place = problem.hint.find(first_line); place != std::string::npos) {
      problem.hint.replace(place, first_line.size(), fmt::format("{}:{}:", file_, number_));
    }
    problems.push_back(std::move(problem));
  }
  if (!problems.empty()) return std::nullopt;
  if (reading.documents.size() == 1 && reading.documents.front().is_object()) {
    return std::move(reading.documents.front());
  }
  problems.push_back(fault_at(file_, {number_, 1}, {"", "no line of a recording", "each line is one JSON object"}));
  return std::nullopt;
}

}  // namespace loadline::recording
