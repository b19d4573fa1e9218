#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace loadline::pages {

enum class ColourScheme { kLight, kDark };

/// A Chromium without a window. It cannot reach any network: every name is unknown to it, and every address goes
/// through a proxy that is not there. What it writes lies in its folder.
class Browser {
 public:
  /// The one that is installed; nothing if none is, or if none starts here.
  static std::optional<Browser> installed(const std::filesystem::path& folder);

  /// The bytes of a PNG of the page, as a window of that size shows it.
  [[nodiscard]] std::string picture_of(const std::filesystem::path& page, ColourScheme scheme, int width,
                                       int height) const;

  /// The document as the browser has understood it, and what it complained about on its console.
  struct Reading {
    std::string document;
    std::string complaints;
  };
  [[nodiscard]] Reading read(const std::filesystem::path& page) const;

 private:
  Browser(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {}

  /// Runs the program and waits, a minute and a half at most; whether it ended well. Its output goes to files.
  bool run(std::string_view options, std::string_view address) const;
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "out.txt"; }
  [[nodiscard]] std::filesystem::path errors() const { return folder_ / "errors.txt"; }

  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace loadline::pages
