#include "pages/browser.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace loadline::pages {
namespace {

constexpr std::string_view kAlone =
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --disable-background-networking "
    "--disable-component-update --no-first-run --host-resolver-rules='MAP * ~NOTFOUND' --proxy-server=127.0.0.1:9 "
    "--virtual-time-budget=5000 --enable-logging=stderr";

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string address_of(const std::filesystem::path& page) {
  return fmt::format("file://{}", std::filesystem::absolute(page).string());
}

}  // namespace

std::optional<Browser> Browser::installed(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const std::string_view program : {"chromium", "chromium-browser", "google-chrome"}) {
    Browser browser{std::string(program), folder};
    if (browser.run("--dump-dom", "about:blank")) return browser;
  }
  return std::nullopt;
}

bool Browser::run(std::string_view options, std::string_view address) const {
  const std::string command = fmt::format("timeout 90 {} {} --user-data-dir={} {} {} >{} 2>{}", program_, kAlone,
                                          shell_word((folder_ / "profile").string()), options, shell_word(address),
                                          shell_word(output().string()), shell_word(errors().string()));
  return std::system(command.c_str()) == 0;
}

std::string Browser::picture_of(const std::filesystem::path& page, ColourScheme scheme, int width, int height) const {
  const bool is_dark = scheme == ColourScheme::kDark;
  const std::string png = std::filesystem::path(page).replace_extension(is_dark ? ".dark.png" : ".light.png").string();
  std::filesystem::remove(png);
  run(fmt::format("{} --window-size={},{} --screenshot={}", is_dark ? "--blink-settings=preferredColorScheme=0" : "",
                  width, height, shell_word(png)),
      address_of(page));
  return bytes_of(png);
}

Browser::Reading Browser::read(const std::filesystem::path& page) const {
  run("--dump-dom", address_of(page));
  Reading reading{.document = bytes_of(output()), .complaints = {}};
  std::ifstream log(errors());
  for (std::string line; std::getline(log, line);) {
    if (line.find("CONSOLE") != std::string::npos) reading.complaints += line + "\n";
  }
  return reading;
}

}  // namespace loadline::pages
