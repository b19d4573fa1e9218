#include "pages/browser.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace loadline::pages {
namespace {

constexpr std::string_view kAlone =
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --disable-background-networking "
    "--disable-component-update --no-first-run --host-resolver-rules='MAP * ~NOTFOUND' --proxy-server=127.0.0.1:9 "
    "--virtual-time-budget=5000";

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string beside(const std::filesystem::path& page, std::string_view ending) {
  return std::filesystem::path(page).replace_extension(ending).string();
}

std::string address_of(const std::filesystem::path& page) {
  return shell_word("file://" + std::filesystem::absolute(page).string());
}

std::string_view only_complaints(std::string_view line) { return line.find("CONSOLE") != line.npos ? line : ""; }

}  // namespace

std::optional<Browser> Browser::installed() {
  for (const std::string_view program : {"chromium", "chromium-browser", "google-chrome"}) {
    Browser browser{std::string(program)};
    if (browser.run("--version >/dev/null 2>&1") == 0) return browser;
  }
  return std::nullopt;
}

int Browser::run(const std::string& arguments) const {
  return std::system(fmt::format("timeout 90 {} {}", program_, arguments).c_str());
}

std::string Browser::picture_of(const std::filesystem::path& page, ColourScheme scheme, int width, int height) const {
  const std::string png = beside(page, scheme == ColourScheme::kDark ? ".dark.png" : ".light.png");
  std::filesystem::remove(png);
  const std::string_view dark = scheme == ColourScheme::kDark ? "--blink-settings=preferredColorScheme=0" : "";
  run(fmt::format("{} {} --window-size={},{} --screenshot={} {} >{} 2>&1", kAlone, dark, width, height, shell_word(png),
                  address_of(page), shell_word(beside(page, ".log"))));
  return bytes_of(png);
}

Browser::Reading Browser::read(const std::filesystem::path& page) const {
  const std::string log = beside(page, ".log");
  const std::string document = beside(page, ".dom");
  run(fmt::format("{} --enable-logging=stderr --dump-dom {} >{} 2>{}", kAlone, address_of(page), shell_word(document),
                  shell_word(log)));
  Reading reading{.document = bytes_of(document), .complaints = {}};
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    const std::string_view complaint = only_complaints(line);
    if (!complaint.empty()) reading.complaints += fmt::format("{}\n", complaint);
  }
  return reading;
}

}  // namespace loadline::pages
