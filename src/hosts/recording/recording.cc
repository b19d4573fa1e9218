#include "hosts/recording/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "foundation/base/contract.h"
#include "hosts/recording/header.h"
#include "hosts/recording/line.h"
#include "hosts/recording/scheduler_recorder.h"

namespace loadline::recording {
namespace {

/// So much is written even while the loop is busy.
constexpr std::size_t kMostGathered = std::size_t{1} << 20;

/// Knows that its section is open.
class OpenTap final : public scheduler::SchedulingTap {
 public:
  OpenTap(EventLoop& loop, kube::Client& client, LineSink& sink, std::shared_ptr<int> open)
      : open_(std::move(open)), recorder_(loop, client, sink) {}

  [[nodiscard]] EventLoop& loop() override { return recorder_.loop(); }
  [[nodiscard]] kube::Client& client() override { return recorder_.client(); }
  void reads(watching::AnyCache& cache) override { recorder_.reads(cache); }
  void will_start() override { recorder_.will_start(); }
  void will_wake() override { recorder_.will_wake(); }
  void took(const decision::PodTurn& turn, scheduler::LiveClusterModel& model) override { recorder_.took(turn, model); }
  void decided(const queue::kueue::Round& round, const queue::kueue::KueueScheduler& scheduler) override {
    recorder_.decided(round, scheduler);
  }

 private:
  std::shared_ptr<int> open_;
  SchedulerRecorder recorder_;
};

/// Opens the file to write it anew, readable by its owner alone, whatever it was before: objects say much of those that
/// made them. A pipe or a device stays as it is. Null, and errno says why: it cannot be opened.
std::FILE* open_private(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return nullptr;
  struct stat status{};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const bool is_ready = !is_file || (::fchmod(descriptor, 0600) == 0 && ::ftruncate(descriptor, 0) == 0);
  std::FILE* file = is_ready ? ::fdopen(descriptor, "wb") : nullptr;
  if (file == nullptr) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
  }
  return file;
}

}  // namespace

/// Has the lines of one scheduler written, with the help of its loop.
class Recording::Section final : public LineSink {
 public:
  Section(Recording& recording, EventLoop& loop) : recording_(recording), loop_(loop) {}

  void input(std::string line) override { add(line); }
  void output(std::string line) override { add(line); }

 private:
  void add(std::string_view line) {
    recording_.add(line);
    if (is_posted_) return;
    is_posted_ = true;
    loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
      if (alive.expired()) return;
      is_posted_ = false;
      recording_.write_out();
    });
  }

  Recording& recording_;
  EventLoop& loop_;
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

Recording::Recording(Write write, RecordedProgram program) : write_(std::move(write)), program_(std::move(program)) {}

Recording::~Recording() { write_out(); }

std::unique_ptr<scheduler::SchedulingTap> Recording::tap(EventLoop& loop, kube::Client& client,
                                                         const scheduler::SchedulingOptions& options) {
  REQUIRES(open_.expired());
  if (sections_ == 0) add(header_line(program_, options));
  Line line = Line::output();
  line.number("section", ++sections_).text("at", format_at(loop.now()));
  add(std::move(line).end());
  section_ = std::make_unique<Section>(*this, loop);
  auto open = std::make_shared<int>(0);
  open_ = open;
  return std::make_unique<OpenTap>(loop, client, *section_, std::move(open));
}

void Recording::add(std::string_view line) {
  gathered_ += line;
  gathered_ += '\n';
  if (gathered_.size() >= kMostGathered) write_out();
}

void Recording::write_out() {
  if (!gathered_.empty()) write_(gathered_);
  gathered_.clear();
}

Result<Write> open_recording_file(const std::string& path, std::function<void(const std::string& why)> complain) {
  const std::shared_ptr<std::FILE> file(open_private(path), [](std::FILE* opened) {
    if (opened != nullptr) std::fclose(opened);
  });
  if (file == nullptr) return failure("cannot write " + path + ": " + std::strerror(errno));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return [file, path, complain = std::move(complain), has_failed = false](std::string_view lines) mutable {
    if (has_failed || std::fwrite(lines.data(), 1, lines.size(), file.get()) == lines.size()) return;
    has_failed = true;
    complain("cannot write " + path + ": " + std::strerror(errno));
  };
}

}  // namespace loadline::recording
