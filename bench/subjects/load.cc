#include "bench/subjects/load.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kLimit{600'000};
constexpr std::size_t kEnough = 300;  // of a refusal's text

/// One run. All on the session's thread.
class Run {
 public:
  Run(Session& session, const Load& load)
      : session_(session), load_(load), turns_(load.connections), refusals_(load.connections) {}

  Result<LoadOutcome> run() {
    if (const Result<void> connected = connect(); !connected) return tl::unexpected(connected.error());
    start_ = Clock::now();
    active_ = clients_.size();
    for (std::size_t i = 0; i < clients_.size(); ++i) step(i);
    if (!session_.run(kLimit)) fail("the server does not come to an end");
    if (error_) return tl::unexpected(*error_);
    return LoadOutcome{answered_, milliseconds_since(start_) / 1000};
  }

 private:
  Result<void> connect() {
    const net::Request hello = session_.request("GET", "/version");
    std::size_t waiting = load_.connections;
    for (std::size_t i = 0; i < load_.connections; ++i) {
      auto client = session_.connect();
      if (!client) return tl::unexpected(client.error());
      clients_.push_back(std::move(*client));
      clients_.back()->send(hello, [&](const Result<net::Response>& answer) {
        if (!answer) fail(answer.error().message);
        if (--waiting == 0) session_.leave();
      });
    }
    if (!session_.run(kLimit)) fail("the server does not take connections");
    if (error_) return tl::unexpected(*error_);
    return {};
  }

  [[nodiscard]] bool is_over() const {
    if (error_) return true;
    return load_.seconds > 0 ? milliseconds_since(start_) >= load_.seconds * 1000 : sent_ >= load_.count;
  }

  void step(std::size_t connection) {
    if (is_over()) {
      if (--active_ == 0) session_.leave();
      return;
    }
    ++sent_;
    // The load generator shares the processors with the server, so a body that no measure reads is not kept.
    net::Client::Receiver receiver;
    receiver.head = [this, connection](int status, const net::Headers&) {
      if (status != load_.status) refusals_[connection] = fmt::format("{} ", status);
    };
    receiver.body = [this, connection](std::string_view piece) {
      std::string& refusal = refusals_[connection];
      if (!refusal.empty() && refusal.size() < kEnough) refusal += piece.substr(0, kEnough);
    };
    receiver.done = [this, connection](const Result<void>& outcome) {
      take(outcome, refusals_[connection]);
      step(connection);
    };
    clients_[connection]->send(load_.next(connection, turns_[connection]++), std::move(receiver));
  }

  void take(const Result<void>& outcome, const std::string& refusal) {
    if (!outcome) return fail(outcome.error().message);
    if (!refusal.empty()) return fail(refusal);
    ++answered_;
  }

  void fail(const std::string& message) {
    if (!error_) error_ = Error{message};
  }

  Session& session_;
  const Load& load_;
  std::vector<std::size_t> turns_;
  std::vector<std::string> refusals_;  // what a connection's last answer said, if it was not the one that is wanted
  std::vector<std::unique_ptr<net::Client>> clients_;
  Clock::time_point start_;
  std::size_t active_ = 0;
  std::size_t sent_ = 0;
  std::size_t answered_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<LoadOutcome> run_load(Session& session, const Load& load) { return Run(session, load).run(); }

}  // namespace loadline::bench
