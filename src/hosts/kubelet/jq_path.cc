#include "hosts/kubelet/jq_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/document/writer.h"

namespace loadline::kubelet {

using document::Value;

class JqPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JqPath> run() {
    JqPath path;
    do {
      if (auto read = starts_with("select") ? read_select(path.steps_) : read_path(path.steps_); !read) {
        return tl::unexpected(read.error());
      }
    } while (accept('|'));
    skip_space();
    if (at_ != text_.size()) return unreadable();
    return path;
  }

 private:
  tl::unexpected<Error> unreadable() const {
    return failure(fmt::format("{:?} is not understood from column {} on", text_, at_ + 1));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool starts_with(std::string_view word) {
    skip_space();
    return text_.substr(at_).starts_with(word);
  }
  bool accept(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }

  /// "text", with backslashes before what they protect.
  Result<std::string> read_text() {
    std::string content;
    if (!accept('"')) return unreadable();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      content += text_[at_++];
    }
    if (at_ == text_.size()) return unreadable();
    ++at_;
    return content;
  }

  Result<void> read_path(std::vector<Step>& steps) {
    if (!starts_with(".")) return unreadable();
    while (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '[')) {
      if (text_[at_] == '.') ++at_;
      if (at_ < text_.size() && text_[at_] == '[') {
        if (auto read = read_bracket(steps); !read) return read;
      } else if (const std::string name = read_name(); !name.empty()) {
        steps.push_back({Step::Kind::kMember, name, {}, true});
      }
    }
    return {};
  }

  std::string read_name() {
    const std::size_t begin = at_;
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<void> read_bracket(std::vector<Step>& steps) {
    accept('[');
    if (accept(']')) {
      steps.push_back({Step::Kind::kEach, "", {}, true});
      return {};
    }
    const Result<std::string> name = read_text();
    if (!name) return tl::unexpected(name.error());
    if (!accept(']')) return unreadable();
    steps.push_back({Step::Kind::kMember, *name, {}, true});
    return {};
  }

  Result<void> read_select(std::vector<Step>& steps) {
    Step step{Step::Kind::kSelect, "", {}, true};
    if (!accept("select") || !accept('(')) return unreadable();
    if (auto read = read_path(step.condition); !read) return read;
    if (accept("!=")) {
      step.is_equal = false;
    } else if (!accept("==")) {
      return unreadable();
    }
    const Result<std::string> wanted = read_text();
    if (!wanted) return tl::unexpected(wanted.error());
    step.name = *wanted;
    if (!accept(')')) return unreadable();
    steps.push_back(std::move(step));
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<JqPath> JqPath::parse(std::string_view text) { return Parser(text).run(); }

std::vector<Value> JqPath::evaluate(const Value& document) const { return walk(steps_, {document}); }

std::vector<Value> JqPath::walk(const std::vector<Step>& steps, std::vector<Value> values) {
  for (const Step& step : steps) {
    std::vector<Value> next;
    for (const Value& value : values) {
      if (step.kind == Step::Kind::kSelect) {
        const std::vector<Value> found = walk(step.condition, {value});
        const bool is_equal = found.size() == 1 && plain_text(found.front()) == step.name;
        if (is_equal == step.is_equal) next.push_back(value);
      } else if (step.kind == Step::Kind::kMember) {
        if (const Value* member = value.find(step.name)) next.push_back(*member);
      } else if (value.is_array()) {
        next.insert(next.end(), value.array().begin(), value.array().end());
      } else if (value.is_object()) {
        for (const document::Member& member : value.object()) next.push_back(member.value);
      }
    }
    values = std::move(next);
  }
  std::erase_if(values, [](const Value& value) { return value.is_null(); });
  return values;
}

std::string plain_text(const Value& value) { return value.is_string() ? value.string() : document::write_json(value); }

}  // namespace loadline::kubelet
