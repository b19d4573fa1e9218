#include "app/page/style.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/page/palette.h"

namespace loadline::page {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& matrix, const Vector& vector) {
  Vector product = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * vector[j];
  }
  return product;
}

/// "--name:#rrggbb" of a part of the style sheet, as linear light.
Vector light_of(std::string_view css, std::string_view name) {
  const std::size_t at = css.find(fmt::format("--{}:#", name));
  if (at == std::string_view::npos) return {};
  std::string digits(css.substr(at + name.size() + 4, 6));
  if (digits[3] == ';' || digits[3] == '}') digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
  Vector light = {};
  for (std::size_t i = 0; i < 3; ++i) {
    int byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    const double part = byte / 255.0;
    light[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return light;
}

/// Oklab (Ottosson 2020), in hundredths.
Vector perceived(const Vector& light) {
  constexpr Matrix kCones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                              {0.2119034982, 0.6806995451, 0.1073969566},
                              {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix kLab = {{{0.2104542553, 0.7936177850, -0.0040720468},
                            {1.9779984951, -2.4285922050, 0.4505937099},
                            {0.0259040371, 0.7827717662, -0.8086757660}}};
  Vector cones = times(kCones, light);
  for (double& cone : cones) cone = std::cbrt(cone);
  Vector lab = times(kLab, cones);
  for (double& part : lab) part *= 100;
  return lab;
}

double distance(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double contrast(const Vector& a, const Vector& b) {
  const auto luminance = [](const Vector& light) { return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]; };
  const auto [low, high] = std::minmax(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

/// How the world looks to those who see all colours, and to those who lack one kind of cones (Machado et al. 2009).
constexpr std::array<Matrix, 4> kEyes = {
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

Vector seen(const Matrix& eye, const Vector& light) {
  Vector view = times(eye, light);
  for (double& part : view) part = std::clamp(part, 0.0, 1.0);
  return perceived(view);
}

std::vector<std::string> hues() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kHues; ++i) names.push_back(fmt::format("c{}", i));
  names.emplace_back("failed");
  return names;
}

class StyleSheet : public testing::TestWithParam<bool> {
 protected:
  /// From the first rule of the colour scheme on.
  static std::string_view colours() {
    return GetParam() ? style_sheet().substr(style_sheet().find("prefers-color-scheme:dark")) : style_sheet();
  }
};

TEST_P(StyleSheet, TellsHuesApartForAllEyes) {
  for (const Matrix& eye : kEyes) {
    for (const std::string& one : hues()) {
      for (const std::string& other : hues()) {
        if (one == other) continue;
        EXPECT_GT(distance(seen(eye, light_of(colours(), one)), seen(eye, light_of(colours(), other))), 5.5)
            << one << " and " << other;
      }
    }
  }
}

TEST_P(StyleSheet, SetsInkOffFromWhatItIsWrittenOn) {
  const Vector paper = light_of(colours(), "paper");
  EXPECT_GT(contrast(light_of(colours(), "ink"), paper), 12);
  EXPECT_GT(contrast(light_of(colours(), "soft"), paper), 4.5);
  EXPECT_GT(contrast(light_of(colours(), "on-failed"), light_of(colours(), "failed")), 4);
  for (std::size_t i = 0; i < kHues; ++i) {
    EXPECT_GT(contrast(light_of(colours(), fmt::format("i{}", i)), light_of(colours(), fmt::format("c{}", i))), 4) << i;
    EXPECT_GT(contrast(light_of(colours(), fmt::format("c{}", i)), paper), 2) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, StyleSheet, testing::Bool(),
                         [](const auto& scheme) { return std::string(scheme.param ? "Dark" : "Light"); });

TEST(StyleSheetText, LoadsNothingAndHoldsNoMarkup) {
  for (const std::string_view loaded : {"@import", "@font-face", "//", "url(h", "url('", "url(\"", "<", "&"}) {
    EXPECT_EQ(style_sheet().find(loaded), std::string_view::npos) << loaded;
  }
}

}  // namespace
}  // namespace loadline::page
