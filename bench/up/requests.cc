#include "bench/up/requests.h"

#include <utility>

namespace loadline::bench {

namespace {
constexpr std::chrono::milliseconds kPause{2};
}

Result<std::unique_ptr<Requests>> Requests::open(Session& session, std::size_t connections) {
  std::unique_ptr<Requests> requests(new Requests);
  for (std::size_t i = 0; i < connections; ++i) {
    auto client = session.connect();
    if (!client) return tl::unexpected(client.error());
    requests->clients_.push_back(std::move(*client));
    requests->free_.push_back(i);
  }
  return requests;
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
  // A body that nobody wants is not kept: whoever generates load shares the processors with the server.
  const auto status = std::make_shared<int>(0);
  net::Client::Receiver receiver;
  receiver.head = [status](int code, const net::Headers&) { *status = code; };
  receiver.done = [this, connection, status, answered = std::move(answered)](const Result<void>& outcome) {
    if (!outcome && !error_) error_ = outcome.error();
    if (outcome) free_.push_back(connection);
    answered(outcome ? *status : 0);
    take_next();
  };
  clients_[connection]->send(request, std::move(receiver));
}

bool run_until(Session& session, std::chrono::milliseconds limit, const std::function<bool()>& is_done) {
  const Clock::time_point start = Clock::now();
  while (!is_done()) {
    if (Clock::now() - start > limit) return false;
    session.run(kPause);
  }
  return true;
}

}  // namespace loadline::bench
