#pragma once

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace loadline::cli {

/// Hands on what is written, made visible (foundation/document/visible_text.h): whatever a text comes from, be it an
/// input's name, a server's answer or a file, no terminal acts on it. Newlines stay. Nothing is kept back but the
/// beginning of a code point. Several threads may write.
class VisibleBuffer final : public std::streambuf {
 public:
  /// `below` outlives this.
  explicit VisibleBuffer(std::streambuf& below) : below_(below) {}

  /// Writes as it is.
  bool write_as_it_is(std::string_view text);

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool write(std::string_view text);
  bool put(std::string_view text);
  bool flush_begun();

  std::streambuf& below_;
  std::string begun_;  // of a code point that has not come whole
  std::mutex mutex_;
};

/// A stream through which texts go to another one, and come out visible. What goes wrong below is told to both.
class VisibleStream final : public std::ostream {
 public:
  explicit VisibleStream(std::ostream& below);
  ~VisibleStream() override;
  VisibleStream(const VisibleStream&) = delete;
  VisibleStream& operator=(const VisibleStream&) = delete;

 private:
  std::ostream& below_;
  VisibleBuffer buffer_;
};

/// For what is the program's own: colours, and what draws a line anew.
void write_as_it_is(std::ostream& out, std::string_view text);

}  // namespace loadline::cli
