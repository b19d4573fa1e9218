#include "bench/up/requests.h"

#include <utility>

namespace loadline::bench {

namespace {
constexpr std::chrono::milliseconds kRequestPause{2};
}

Requests::Requests(Session& session, std::size_t connections) : session_(session), clients_(connections) {
  for (std::size_t i = 0; i < connections; ++i) free_.push_back(i);
}

void Requests::send(net::Request request, Answered answered) {
  waiting_.push_back({std::move(request), std::move(answered)});
  take_next();
}

void Requests::take_next() {
  while (!waiting_.empty() && !free_.empty()) {
    const std::size_t connection = free_.back();
    free_.pop_back();
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    send_over(connection, next.request, std::move(next.answered));
  }
}

void Requests::send_over(std::size_t connection, const net::Request& request, Answered answered) {
  // The load generator shares the processors with the server, so a body that no measure reads is not kept.
  const auto status = std::make_shared<int>(0);
  net::Client::Receiver receiver;
  receiver.head = [status](int code, const net::Headers&) { *status = code; };
  receiver.done = [this, connection, status, answered = std::move(answered)](const Result<void>& outcome) {
    if (!outcome && !error_) error_ = outcome.error();
    if (outcome) free_.push_back(connection);
    answered(outcome ? *status : 0);
    take_next();
  };
  net::Client* client = client_of(connection);
  if (client == nullptr) return receiver.done(failure("cannot connect"));
  client->send(request, std::move(receiver));
}

/// Connections are made when there is something to send: servers close those on which nothing comes for 32 s.
net::Client* Requests::client_of(std::size_t connection) {
  std::unique_ptr<net::Client>& client = clients_[connection];
  if (client == nullptr || !client->is_open()) {
    auto made = session_.connect();
    client = made ? std::move(*made) : nullptr;
  }
  return client.get();
}

bool run_until(Session& session, std::chrono::milliseconds limit, const std::function<bool()>& is_done) {
  const Clock::time_point start = Clock::now();
  while (!is_done()) {
    if (Clock::now() - start > limit) return false;
    session.run(kRequestPause);
  }
  return true;
}

}  // namespace loadline::bench
