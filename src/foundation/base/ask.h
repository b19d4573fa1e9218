#pragma once

#include <future>
#include <type_traits>
#include <utility>

#include "foundation/base/event_loop.h"

namespace loadline {

/// Runs `question` on the thread of `loop`, which runs, and waits for what it returns; the caller's thread does nothing
/// meanwhile, so what belongs to either may be used. REQUIRES: called on another thread, for which nothing on `loop`
/// ever waits.
template <class Question>
std::invoke_result_t<Question> ask(EventLoop& loop, Question question) {
  std::promise<std::invoke_result_t<Question>> answer;
  std::future<std::invoke_result_t<Question>> waited = answer.get_future();
  loop.post([&] {
    if constexpr (std::is_void_v<std::invoke_result_t<Question>>) {
      question();
      answer.set_value();
    } else {
      answer.set_value(question());
    }
  });
  return waited.get();
}

}  // namespace loadline
