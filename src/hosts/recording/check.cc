#include "hosts/recording/check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "foundation/base/suspect_input.h"
#include "hosts/recording/continuity.h"
#include "hosts/recording/fault.h"
#include "hosts/recording/header.h"
#include "hosts/recording/recording_reader.h"
#include "hosts/recording/replayed_scheduler.h"

namespace loadline::recording {
namespace {

/// Whose decision a line is, by the text alone; empty if it is of a request.
std::string subject_of(const std::string& line) {
  const auto text_behind = [&](std::string_view begin) {
    const std::size_t at = line.find(begin) + begin.size();
    return line.substr(at, line.find('"', at) - at);
  };
  constexpr std::string_view kDecided = "{\"decided\":\"";
  if (line.starts_with(kDecided)) return "pod " + text_behind(kDecided);
  return line.starts_with("{\"round\":") ? "workload " + text_behind("\"workload\":\"") : std::string();
}

/// One check: tells the scheduler of an input, then compares what it does with the lines up to the next input.
class Check {
 public:
  Check(std::istream& text, const std::string& file, std::size_t most_differences)
      : reader_(text, file), file_(file), most_differences_(most_differences) {}

  tl::expected<RecordingCheck, Diagnostics> run() {
    tl::expected<Header, Diagnostics> header = reader_.header();
    if (!header) return tl::unexpected(std::move(header.error()));
    header_ = *std::move(header);
    result_.version = header_.version;
    result_.foreign = header_.foreign;
    if (!result_.foreign.empty()) return std::move(result_);
    while (true) {
      tl::expected<std::optional<RecordedLine>, Diagnostics> line = reader_.next();
      if (!line) return tl::unexpected(std::move(line.error()));
      if (!*line) break;
      if (std::optional<Diagnostic> problem = take(**line)) return tl::unexpected(Diagnostics{std::move(*problem)});
    }
    result_.is_cut = reader_.is_cut();
    // Of a recording that does not end, what followed the last input may be lost.
    if (result_.has_ended) conclude(0);
    return std::move(result_);
  }

 private:
  std::optional<Diagnostic> take(const RecordedLine& line) {
    if (is_output(line)) {
      count(line);
      ++lines_;
      compare(line);
      return std::nullopt;
    }
    conclude(line.number);
    at_ = line.at;
    if (contract::SuspectInput* suspect = contract::SuspectInput::current()) suspect->set_line(line.number);
    if (std::optional<Fault> fault = continuity_.take(line)) {
      return fault_at(file_, {line.number, 1}, *std::move(fault));
    }
    if (line.kind == LineKind::kSection) return begin(line);
    if (scheduler_ == nullptr) return problem(line, "there is no scheduler here that this could be about");
    if (line.kind == LineKind::kEnd) {
      if (lines_ != line.ordinal) {
        differ({line.number, at_, {}, line.text, fmt::format("this section has {} lines before its end", lines_)});
      }
      scheduler_.reset();
      result_.has_ended = true;
      return std::nullopt;
    }
    ++lines_;
    if (line.kind == LineKind::kPut || line.kind == LineKind::kGone) ++result_.changes;
    Result<std::vector<std::string>> done = scheduler_->tell(line);
    if (done) {
      expected_ = *std::move(done);
    } else {
      differ({line.number, line.at, {}, line.text, done.error().message});
    }
    return std::nullopt;
  }

  static bool is_output(const RecordedLine& line) {
    return line.kind == LineKind::kDecided || line.kind == LineKind::kRound || line.kind == LineKind::kRequest;
  }

  void count(const RecordedLine& line) {
    if (line.kind == LineKind::kDecided) ++result_.decisions;
    if (line.kind == LineKind::kRequest) ++result_.requests;
    if (line.kind == LineKind::kRound && std::exchange(round_, line.ordinal) != line.ordinal) ++result_.rounds;
  }

  std::optional<Diagnostic> begin(const RecordedLine& line) {
    scheduler_.reset();
    round_ = 0;
    Result<std::unique_ptr<ReplayedScheduler>> made = ReplayedScheduler::make(header_, line.at);
    if (!made) return problem(line, made.error().message);
    scheduler_ = *std::move(made);
    ++result_.sections;
    lines_ = 0;
    result_.has_ended = false;
    return std::nullopt;
  }

  [[nodiscard]] Diagnostic problem(const RecordedLine& line, std::string message) const {
    return fault_at(file_, {line.number, 1}, {"", std::move(message), ""});
  }

  void compare(const RecordedLine& line) {
    std::string now = next_ < expected_.size() ? std::move(expected_[next_++]) : std::string();
    if (now != line.text) differ({line.number, at_, subject_of(line.text), line.text, std::move(now)});
  }

  /// No more is recorded of what follows the last input.
  void conclude(std::uint32_t line) {
    for (; next_ < expected_.size(); ++next_) {
      differ({line, at_, subject_of(expected_[next_]), {}, std::move(expected_[next_])});
    }
    expected_.clear();
    next_ = 0;
  }

  void differ(Difference difference) {
    ++result_.differences;
    if (result_.first_differences.size() < most_differences_) {
      result_.first_differences.push_back(std::move(difference));
    }
  }

  RecordingReader reader_;
  const std::string& file_;
  std::size_t most_differences_;
  Header header_;
  RecordingCheck result_;
  Continuity continuity_;
  std::unique_ptr<ReplayedScheduler> scheduler_;  // of the section that is read; null between sections
  std::uint64_t lines_ = 0;                       // of the section so far
  std::uint64_t round_ = 0;                       // that was told of last
  Instant at_;
  std::vector<std::string> expected_;  // what the scheduler did now about the last input
  std::size_t next_ = 0;
};

}  // namespace

tl::expected<RecordingCheck, Diagnostics> check_recording(std::istream& text, const std::string& file,
                                                          std::size_t most_differences) {
  return Check(text, file, most_differences).run();
}

}  // namespace loadline::recording
