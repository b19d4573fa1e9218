// The test program is also the host of the plugins it starts, as every program that loads plugins is.

#include <gtest/gtest.h>

#include <optional>

#include "hosts/extension/plugin_host.h"

int main(int argc, char** argv) {
  if (const std::optional<int> status = loadline::extension::run_plugin_host(argc, argv)) return *status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
