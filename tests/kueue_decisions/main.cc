#include <fmt/format.h>

#include <iostream>
#include <string>
#include <string_view>

#include "kueue_decisions/replay.h"

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) != "--stream") {
    fmt::print(stderr,
               "usage: loadline-kueue-decisions --stream\n"
               "Compares our Kueue queues with what the real ones decided: a trace of conformance/kueue a line of\n"
               "standard input, one answer a line.\n");
    return 2;
  }
  std::ios::sync_with_stdio(false);
  loadline::kueue_decisions::Replays replays;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    std::cout << replays.answer(line) << '\n' << std::flush;
    if (!std::cout) return 2;
  }
  return 0;
}
