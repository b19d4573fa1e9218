#pragma once

#include <string>

namespace loadline::store {

/// How the log is kept. What differs from the defaults is for tests, which want in little time what takes long.
struct LogOptions {
  std::string file_system = {};  ///< name of an SQLite VFS that holds the log; empty: the system's
  int checkpoint_pages = 1000;   ///< so many pages of 16 KiB in the WAL, and the writer moves them into the database
  int free_pages_kept = 256;     ///< more than that are given back to the file system, some at a time
};

}  // namespace loadline::store
