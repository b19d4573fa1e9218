#include "app/cli/terminal/visible_stream.h"

#include <algorithm>

#include "foundation/document/visible_text.h"

namespace loadline::cli {
namespace {

/// The length of the code point that a byte begins, as far as that byte tells.
std::size_t promised_length(unsigned char first) {
  if (first >= 0xF0) return 4;
  if (first >= 0xE0) return 3;
  return first >= 0xC0 ? 2 : 1;
}

/// How many bytes at the end are the beginning of a code point that goes on behind it.
std::size_t begun_at_end(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t back = 1; back < kLongest && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    const bool continues = (byte & 0xC0U) == 0x80U;
    if (!continues) return promised_length(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace

bool VisibleBuffer::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return below_.sputn(text.data(), size) == size;
}

bool VisibleBuffer::flush_begun() {
  const std::string begun = document::visible(begun_);
  begun_.clear();
  return put(begun);
}

bool VisibleBuffer::write(std::string_view text) {
  std::string whole;
  if (!begun_.empty()) {
    whole = begun_.append(text);
    begun_.clear();
    text = whole;
  }
  const std::size_t begun = begun_at_end(text);
  begun_ = text.substr(text.size() - begun);
  text.remove_suffix(begun);
  const std::size_t good = document::visible_prefix(text);
  if (!put(text.substr(0, good))) return false;
  return good == text.size() || put(document::visible(text.substr(good)));
}

bool VisibleBuffer::write_as_it_is(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return flush_begun() && put(text);
}

VisibleBuffer::int_type VisibleBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char letter = traits_type::to_char_type(character);
  const std::scoped_lock lock(mutex_);
  return write({&letter, 1}) ? character : traits_type::eof();
}

std::streamsize VisibleBuffer::xsputn(const char* text, std::streamsize size) {
  const std::scoped_lock lock(mutex_);
  return write({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int VisibleBuffer::sync() {
  const std::scoped_lock lock(mutex_);
  return flush_begun() ? below_.pubsync() : -1;
}

VisibleStream::VisibleStream(std::ostream& below) : std::ostream(nullptr), below_(below), buffer_(*below.rdbuf()) {
  rdbuf(&buffer_);
  if (!below.good()) setstate(below.rdstate());
}

VisibleStream::~VisibleStream() {
  flush();
  if (!good()) below_.setstate(rdstate());
}

void write_as_it_is(std::ostream& out, std::string_view text) {
  auto* const buffer = dynamic_cast<VisibleBuffer*>(out.rdbuf());
  if (buffer == nullptr) {
    out << text;
  } else if (!buffer->write_as_it_is(text)) {
    out.setstate(std::ios::badbit);
  }
}

}  // namespace loadline::cli
