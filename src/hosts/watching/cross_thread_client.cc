#include "hosts/watching/cross_thread_client.h"

#include <utility>

namespace loadline::watching {

using document::Value;
using kube::Answer;

/// The server's side: what it is asked with, and the watches under way.
class CrossThreadClient::There {
 public:
  explicit There(std::unique_ptr<kube::Client> client) : client_(std::move(client)) {}

  [[nodiscard]] kube::Client& client() { return *client_; }
  void keep(std::uint64_t number, std::unique_ptr<kube::Watch> watch) { watches_[number] = std::move(watch); }
  void end(std::uint64_t number) { watches_.erase(number); }

 private:
  std::unique_ptr<kube::Client> client_;
  std::map<std::uint64_t, std::unique_ptr<kube::Watch>> watches_;  // end before the client does
};

class CrossThreadClient::CrossThreadWatch final : public kube::Watch {
 public:
  CrossThreadWatch(ThreadMailboxes& mailboxes, std::shared_ptr<There> there, std::shared_ptr<Waiting> waiting,
                   std::uint64_t number)
      : mailboxes_(mailboxes), there_(std::move(there)), waiting_(std::move(waiting)), number_(number) {}
  CrossThreadWatch(const CrossThreadWatch&) = delete;
  CrossThreadWatch& operator=(const CrossThreadWatch&) = delete;
  ~CrossThreadWatch() override {
    waiting_->watches.erase(number_);
    mailboxes_.to_server.post([there = std::move(there_), number = number_] { there->end(number); });
  }

 private:
  ThreadMailboxes& mailboxes_;
  std::shared_ptr<There> there_;
  std::shared_ptr<Waiting> waiting_;
  std::uint64_t number_;
};

CrossThreadClient::CrossThreadClient(ThreadMailboxes& mailboxes, std::unique_ptr<kube::Client> server)
    : mailboxes_(mailboxes), there_(std::make_shared<There>(std::move(server))) {}

CrossThreadClient::~CrossThreadClient() {
  mailboxes_.to_server.post([there = std::move(there_)] {});
}

template <class T>
CrossThreadClient::OnAnswer<T> CrossThreadClient::await(Open<T> Waiting::* open, OnAnswer<T> done) {
  const std::uint64_t number = ++waiting_->last;
  (*waiting_.*open).emplace(number, std::move(done));
  return [&mailboxes = mailboxes_, weak = std::weak_ptr<Waiting>(waiting_), open, number](Answer<T> answer) {
    mailboxes.to_client.post([weak, open, number, answer = std::move(answer)] {
      const std::shared_ptr<Waiting> waiting = weak.lock();
      if (waiting == nullptr) return;
      const auto found = (*waiting.*open).extract(number);
      if (!found.empty() && found.mapped()) found.mapped()(answer);
    });
  };
}

template <class Request>
void CrossThreadClient::ask(OnObject done, Request request) {
  mailboxes_.to_server.post([there = there_, answer = await(&Waiting::objects, std::move(done)),
                             request = std::move(request)]() mutable { request(there->client(), std::move(answer)); });
}

void CrossThreadClient::get(const kube::ResourceReference& of, OnObject done) {
  ask(std::move(done), [of](kube::Client& client, OnObject answer) { client.get(of, std::move(answer)); });
}

void CrossThreadClient::create(const kube::ResourceReference& of, Value object, OnObject done) {
  ask(std::move(done), [of, object = std::move(object)](kube::Client& client, OnObject answer) mutable {
    client.create(of, std::move(object), std::move(answer));
  });
}

void CrossThreadClient::update(const kube::ResourceReference& of, Value object, OnObject done) {
  ask(std::move(done), [of, object = std::move(object)](kube::Client& client, OnObject answer) mutable {
    client.update(of, std::move(object), std::move(answer));
  });
}

void CrossThreadClient::patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) {
  ask(std::move(done), [of, patch = std::move(patch)](kube::Client& client, OnObject answer) mutable {
    client.patch(of, std::move(patch), std::move(answer));
  });
}

void CrossThreadClient::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) {
  ask(std::move(done),
      [of, options](kube::Client& client, OnObject answer) { client.remove(of, options, std::move(answer)); });
}

void CrossThreadClient::list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) {
  mailboxes_.to_server.post([there = there_, of, options, answer = await(&Waiting::lists, std::move(done))] {
    there->client().list(of, options, answer);
  });
}

std::unique_ptr<kube::Watch> CrossThreadClient::watch(const kube::ResourceReference& of,
                                                      const kube::WatchOptions& options, OnEvent on_event) {
  const std::uint64_t number = ++waiting_->last;
  waiting_->watches.emplace(number, std::make_shared<const OnEvent>(std::move(on_event)));
  const auto tell = [&mailboxes = mailboxes_, weak = std::weak_ptr<Waiting>(waiting_),
                     number](const kube::WatchEvent& event) {
    mailboxes.to_client.post([weak, number, event] {
      const std::shared_ptr<Waiting> waiting = weak.lock();
      if (waiting == nullptr) return;
      const auto found = waiting->watches.find(number);
      if (found == waiting->watches.end()) return;
      // The callback may end the watch, so it is kept alive while it runs.
      const std::shared_ptr<const OnEvent> told = found->second;
      (*told)(event);
    });
  };
  mailboxes_.to_server.post(
      [there = there_, of, options, tell, number] { there->keep(number, there->client().watch(of, options, tell)); });
  return std::make_unique<CrossThreadWatch>(mailboxes_, there_, waiting_, number);
}

}  // namespace loadline::watching
