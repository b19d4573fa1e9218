#include "pages/picture.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

namespace loadline::pages {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = (number << 8U) | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct Header {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;
};

std::optional<Header> read_header(std::string_view data) {
  if (data.size() != 13 || data[8] != 8 || data[12] != 0 || (data[9] != 2 && data[9] != 6)) return std::nullopt;
  return Header{.width = number_at(data, 0), .height = number_at(data, 4), .channels = data[9] == 2 ? 3U : 4U};
}

std::uint8_t paeth(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int by_left = std::abs(estimate - left);
  const int by_above = std::abs(estimate - above);
  const int by_corner = std::abs(estimate - corner);
  if (by_left <= by_above && by_left <= by_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(by_above <= by_corner ? above : corner);
}

std::uint8_t predicted(char filter, int left, int above, int corner) {
  switch (filter) {
    case 1:
      return static_cast<std::uint8_t>(left);
    case 2:
      return static_cast<std::uint8_t>(above);
    case 3:
      return static_cast<std::uint8_t>((left + above) / 2);
    case 4:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

Picture unfilter(const std::string& lines, const Header& header) {
  Picture picture{.width = header.width, .height = header.height, .pixels = {}};
  const std::size_t stride = header.width * header.channels;
  std::vector<std::uint8_t> above(stride, 0);
  std::vector<std::uint8_t> line(stride, 0);
  for (std::size_t y = 0; y < header.height; ++y) {
    const std::size_t begin = y * (stride + 1);
    for (std::size_t i = 0; i < stride; ++i) {
      const bool is_first = i < header.channels;
      const std::uint8_t difference = static_cast<std::uint8_t>(lines[begin + 1 + i]);
      line[i] = static_cast<std::uint8_t>(difference + predicted(lines[begin], is_first ? 0 : line[i - header.channels],
                                                                 above[i], is_first ? 0 : above[i - header.channels]));
    }
    for (std::size_t x = 0; x < stride; x += header.channels)
      picture.pixels.push_back({line[x], line[x + 1], line[x + 2]});
    above = line;
  }
  return picture;
}

}  // namespace

std::optional<Picture> read_png(std::string_view bytes) {
  if (!bytes.starts_with(kSignature)) return std::nullopt;
  bytes.remove_prefix(kSignature.size());
  std::optional<Header> header;
  std::string compressed;
  while (bytes.size() >= 12) {
    const std::size_t length = number_at(bytes, 0);
    const std::string_view kind = bytes.substr(4, 4);
    if (length > bytes.size() - 12) return std::nullopt;
    const std::string_view data = bytes.substr(8, length);
    if (kind == "IHDR") header = read_header(data);
    if (kind == "IDAT") compressed += data;
    bytes.remove_prefix(length + 12);
  }
  if (!header.has_value()) return std::nullopt;
  std::string lines((header->width * header->channels + 1) * header->height, '\0');
  uLongf size = lines.size();
  const int status = uncompress(reinterpret_cast<Bytef*>(lines.data()), &size,
                                reinterpret_cast<const Bytef*>(compressed.data()), compressed.size());
  if (status != Z_OK || size != lines.size()) return std::nullopt;
  return unfilter(lines, *header);
}

std::size_t colours_of(const Picture& picture) {
  return std::set<Pixel>(picture.pixels.begin(), picture.pixels.end()).size();
}

double share_of(const Picture& picture, Pixel colour) {
  constexpr int kNear = 6;
  const auto alike = std::count_if(picture.pixels.begin(), picture.pixels.end(), [&](const Pixel& pixel) {
    for (std::size_t i = 0; i < pixel.size(); ++i) {
      if (std::abs(int{pixel[i]} - int{colour[i]}) > kNear) return false;
    }
    return true;
  });
  return picture.pixels.empty() ? 0 : static_cast<double>(alike) / static_cast<double>(picture.pixels.size());
}

}  // namespace loadline::pages
