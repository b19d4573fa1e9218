#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace loadline::pages {

enum class ColourScheme { kLight, kDark };

/// A Chromium without a window. It cannot reach any network: every name is unknown to it, and every address goes
/// through a proxy that is not there.
class Browser {
 public:
  /// The one that is installed; nothing if none is, or if it does not start.
  static std::optional<Browser> installed();

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
  explicit Browser(std::string program) : program_(std::move(program)) {}
  int run(const std::string& arguments) const;  // the status of the shell

  std::string program_;
};

}  // namespace loadline::pages
