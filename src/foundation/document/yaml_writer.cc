#include <yaml.h>

#include <cmath>
#include <cstdint>

#include "foundation/document/number.h"
#include "foundation/document/utf8.h"
#include "foundation/document/visible_text.h"
#include "foundation/document/writer.h"
#include "foundation/document/yaml_scalar.h"

namespace loadline::document {
namespace {

int append(void* text, unsigned char* bytes, std::size_t size) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
  return 1;
}

/// Drives libyaml's emitter, whose layout go-yaml v2, and so kubectl, shares.
/// The only failures left are those of memory; after one, nothing more is written.
class YamlWriter {
 public:
  YamlWriter() {
    good_ = yaml_emitter_initialize(&emitter_) != 0;
    if (!good_) return;
    yaml_emitter_set_output(&emitter_, append, &text_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_event_t event{};
    emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event);
    emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), event);
  }

  ~YamlWriter() { yaml_emitter_delete(&emitter_); }
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;

  void write(const Value& value) {
    yaml_event_t event{};
    if (value.is_object()) {
      emit(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE), event);
      for (const Member& member : value.object()) {
        write_key(member.key);
        write(member.value);
      }
      emit(yaml_mapping_end_event_initialize(&event), event);
    } else if (value.is_array()) {
      emit(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE), event);
      for (const Value& element : value.array()) write(element);
      emit(yaml_sequence_end_event_initialize(&event), event);
    } else if (value.is_string()) {
      write_string(value.string());
    } else {
      write_scalar(plain_text(value), YAML_PLAIN_SCALAR_STYLE);
    }
  }

  std::string take() {
    yaml_event_t event{};
    emit(yaml_document_end_event_initialize(&event, 1), event);
    emit(yaml_stream_end_event_initialize(&event), event);
    if (good_) yaml_emitter_flush(&emitter_);
    // libyaml closes a document that ends in a block scalar with kept line ends; go-yaml does not.
    constexpr std::string_view kEnd = "\n...\n";
    if (text_.ends_with(kEnd)) text_.resize(text_.size() - kEnd.size() + 1);
    return std::move(text_);
  }

 private:
  void emit(int initialized, yaml_event_t& event) {
    // The emitter takes the event over, whether it succeeds or not.
    if (good_) {
      good_ = initialized != 0 && yaml_emitter_emit(&emitter_, &event) != 0;
    } else if (initialized != 0) {
      yaml_event_delete(&event);
    }
  }

  void write_key(std::string_view key) {
    // Unquoted it would be read as a merge key. go-yaml forgets this.
    if (key == "<<") return write_scalar(key, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    write_string(key);
  }

  void write_string(std::string_view text) {
    if (valid_utf8_prefix(text) < text.size()) return write_string(to_valid_utf8(text));
    // The emitter writes these two line ends of YAML unescaped, and then indents what it takes for a new line.
    const bool has_line_end =
        text.find("\u2028") != std::string_view::npos || text.find("\u2029") != std::string_view::npos;
    // Only within quotes can what is not visible be told by its number, by the emitter or on the way to a terminal.
    if (has_line_end || visible_prefix(text) < text.size()) {
      return write_scalar(text, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    }
    if (text.find('\n') != std::string_view::npos) return write_scalar(text, YAML_LITERAL_SCALAR_STYLE);
    write_scalar(text, is_ambiguous(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
  }

  void write_scalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event{};
    emit(yaml_scalar_event_initialize(&event, nullptr, nullptr, reinterpret_cast<const yaml_char_t*>(text.data()),
                                      static_cast<int>(text.size()), 1, 1, style),
         event);
  }

  static std::string plain_text(const Value& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return value.boolean() ? "true" : "false";
    if (value.is_integer()) return std::to_string(value.integer());
    // Upstream writes JSON and reads that as YAML: a float without a fraction has become an integer on the way.
    std::string json = format_number(value.number());
    const bool integral = json.find_first_not_of("-0123456789") == std::string::npos;
    return integral && std::fabs(value.number()) < 18446744073709551616.0 ? json : format_general(value.number());
  }

  yaml_emitter_t emitter_{};
  std::string text_;
  bool good_ = false;
};

}  // namespace

std::string write_yaml(const Value& value) {
  YamlWriter writer;
  writer.write(value);
  return writer.take();
}

}  // namespace loadline::document
