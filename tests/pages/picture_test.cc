#include "pages/picture.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace loadline::pages {
namespace {

std::string chunk(const std::string& kind, const std::string& data) {
  const auto size = static_cast<std::uint32_t>(data.size());
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>((size >> shift) & 0xFFU);
  return bytes + kind + data + std::string(4, '\0');
}

/// A PNG of 2 by 2 pixels, from its filtered lines.
std::string png(const std::string& lines, char colour_type) {
  std::string compressed(compressBound(lines.size()), '\0');
  uLongf size = compressed.size();
  compress(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
           lines.size());
  compressed.resize(size);
  const std::string header = std::string("\0\0\0\x02\0\0\0\x02\x08", 9) + colour_type + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", compressed) + chunk("IEND", "");
}

TEST(Picture, UndoesTheFiltersOfItsLines) {
  // The first line holds differences to the left (filter 1), the second to the line above (2).
  const std::string lines("\1\x0A\x14\x1E\x01\x01\x01\2\x01\x00\x00\x00\x00\x05", 14);
  const std::optional<Picture> picture = read_png(png(lines, 2));
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->pixels, (std::vector<Pixel>{{10, 20, 30}, {11, 21, 31}, {11, 20, 30}, {11, 21, 36}}));
  EXPECT_EQ(colours_of(*picture), 4u);
  EXPECT_DOUBLE_EQ(share_of(*picture, {10, 20, 30}), 1.0);
  EXPECT_DOUBLE_EQ(share_of(*picture, {11, 21, 40}), 0.25);
}

TEST(Picture, IsNothingIfTheBytesAreNot) {
  EXPECT_FALSE(read_png("").has_value());
  EXPECT_FALSE(read_png("GIF89a").has_value());
  const std::string whole = png(std::string(14, '\0'), 2);
  for (std::size_t size = 0; size + 24 < whole.size(); ++size)
    EXPECT_FALSE(read_png(whole.substr(0, size)).has_value());
}

}  // namespace
}  // namespace loadline::pages
