#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command/command.h"

namespace loadline::command {

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes the text into the file of that name, and returns where it is.
  std::string with(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// Starts a process that writes all it says into a file.
pid_t launch(std::vector<std::string> words, const std::string& log_file);

/// `loadline up` in a process of its own; Ctrl-C at the end.
class UpProcess {
 public:
  /// `program` is loadline's. Its log and its kubeconfig are in `folder`, under `name`. In memory, unless `more`, which
  /// are further options, say where its data is.
  UpProcess(const std::string& program, const Folder& folder, const std::string& name,
            const std::vector<std::string>& more);
  UpProcess(const UpProcess&) = delete;
  UpProcess& operator=(const UpProcess&) = delete;
  ~UpProcess() { end(); }

  /// Waits, for half a minute at most, until it has said so, or ended; what it has said by then.
  std::string says(const std::string& text);

  /// Its exit status, after Ctrl-C.
  int end();

  /// Its exit status, when it ends without being asked to; -1 if it does not within half a minute.
  int ends_by_itself();

  /// A command about it.
  [[nodiscard]] Ending run(std::vector<std::string> arguments) const;

  [[nodiscard]] const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  bool is_alive();

  std::string log_;
  std::string kubeconfig_;
  pid_t process_ = 0;
  int status_ = -1;
};

}  // namespace loadline::command
