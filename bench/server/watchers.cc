#include "bench/server/watchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace loadline::bench {
namespace {

constexpr std::size_t kConnectingAtOnce = 100;
constexpr std::chrono::milliseconds kLimit{60'000};

}  // namespace

Result<void> Watchers::open(std::size_t count, const std::string& target) {
  const net::Request request = session_.request("GET", target);
  while (clients_.size() < count) {
    const std::size_t batch = std::min(kConnectingAtOnce, count - clients_.size());
    const std::size_t begun_before = begun_;
    std::optional<Error> refusal;
    for (std::size_t i = 0; i < batch; ++i) {
      auto client = session_.connect();
      if (!client) return tl::unexpected(client.error());
      clients_.push_back(std::move(*client));
      net::Client::Receiver receiver;
      receiver.head = [this, &refusal, goal = begun_before + batch](int status, const net::Headers&) {
        if (status != 200) refusal = Error{fmt::format("a watch was answered with {}", status)};
        if (++begun_ == goal) session_.leave();
      };
      receiver.body = [this](std::string_view piece) { on_piece(piece); };
      receiver.done = [this](const Result<void>& outcome) { on_end(outcome); };
      clients_.back()->send(request, std::move(receiver));
    }
    if (!session_.run(kLimit)) return failure(fmt::format("only {} of {} watches began", begun_, count));
    if (refusal) return tl::unexpected(*refusal);
  }
  return {};
}

Result<Watchers::Heard> Watchers::hear(net::Client& writer, const net::Request& write, int status) {
  wanted_ = received_ + clients_.size();
  samples_.clear();
  samples_are_wanted_ = waits_ = true;
  is_written_ = false;
  std::optional<Error> refusal;
  sent_ = Clock::now();
  writer.send(write, [&](const Result<net::Response>& answer) {
    is_written_ = true;
    if (!answer) refusal = answer.error();
    if (answer && answer->status != status) refusal = Error{fmt::format("{} {}", answer->status, answer->body)};
    if (refusal) return session_.leave();
    look();
  });
  const bool in_time = session_.run(kLimit);
  waits_ = samples_are_wanted_ = false;
  if (refusal) return tl::unexpected(*refusal);
  if (!in_time) return failure(fmt::format("{} events did not arrive", wanted_ - received_));
  Heard heard{0, std::exchange(samples_, {})};
  for (const double sample : heard.events_ms) heard.last_ms = std::max(heard.last_ms, sample);
  return heard;
}

std::size_t Watchers::missing_of(std::size_t events, std::chrono::milliseconds limit) {
  wanted_ += events * clients_.size();
  if (received_ < wanted_) {
    waits_ = true;
    session_.run(limit);
    waits_ = false;
  }
  return std::max(wanted_, received_) - std::min(wanted_, received_) + ended_;
}

void Watchers::on_piece(std::string_view piece) {
  const auto frames = static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  received_ += frames;
  if (samples_are_wanted_) samples_.insert(samples_.end(), frames, milliseconds_since(sent_));
  if (frames > 0) look();
}

void Watchers::on_end(const Result<void>&) { ++ended_; }

void Watchers::look() {
  if (waits_ && is_written_ && received_ >= wanted_) session_.leave();
}

}  // namespace loadline::bench
