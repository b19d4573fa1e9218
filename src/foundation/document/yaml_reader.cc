#include <algorithm>
#include <memory>
#include <string>

#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/yaml_composer.h"
#include "foundation/document/yaml_parser.h"

namespace loadline::document {
namespace {

constexpr std::string_view kSeparator = "---";

/// Whether a text holds nothing but blank lines, comments and directives (`%YAML 1.1`), so that it is no document.
bool is_idle(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view content = trim(line);
    if (!content.empty() && content.front() != '#' && line.front() != '%') return false;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return true;
}

/// Reads a stream document by document. Like kubectl it cuts at lines that begin with `---` before it parses, so that
/// what is wrong with one document stays within it.
class StreamReader {
 public:
  StreamReader(std::string_view text, std::string file, EqualKeys equal_keys, Scalars scalars)
      : text_(text),
        file_(std::make_shared<const std::string>(std::move(file))),
        equal_keys_(equal_keys),
        scalars_(scalars) {}

  Reading read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    std::uint32_t line = 1;
    bool readable = true;
    while (true) {
      const std::size_t end = next_separator();
      const std::string_view chunk = text_.substr(0, end);
      if (readable && !is_idle(chunk)) read_document(chunk, line);
      if (end == text_.size()) return std::move(reading_);
      line += static_cast<std::uint32_t>(std::count(chunk.begin(), chunk.end(), '\n'));
      const std::string_view separator = text_.substr(end, text_.find('\n', end) - end);
      readable = check_separator(separator, line);
      ++line;
      text_.remove_prefix(std::min(text_.size(), end + separator.size() + 1));
    }
  }

 private:
  [[nodiscard]] std::size_t next_separator() const {
    if (text_.starts_with(kSeparator)) return 0;
    const std::size_t found = text_.find("\n---");
    return found == std::string_view::npos ? text_.size() : found + 1;
  }

  bool check_separator(std::string_view separator, std::uint32_t line) {
    const std::string_view rest = trim(separator.substr(kSeparator.size()));
    if (rest.empty() || rest.front() == '#') return true;
    report(Severity::kError, {line, 1}, "invalid Yaml document separator: " + std::string(rest),
           "only a comment may follow '---' on its line; begin the document on the next");
    return false;
  }

  void read_document(std::string_view text, std::uint32_t first_line) {
    YamlParser parser(text, first_line);
    while (true) {
      const YamlEvent& event = parser.next();
      if (event.kind == YamlEvent::Kind::kStreamEnd) return;
      if (event.kind == YamlEvent::Kind::kDocumentStart) break;
      if (event.kind == YamlEvent::Kind::kError) return report(parser.problem());
    }
    std::optional<Value> value = YamlComposer(parser, file_, reading_.problems, equal_keys_, scalars_).compose();
    if (!value || !check_end(parser)) return;
    if (!value->is_null()) reading_.documents.push_back(std::move(*value));
  }

  /// kubectl reads what stands before a `...` and nothing after it.
  bool check_end(YamlParser& parser) {
    const bool written = parser.next().written;
    const YamlEvent& event = parser.next();
    if (event.kind == YamlEvent::Kind::kStreamEnd) return true;
    if (!written) {
      report(parser.problem());
      return false;
    }
    const Mark mark = event.kind == YamlEvent::Kind::kError ? parser.problem().mark : event.mark;
    report(Severity::kWarning, mark, "what follows '...' is not read", "begin a document with '---'");
    return true;
  }

  void report(const YamlProblem& problem) { report(Severity::kError, problem.mark, problem.message, problem.hint); }

  void report(Severity severity, Mark mark, std::string message, std::string hint) {
    Diagnostic problem;
    problem.severity = severity;
    problem.at = {file_, mark.line, mark.column};
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    reading_.problems.push_back(std::move(problem));
  }

  std::string_view text_;  // what is still to be read
  std::shared_ptr<const std::string> file_;
  EqualKeys equal_keys_;
  Scalars scalars_;
  Reading reading_;
};

}  // namespace

Reading read_yaml(std::string_view text, std::string file, EqualKeys equal_keys, Scalars scalars) {
  return StreamReader(text, std::move(file), equal_keys, scalars).read();
}

}  // namespace loadline::document
