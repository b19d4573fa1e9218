#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::contract {

/// For a host that works off a file which says what came about, in a world whose rules it cannot check whole: a
/// recording. While one lives, a contract that does not hold on its thread is the file's fault as far as anybody can
/// tell, so the process says which line led there and ends with the status of a bad input, not by an abort.
///
/// The last line of defence only: what a file can say wrong is checked before it is believed, and fuzzers, which have
/// no suspect, find what is not.
class SuspectInput {
 public:
  /// `fault` is the sentence about it: "the recording contradicts itself". Both texts outlive it.
  /// REQUIRES: there is no other one on this thread.
  SuspectInput(std::string_view file, std::string_view fault);
  SuspectInput(const SuspectInput&) = delete;
  SuspectInput& operator=(const SuspectInput&) = delete;
  ~SuspectInput();

  /// The line that is worked off.
  void set_line(std::uint32_t line) { line_ = line; }

  /// The one of this thread; null if there is none.
  [[nodiscard]] static SuspectInput* current();

  /// "file:12:1: error: the recording contradicts itself: …".
  [[nodiscard]] std::string accusation(std::string_view condition, std::string_view place) const;

  /// What the process ends with.
  static constexpr int kStatus = 2;

 private:
  std::string_view file_;
  std::string_view fault_;
  std::uint32_t line_ = 1;
};

}  // namespace loadline::contract
