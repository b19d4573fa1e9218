#pragma once

#include <optional>

namespace loadline::extension {

/// Runs as the host of a plugin, if the program was started as one: loads the library, and serves requests until the
/// other end of the socket is closed. The exit status; nullopt: it was not.
///
/// A program that loads plugins must call this first thing in main(), since it is itself what runs them.
std::optional<int> run_plugin_host(int argc, char** argv);

/// Whether it has been called, so that this program may be started as a host.
bool can_host_plugins();

}  // namespace loadline::extension
