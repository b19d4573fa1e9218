#include "foundation/document/yaml_parser.h"

#include <yaml.h>

#include <algorithm>

#include "foundation/document/text_cursor.h"

namespace loadline::document {
namespace {

// Documents have some ten open brackets at a token, and a token in some ten bytes.
constexpr std::size_t kMostBracketsPerByte = 16;
constexpr std::size_t kFewBrackets = 4'000'000;
constexpr const char* kTooNested = "so much stands in so many brackets that it is not read";

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : std::string_view(reinterpret_cast<const char*>(text));
}

Mark mark_of(const yaml_mark_t& mark, std::uint32_t first_line) {
  return Mark{static_cast<std::uint32_t>(mark.line) + first_line, static_cast<std::uint32_t>(mark.column) + 1};
}

YamlEvent::Kind kind_of(yaml_event_type_t type) {
  switch (type) {
    case YAML_STREAM_START_EVENT:
      return YamlEvent::Kind::kStreamStart;
    case YAML_NO_EVENT:
    case YAML_STREAM_END_EVENT:
      return YamlEvent::Kind::kStreamEnd;
    case YAML_DOCUMENT_START_EVENT:
      return YamlEvent::Kind::kDocumentStart;
    case YAML_DOCUMENT_END_EVENT:
      return YamlEvent::Kind::kDocumentEnd;
    case YAML_ALIAS_EVENT:
      return YamlEvent::Kind::kAlias;
    case YAML_SCALAR_EVENT:
      return YamlEvent::Kind::kScalar;
    case YAML_SEQUENCE_START_EVENT:
      return YamlEvent::Kind::kSequenceStart;
    case YAML_SEQUENCE_END_EVENT:
      return YamlEvent::Kind::kSequenceEnd;
    case YAML_MAPPING_START_EVENT:
      return YamlEvent::Kind::kMappingStart;
    case YAML_MAPPING_END_EVENT:
      return YamlEvent::Kind::kMappingEnd;
  }
  return YamlEvent::Kind::kError;
}

/// What to write instead, for the mistakes that people make most.
std::string hint_for(std::string_view problem, std::string_view context) {
  if (problem == "found character that cannot start any token") {
    return "indent with spaces, not tabs; quote a string that begins with '@', '`' or '%'";
  }
  if (problem == "mapping values are not allowed in this context") {
    return "quote a string that contains ': ', or check the indentation of this line";
  }
  if (problem == "could not find expected ':'") return "write 'key: value', and check the indentation";
  if (problem == "did not find expected key") return "check the indentation of this line and the one before it";
  if (problem == "did not find expected '-' indicator") {
    return "begin each item of the list with '- ' at the same column";
  }
  if (problem == "did not find expected <document start>") {
    return "what stands above is complete by itself: leave out lines that are no YAML, such as shell commands, and "
           "separate documents with '---'";
  }
  if (problem == "found unexpected end of stream" && context == "while scanning a quoted scalar") {
    return "close the quote";
  }
  if (problem.find("UTF-8") != std::string_view::npos) return "save the file as UTF-8";
  return {};
}

}  // namespace

struct YamlParser::Library {
  yaml_parser_t parser{};
  yaml_event_t event{};
};

YamlParser::YamlParser(std::string_view text, std::uint32_t first_line)
    : library_(std::make_unique<Library>()), text_(text), first_line_(first_line) {
  // Fails only when out of memory; the first step then reports it.
  if (yaml_parser_initialize(&library_->parser) == 0) return;
  yaml_parser_set_encoding(&library_->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&library_->parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlParser::~YamlParser() {
  yaml_event_delete(&library_->event);
  yaml_parser_delete(&library_->parser);
}

const YamlEvent& YamlParser::next() {
  yaml_event_t& source = library_->event;
  yaml_event_delete(&source);
  event_ = YamlEvent{};
  if (is_too_nested_ || library_->parser.error != YAML_NO_ERROR) return event_;
  if (yaml_parser_parse(&library_->parser, &source) == 0) return event_;
  if (!count_brackets()) return event_;
  event_.kind = kind_of(source.type);
  event_.mark = mark_of(source.start_mark, first_line_);
  switch (source.type) {
    case YAML_ALIAS_EVENT:
      event_.anchor = view(source.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT:
      event_.anchor = view(source.data.scalar.anchor);
      event_.tag = view(source.data.scalar.tag);
      event_.text =
          std::string_view(reinterpret_cast<const char*>(source.data.scalar.value), source.data.scalar.length);
      event_.plain = source.data.scalar.plain_implicit != 0;
      break;
    case YAML_DOCUMENT_END_EVENT:
      event_.written = source.data.document_end.implicit == 0;
      break;
    case YAML_SEQUENCE_START_EVENT:
      event_.anchor = view(source.data.sequence_start.anchor);
      break;
    case YAML_MAPPING_START_EVENT:
      event_.anchor = view(source.data.mapping_start.anchor);
      break;
    default:
      break;
  }
  return event_;
}

/// False: there are too many.
bool YamlParser::count_brackets() {
  const yaml_event_t& event = library_->event;
  const bool opens =
      (event.type == YAML_SEQUENCE_START_EVENT && event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) ||
      (event.type == YAML_MAPPING_START_EVENT && event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
  const bool closes = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
  if (opens) ++open_brackets_;
  // Within brackets all collections are in brackets.
  if (closes && open_brackets_ > 0) --open_brackets_;
  looked_at_ += open_brackets_;
  is_too_nested_ = looked_at_ > kFewBrackets + kMostBracketsPerByte * text_.size();
  return !is_too_nested_;
}

YamlProblem YamlParser::problem() const {
  const yaml_parser_t& parser = library_->parser;
  if (is_too_nested_) {
    return {mark_of(library_->event.start_mark, first_line_), kTooNested, "write it with fewer levels of nesting"};
  }
  const std::string_view what = parser.problem == nullptr ? "out of memory" : parser.problem;
  const std::string_view context = parser.context == nullptr ? "" : parser.context;
  YamlProblem problem;
  problem.message = what;
  problem.hint = hint_for(what, context);
  if (parser.error == YAML_READER_ERROR) {
    // The scanner may stand far behind the reader: its mark says nothing here.
    problem.mark = TextCursor(text_).advance(std::min(parser.problem_offset, text_.size()));
    problem.mark.line += first_line_ - 1;
    return problem;
  }
  problem.mark = mark_of(parser.problem_mark, first_line_);
  if (!context.empty()) {
    const Mark began = mark_of(parser.context_mark, first_line_);
    problem.message += " " + std::string(context);
    if (began != problem.mark) {
      problem.message += " that began at " + std::to_string(began.line) + ":" + std::to_string(began.column);
    }
  }
  return problem;
}

std::string YamlParser::go_words() const {
  if (is_too_nested_) return kTooNested;
  const yaml_parser_t& parser = library_->parser;
  std::size_t line = parser.context_mark.line;
  if (parser.problem_mark.line != 0) {
    // The scanner's marks count lines from 0, while those of the parser stand behind the token.
    line = parser.problem_mark.line + (parser.error == YAML_SCANNER_ERROR ? 1 : 0);
  }
  const std::string_view what = parser.problem == nullptr ? "unknown problem parsing YAML content" : parser.problem;
  return (line == 0 ? std::string() : "line " + std::to_string(line) + ": ") + std::string(what);
}

}  // namespace loadline::document
