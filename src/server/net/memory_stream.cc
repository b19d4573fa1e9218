#include "server/net/memory_stream.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::net {
namespace {

/// The callback of one end. Shared with tasks on the loop, which find it empty once the end is gone.
struct Wake {
  std::function<void()> callback;
  bool posted = false;
};

void wake(EventLoop& loop, const std::shared_ptr<Wake>& end) {
  if (end->posted) return;
  end->posted = true;
  loop.post([end] {
    end->posted = false;
    const std::function<void()> callback = end->callback;  // it may destroy its stream
    if (callback) callback();
  });
}

/// One direction.
class Pipe : public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(EventLoop& loop, const MemoryFaults& faults, std::size_t capacity, std::shared_ptr<Wake> writer,
       std::shared_ptr<Wake> reader)
      : loop_(loop),
        faults_(faults),
        capacity_(capacity),
        rng_(faults.seed),
        writer_(std::move(writer)),
        reader_(std::move(reader)) {}

  [[nodiscard]] bool is_cut() const { return cut_; }

  std::size_t write(std::string_view bytes) {
    std::size_t count = std::min(bytes.size(), capacity_ - on_the_way_);
    if (faults_.cut_after) count = std::min(count, *faults_.cut_after - sent_);
    if (count == 0) return 0;
    sent_ += count;
    on_the_way_ += count;
    deliver(std::string(bytes.substr(0, count)));
    return count;
  }

  [[nodiscard]] bool is_exhausted() const { return faults_.cut_after && sent_ >= *faults_.cut_after; }

  void finish() {
    if (finished_) return;
    finished_ = true;
    deliver_end();
  }

  /// Both what is on the way and what will be is lost.
  void cut() {
    if (cut_) return;
    cut_ = true;
    arrived_.clear();
    wake(loop_, reader_);
    wake(loop_, writer_);
  }

  Transfer read(std::span<char> into) {
    if (cut_) return Transfer::failed();
    if (arrived_.empty()) return ended_ ? Transfer::end() : Transfer::blocked();
    std::size_t most = std::min({into.size(), arrived_.size(), faults_.longest_read});
    if (faults_.seed != 0) most = 1 + static_cast<std::size_t>(rng_.below(std::min<std::size_t>(most, 64)));
    std::copy_n(arrived_.begin(), most, into.begin());
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(most));
    if (on_the_way_ == capacity_) wake(loop_, writer_);
    on_the_way_ -= most;
    return Transfer::done(most);
  }

 private:
  void deliver(std::string bytes) {
    if (faults_.delay == Duration{}) {
      arrive(bytes);
      return;
    }
    timers_.push_back(loop_.after(faults_.delay, [this, bytes = std::move(bytes)] {
      arrive(bytes);
      const std::unique_ptr<EventLoop::Timer> ran = std::move(timers_.front());
      timers_.pop_front();
    }));
  }

  void deliver_end() {
    const auto end = [this] {
      ended_ = true;
      wake(loop_, reader_);
    };
    if (faults_.delay == Duration{}) {
      end();
    } else {
      end_timer_ = loop_.after(faults_.delay, end);
    }
  }

  void arrive(std::string_view bytes) {
    if (cut_) return;
    arrived_.insert(arrived_.end(), bytes.begin(), bytes.end());
    wake(loop_, reader_);
  }

  EventLoop& loop_;
  MemoryFaults faults_;
  std::size_t capacity_;
  Rng rng_;
  std::shared_ptr<Wake> writer_;
  std::shared_ptr<Wake> reader_;
  std::deque<char> arrived_;
  std::size_t on_the_way_ = 0;
  std::size_t sent_ = 0;
  bool finished_ = false;
  bool ended_ = false;
  bool cut_ = false;
  std::deque<std::unique_ptr<EventLoop::Timer>> timers_;  // in the order in which they run
  std::unique_ptr<EventLoop::Timer> end_timer_;
};

class MemoryStream final : public Stream {
 public:
  MemoryStream(std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out, std::shared_ptr<Wake> wake, Peer peer,
               std::string protocol)
      : in_(std::move(in)),
        out_(std::move(out)),
        wake_(std::move(wake)),
        peer_(std::move(peer)),
        protocol_(std::move(protocol)) {}

  ~MemoryStream() override {
    wake_->callback = nullptr;
    // As TCP does: what was sent still arrives, what comes from now on is dropped.
    out_->finish();
    in_->cut();
  }

  Transfer read(std::span<char> into) override { return in_->read(into); }

  Transfer write(std::span<const std::string_view> pieces) override {
    std::size_t count = 0;
    for (const std::string_view piece : pieces) {
      if (out_->is_cut()) return Transfer::failed();
      const std::size_t taken = out_->write(piece);
      count += taken;
      if (taken < piece.size()) break;
    }
    if (out_->is_exhausted()) {
      in_->cut();
      out_->cut();
    }
    return count == 0 ? Transfer::blocked() : Transfer::done(count);
  }

  void on_ready(std::function<void()> callback) override { wake_->callback = std::move(callback); }
  void finish() override { out_->finish(); }
  [[nodiscard]] Peer peer() const override { return peer_; }
  [[nodiscard]] std::string protocol() const override { return protocol_; }

 private:
  std::shared_ptr<Pipe> in_;
  std::shared_ptr<Pipe> out_;
  std::shared_ptr<Wake> wake_;
  Peer peer_;
  std::string protocol_;
};

}  // namespace

std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connected_streams(EventLoop& loop,
                                                                              MemoryStreamOptions options) {
  const auto first = std::make_shared<Wake>();
  const auto second = std::make_shared<Wake>();
  const auto there = std::make_shared<Pipe>(loop, options.first_to_second, options.capacity, first, second);
  const auto back = std::make_shared<Pipe>(loop, options.second_to_first, options.capacity, second, first);
  return {std::make_unique<MemoryStream>(back, there, first, Peer{"memory", false, std::nullopt}, options.protocol),
          std::make_unique<MemoryStream>(there, back, second, std::move(options.peer), options.protocol)};
}

}  // namespace loadline::net
