#include "hosts/extension/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/base/rng.h"
#include "hosts/extension/object_copies.h"

namespace loadline::extension {
namespace {

TEST(Frames, AreReadAsTheyWereWritten) {
  FrameWriter part;
  part.add(std::int64_t{-5});
  FrameWriter frame;
  frame.add(std::uint32_t{7});
  frame.add(std::string_view("text"));
  frame.add(true);
  frame.add_bytes(part.bytes());
  frame.append(part);
  FrameReader reader(frame.bytes());
  EXPECT_EQ(reader.number<std::uint32_t>(), 7U);
  EXPECT_STREQ(reader.c_text(), "text");
  EXPECT_TRUE(reader.flag());
  EXPECT_EQ(FrameReader(reader.bytes()).number<std::int64_t>(), -5);
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.number<std::int64_t>(), -5);
  EXPECT_TRUE(reader.complete());
}

TEST(Frames, ThatEndEarlyAreSpoilt) {
  FrameWriter frame;
  frame.add(std::string_view("text"));
  for (std::size_t size = 0; size < frame.bytes().size(); ++size) {
    FrameReader reader(std::string_view(frame.bytes()).substr(0, size));
    EXPECT_STREQ(reader.c_text(), "") << size;
    EXPECT_TRUE(reader.spoilt());
    EXPECT_EQ(reader.number<std::uint32_t>(), 0U);
    EXPECT_FALSE(reader.complete());
  }
}

TEST(Frames, OfAnyBytesAreReadWithoutHarm) {
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(rng.below(64), '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.below(3));
    FrameReader reader(bytes);
    NodeCopy node;
    node.update(0, reader);
    const PodCopy pod(bytes);
    EXPECT_NE(pod.view().name, nullptr);
  }
}

}  // namespace
}  // namespace loadline::extension
