#include "hosts/trace/csv_records.h"

#include <algorithm>
#include <cstring>

#include "hosts/trace/place.h"

namespace loadline::trace {
namespace {

void split_plain(std::string_view line, std::uint32_t number, std::vector<CsvField>& fields) {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  for (const char* field = begin;;) {
    const auto* comma = static_cast<const char*>(std::memchr(field, ',', static_cast<std::size_t>(end - field)));
    const char* const field_end = comma == nullptr ? end : comma;
    fields.push_back(
        {{field, static_cast<std::size_t>(field_end - field)}, number, static_cast<std::uint32_t>(field - begin) + 1});
    if (comma == nullptr) return;
    field = comma + 1;
  }
}

}  // namespace

Result<bool> CsvRecords::next() {
  fields_.clear();
  while (true) {
    const auto line = lines_.next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) return false;
    if ((*line)->empty()) continue;
    first_line_ = lines_.number();
    if ((*line)->find('"') != std::string_view::npos) return split_quoted(**line);
    split_plain(**line, first_line_, fields_);
    return true;
  }
}

/// Fields are gathered in `unquoted_`, which may move as it grows, so their places are kept until the end.
Result<bool> CsvRecords::split_quoted(std::string_view line) {
  std::vector<std::size_t> begins;
  unquoted_.clear();
  record_ = line;
  line = record_;
  for (std::size_t at = 0;;) {
    fields_.push_back({{}, lines_.number(), static_cast<std::uint32_t>(at) + 1});
    begins.push_back(unquoted_.size());
    if (at < line.size() && line[at] == '"') {
      const auto good = take_quoted(line, at);
      if (!good) return good;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      const std::string_view text = line.substr(at, end - at);
      if (const std::size_t quote = text.find('"'); quote != std::string_view::npos) {
        return failure_at(lines_.at(static_cast<std::uint32_t>(at + quote) + 1), {}, "a quote inside a field without",
                          R"(put the field in quotes, and write quotes in it twice: "a ""b""")");
      }
      unquoted_ += text;
      at = end;
    }
    if (at == line.size()) break;
    ++at;  // the comma
  }
  begins.push_back(unquoted_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    fields_[i].text = std::string_view(unquoted_).substr(begins[i], begins[i + 1] - begins[i]);
  }
  return true;
}

/// Takes the field in quotes that begins at `at`, to the comma or the end behind it; it may go on for lines.
Result<bool> CsvRecords::take_quoted(std::string_view& line, std::size_t& at) {
  const SourcePosition opened = lines_.at(static_cast<std::uint32_t>(at) + 1);
  ++at;
  while (true) {
    const std::size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) {
      unquoted_ += line.substr(at);
      const auto more = lines_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) return failure_at(opened, {}, "a quote is opened here and never closed");
      if (unquoted_.size() > kLongestLine) return failure_at(opened, {}, "a quote is opened here and not closed soon");
      unquoted_ += '\n';
      record_ = **more;
      line = record_;
      at = 0;
      continue;
    }
    unquoted_ += line.substr(at, quote - at);
    at = quote + 1;
    if (at == line.size() || line[at] == ',') return true;
    if (line[at] != '"') {
      return failure_at(lines_.at(static_cast<std::uint32_t>(at) + 1), {}, "text behind the quote that ends a field",
                        "a quote inside a field is written twice");
    }
    unquoted_ += '"';
    ++at;
  }
}

std::string csv_text(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += c;
    text += c;
  }
  return text + '"';
}

}  // namespace loadline::trace
