#include "linearizability/line.h"

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "server/net/testing/client.h"
#include "server/net/testing/http2_client.h"

namespace loadline::linearizability {
namespace {

class Http1Line final : public Line {
 public:
  Http1Line(EventLoop& loop, std::unique_ptr<net::Stream> stream) : client_(loop, std::move(stream), "test") {}

  [[nodiscard]] bool is_free() const override { return client_.is_open() && client_.is_idle(); }
  [[nodiscard]] bool is_open() const override { return client_.is_open(); }

  void ask(const net::Request& request, Receiver receiver) override {
    const auto status = std::make_shared<int>(0);
    client_.send(request, {.head = [status](int code, const net::Headers&) { *status = code; },
                           .body = std::move(receiver.piece),
                           .done = [status, over = std::move(receiver.over)](
                                       const Result<void>& outcome) { over(*status, outcome.has_value()); }});
  }

 private:
  net::Client client_;
};

class Http2Line final : public Line {
 public:
  explicit Http2Line(std::unique_ptr<net::Stream> stream) : client_(std::move(stream)) {
    client_.on_change = [this] { pass_on(); };
  }

  [[nodiscard]] bool is_free() const override { return !client_.told_to_go && !client_.closed; }
  [[nodiscard]] bool is_open() const override { return is_free() || (!client_.closed && !waiting_.empty()); }

  void ask(const net::Request& request, Receiver receiver) override {
    waiting_[client_.send(request)] = {std::move(receiver), 0};
  }

 private:
  struct Waiting {
    Receiver receiver;
    std::size_t passed_on = 0;
  };

  void pass_on() {
    std::vector<std::int32_t> ids;
    for (const auto& [id, waiting] : waiting_) ids.push_back(id);
    for (const std::int32_t id : ids) {
      Waiting& waiting = waiting_.at(id);
      const net::Http2Client::Answer& answer = client_.answers[id];
      const std::size_t begin = std::exchange(waiting.passed_on, answer.body.size());
      if (begin < answer.body.size()) waiting.receiver.piece(std::string_view(answer.body).substr(begin));
      if (!answer.closed && !client_.closed) continue;
      const Receiver receiver = std::move(waiting.receiver);
      const int status = std::atoi(answer.status.c_str());
      const bool is_whole = answer.closed && answer.error == 0;
      waiting_.erase(id);
      client_.answers.erase(id);
      receiver.over(status, is_whole);
    }
  }

  net::Http2Client client_;
  std::map<std::int32_t, Waiting> waiting_;
};

}  // namespace

std::unique_ptr<Line> http1_line(EventLoop& loop, std::unique_ptr<net::Stream> stream) {
  return std::make_unique<Http1Line>(loop, std::move(stream));
}

std::unique_ptr<Line> http2_line(std::unique_ptr<net::Stream> stream) {
  return std::make_unique<Http2Line>(std::move(stream));
}

}  // namespace loadline::linearizability
