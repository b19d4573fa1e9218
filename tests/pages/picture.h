#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace loadline::pages {

using Pixel = std::array<std::uint8_t, 3>;

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Pixel> pixels;  ///< row by row
};

/// Reads a PNG as browsers write them: eight bits a channel, with or without transparency, not interlaced. Nothing if
/// the bytes are something else.
std::optional<Picture> read_png(std::string_view bytes);

/// How many different colours there are.
std::size_t colours_of(const Picture& picture);

/// The share of pixels that look like this one, give or take a few steps of each channel.
double share_of(const Picture& picture, Pixel colour);

}  // namespace loadline::pages
