#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "foundation/base/mailbox.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// The mailboxes between two threads: that of the API server, and that of its client.
struct ThreadMailboxes {
  ThreadMailboxes(EventLoop& server, EventLoop& client) : to_server(server), to_client(client) {}

  Mailbox to_server;  ///< tasks for the thread of the API server
  Mailbox to_client;  ///< tasks for the thread of its client
};

/// A client whose server runs on another thread than the caller: requests go to the server's thread and answers come
/// back, in order, as messages. Only values that neither thread changes go between them; callbacks stay on the client's
/// thread.
///
/// It is made while the server's thread does nothing, and used and destroyed on the client's. `mailboxes` outlives it;
/// after its end, and before the server goes, `mailboxes.to_server` is drained.
class CrossThreadClient final : public kube::Client {
 public:
  /// `server` is used on the server's thread.
  CrossThreadClient(ThreadMailboxes& mailboxes, std::unique_ptr<kube::Client> server);
  ~CrossThreadClient() override;

  void get(const kube::ResourceReference& of, OnObject done) override;
  void list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) override;
  [[nodiscard]] std::unique_ptr<kube::Watch> watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                   OnEvent on_event) override;
  void create(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void update(const kube::ResourceReference& of, document::Value object, OnObject done) override;
  void patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) override;
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) override;

 private:
  class There;
  class CrossThreadWatch;
  template <class T>
  using OnAnswer = std::function<void(kube::Answer<T>)>;
  template <class T>
  using Open = std::map<std::uint64_t, OnAnswer<T>>;

  /// The callbacks that wait for an answer, or for events, by number: callbacks stay on the client's thread.
  struct Waiting {
    Open<document::Value> objects;
    Open<kube::ObjectList> lists;
    std::map<std::uint64_t, std::shared_ptr<const OnEvent>> watches;
    std::uint64_t last = 0;
  };

  /// What the server is to call instead of `done`.
  template <class T>
  OnAnswer<T> await(Open<T> Waiting::* open, OnAnswer<T> done);
  /// Has `request` made on the server's thread, which is answered with an object.
  template <class Request>
  void ask(OnObject done, Request request);

  ThreadMailboxes& mailboxes_;
  std::shared_ptr<There> there_;  // used on the server's thread
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace loadline::watching
