#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "hosts/watching/cross_thread_client.h"

namespace loadline::embedded {

/// What the API server's thread asks of the controllers' thread, without waiting for it: questions and answers cross as
/// messages, behind what is under way. Questions run there, and may use what belongs there; callbacks stay here.
class ControlQuestions {
 public:
  /// `mailboxes` outlive it; null: both are one thread, and questions are answered at once.
  explicit ControlQuestions(watching::ThreadMailboxes* mailboxes) : mailboxes_(mailboxes) {}

  /// Calls `done` with what `question()` returns; not if this object is gone by then.
  template <class Question, class Done>
  void ask(Question question, Done done) {
    using Answer = decltype(question());
    if (mailboxes_ == nullptr) return done(question());
    const std::uint64_t number = ++waiting_->last;
    waiting_->open.emplace(number, [done = std::move(done)](const std::shared_ptr<void>& answer) mutable {
      done(std::move(*std::static_pointer_cast<Answer>(answer)));
    });
    mailboxes_->to_client.post([&to_server = mailboxes_->to_server, weak = std::weak_ptr<Waiting>(waiting_), number,
                                question = std::move(question)]() mutable {
      to_server.post([weak, number, answer = std::make_shared<Answer>(question())] {
        const std::shared_ptr<Waiting> waiting = weak.lock();
        if (waiting == nullptr) return;
        const auto found = waiting->open.extract(number);
        if (!found.empty()) found.mapped()(answer);
      });
    });
  }

 private:
  struct Waiting {
    std::map<std::uint64_t, std::function<void(const std::shared_ptr<void>&)>> open;
    std::uint64_t last = 0;
  };

  watching::ThreadMailboxes* mailboxes_;
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();  // used on this thread
};

}  // namespace loadline::embedded
