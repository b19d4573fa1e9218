#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace loadline::extension::testing {

/// What a fake service was asked.
struct FakeRequest {
  std::string path;
  std::string headers;  ///< lines, as they came
  std::string body;
};

/// How it answers.
struct FakeReply {
  enum class Manner { kAnswer, kClose, kHang };
  int status = 200;
  std::string body;
  std::string headers;  ///< whole lines
  Manner manner = Manner::kAnswer;
};

/// An HTTP service on a port of its own, one connection after the other, that answers as it is told. It ends with the
/// object.
class FakeService {
 public:
  using Behaviour = std::function<FakeReply(const FakeRequest&)>;

  explicit FakeService(Behaviour behaviour) : behaviour_(std::move(behaviour)), listener_(listen_somewhere()) {
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeService() {
    ended_ = true;
    thread_.join();
    close(listener_);
  }
  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<FakeRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  int listen_somewhere() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0) listen(listener, 8);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    return listener;
  }

  /// False: the service ends.
  [[nodiscard]] bool wait_for(int descriptor) const {
    while (!ended_) {
      pollfd waiting{descriptor, POLLIN, 0};
      if (poll(&waiting, 1, 20) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      ++connections_;
      converse(connection);
      close(connection);
    }
  }

  void converse(int connection) {
    std::string text;
    while (read_more(connection, text)) {
      const std::size_t head = text.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::size_t size = head + 4 + content_length(text.substr(0, head));
      if (text.size() < size) continue;
      const std::size_t line = text.find("\r\n");
      FakeRequest request;
      const std::size_t path = text.find(' ') + 1;
      request.path = text.substr(path, text.find(' ', path) - path);
      request.headers = text.substr(line + 2, head - line - 2);
      request.body = text.substr(head + 4, size - head - 4);
      text.erase(0, size);
      if (!reply(connection, request)) return;
    }
  }

  bool read_more(int connection, std::string& text) const {
    if (!wait_for(connection)) return false;
    char buffer[65536];
    const ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  static std::size_t content_length(std::string_view head) {
    constexpr std::string_view kName = "Content-Length: ";
    const std::size_t at = head.find(kName);
    return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + kName.size())));
  }

  bool reply(int connection, const FakeRequest& request) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const FakeReply answer = behaviour_(request);
    if (answer.manner == FakeReply::Manner::kClose) return false;
    if (answer.manner == FakeReply::Manner::kHang) {
      static_cast<void>(wait_for(connection));  // until the client gives up
      return false;
    }
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " Said\r\n" + answer.headers +
                       "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  Behaviour behaviour_;
  int port_ = 0;
  int listener_;
  std::atomic<bool> ended_ = false;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<FakeRequest> requests_;
  std::thread thread_;
};

}  // namespace loadline::extension::testing
