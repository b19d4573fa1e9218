#include "server/net/output_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "foundation/base/rng.h"

namespace loadline::net {
namespace {

std::string next(const OutputQueue& queue) {
  OutputQueue::Pieces storage;
  std::string text;
  for (const std::string_view piece : queue.front(storage)) text += piece;
  return text;
}

TEST(OutputQueue, JoinsWhatIsShortAndSharesWhatIsLong) {
  OutputQueue queue;
  const auto text = std::make_shared<const std::string>(5'000, 'x');
  queue.append(std::string_view("a"));
  queue.append(std::string_view("b"));
  queue.append(text, 0, text->size());
  queue.append(text, 10, 3);
  OutputQueue::Pieces storage;
  const auto pieces = queue.front(storage);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0], "ab");
  EXPECT_EQ(pieces[1].data(), text->data());
  EXPECT_EQ(pieces[2], "xxx");
  EXPECT_EQ(text.use_count(), 2);
  queue.clear();
  EXPECT_EQ(text.use_count(), 1);
}

TEST(OutputQueue, KeepsTheOrderHoweverItIsTakenOut) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    OutputQueue queue;
    std::string expected;
    std::string got;
    for (int step = 0; step < 300; ++step) {
      const std::string text(static_cast<std::size_t>(rng.below(3'000)), static_cast<char>('a' + rng.below(26)));
      expected += text;
      switch (rng.below(3)) {
        case 0:
          queue.append(std::string_view(text));
          break;
        case 1:
          queue.append(std::string(text));
          break;
        default:
          queue.append(std::make_shared<const std::string>("-" + text + "-"), 1, text.size());
      }
      const std::string here = next(queue);
      const std::size_t count = here.empty() ? 0 : static_cast<std::size_t>(rng.below(here.size() + 1));
      got += here.substr(0, count);
      queue.pop(count);
      ASSERT_EQ(queue.size(), expected.size() - got.size());
    }
    while (!queue.empty()) {
      const std::string here = next(queue);
      got += here;
      queue.pop(here.size());
    }
    EXPECT_EQ(got, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace loadline::net
