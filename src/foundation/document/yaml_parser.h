#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

/// One step of a YAML text. Views live until the next step.
struct YamlEvent {
  enum class Kind : std::uint8_t {
    kStreamStart,
    kStreamEnd,
    kDocumentStart,
    kDocumentEnd,
    kAlias,
    kScalar,
    kSequenceStart,
    kSequenceEnd,
    kMappingStart,
    kMappingEnd,
    kError,  ///< the text is no YAML: see YamlParser::problem; no step follows
  };

  Kind kind = Kind::kError;
  Mark mark;
  std::string_view anchor;  ///< of an alias: what it refers to
  std::string_view tag;     ///< in full; empty if there is none
  std::string_view text;    ///< of a scalar
  bool written = false;     ///< the end of the document is written out, as `...`
  bool plain = false;       ///< the scalar is to be resolved by its looks: not quoted, or tagged `!`
};

/// What libyaml found wrong.
struct YamlProblem {
  Mark mark;
  std::string message;
  std::string hint;
};

/// The events of a text that is part of a file. It is the only place that knows libyaml's reader, which looks at all
/// brackets that are open for each token: a long text in many of them is refused before that costs seconds.
class YamlParser {
 public:
  /// `text` must outlive the parser; its first line is `first_line` of the file.
  YamlParser(std::string_view text, std::uint32_t first_line);
  ~YamlParser();
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;

  const YamlEvent& next();
  [[nodiscard]] YamlProblem problem() const;
  /// The same as go-yaml, a translation of libyaml, words it: `line 3: found a tab character that violates
  /// indentation`.
  [[nodiscard]] std::string go_words() const;

 private:
  struct Library;
  [[nodiscard]] bool count_brackets();
  std::unique_ptr<Library> library_;
  std::string_view text_;
  std::uint32_t first_line_;
  YamlEvent event_;
  std::size_t open_brackets_ = 0;
  std::size_t looked_at_ = 0;  // open brackets, over all tokens
  bool is_too_nested_ = false;
};

}  // namespace loadline::document
