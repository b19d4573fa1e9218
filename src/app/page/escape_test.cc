#include "app/page/escape.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::page {
namespace {

TEST(Escape, LeavesNothingThatMarkupIsMadeOf) {
  EXPECT_EQ(escaped("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
}

TEST(Escape, KeepsTextOfAllLanguages) {
  EXPECT_EQ(escaped("größe 日本語 עברית 🚀\tand\nmore"), "größe 日本語 עברית 🚀\tand\nmore");
}

TEST(Escape, ShowsControlCharactersAsPictures) {
  EXPECT_EQ(escaped(std::string("\0", 1)), "␀");
  EXPECT_EQ(escaped("\x1B[31m"), "␛[31m");
  EXPECT_EQ(escaped("a\r\x7F"), "a␍␡");
}

TEST(Escape, ReplacesWhatIsNoCharacterOrTurnsTheDirection) {
  EXPECT_EQ(escaped("\xFF\xC0\xAF"), "���");             // not UTF-8
  EXPECT_EQ(escaped("\xED\xA0\x80"), "���");             // a surrogate
  EXPECT_EQ(escaped("a\xC2\x85z"), "a�z");               // a control character beyond ASCII
  EXPECT_EQ(escaped("a\u202Ez\u2066"), "a�z�");          // right-to-left override, isolate
  EXPECT_EQ(escaped("\xEF\xBF\xBE\xEF\xB7\x90"), "��");  // noncharacters
}

}  // namespace
}  // namespace loadline::page
