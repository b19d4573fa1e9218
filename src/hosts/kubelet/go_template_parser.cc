#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "hosts/kubelet/go_template_tree.h"

namespace loadline::kubelet {
namespace {

using document::Value;
using TemplateNode = GoTemplate::Node;
using NodeKind = TemplateNode::Kind;

constexpr int kDeepest = 64;

/// The words of an action: names, ".a.b", "$x", "\"text\"", "(", ")", "|", ":=", ",".
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] bool is_done() const { return word_.empty(); }
  /// The word follows the one before without a space.
  [[nodiscard]] bool is_attached() const { return is_attached_; }
  [[nodiscard]] bool is_quoted() const { return is_quoted_; }

  void advance() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && kWhiteSpace.find(text_[at_]) != std::string_view::npos) ++at_;
    is_attached_ = begin == at_ && at_ > 0;
    is_quoted_ = false;
    word_.clear();
    if (at_ == text_.size()) return;
    const char first = text_[at_];
    if (first == '"' || first == '`') return read_quoted(first);
    if (text_.substr(at_).starts_with(":=")) return take(2);
    if (std::string_view("()|,=").find(first) != std::string_view::npos) return take(1);
    std::size_t end = at_ + 1;
    while (end < text_.size() && std::string_view(" \t\n\v\f\r()|,=:\"`").find(text_[end]) == std::string_view::npos)
      ++end;
    take(end - at_);
  }

 private:
  void take(std::size_t length) {
    word_ = text_.substr(at_, length);
    at_ += length;
  }
  /// With its quotes, so that it is never empty; an open one ends with the text.
  void read_quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' && quote == '"' ? 2 : 1;
    is_quoted_ = true;
    take(std::min(end + 1, text_.size()) - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool is_attached_ = false;
  bool is_quoted_ = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<TemplateNode>> run() {
    std::vector<TemplateNode> nodes;
    std::string end;
    if (auto read = read_nodes(nodes, end, 0); !read) return tl::unexpected(read.error());
    if (!end.empty()) return failure(fmt::format("{{{{ {} }}}} ends nothing", end));
    return nodes;
  }

 private:
  // ---- text and actions --------------------------------------------------------------------------------------------
  /// Reads until an action that ends or divides a block, which goes to `end`; empty: the text is over.
  Result<void> read_nodes(std::vector<TemplateNode>& nodes, std::string& end, int depth) {
    if (depth > kDeepest) return failure("blocks are nested too deeply");
    while (true) {
      std::string_view action;
      if (auto read = read_text(nodes, action); !read) return read;
      if (action.empty()) {
        end.clear();
        return {};
      }
      const std::string_view word = action.substr(0, action.find_first_of(kWhiteSpace));
      if (word == "end" || word == "else") {
        end = action;
        return {};
      }
      if (word.starts_with("/*")) continue;
      if (auto read = read_action(word, action, nodes, depth); !read) return read;
    }
  }

  /// Up to and with the next action, which is empty if there is none. An action of nothing counts as a comment.
  Result<void> read_text(std::vector<TemplateNode>& nodes, std::string_view& action) {
    action = {};
    const std::size_t open = text_.find("{{", at_);
    std::string_view before = text_.substr(at_, open == std::string_view::npos ? open : open - at_);
    if (trims_next_) before.remove_prefix(std::min(before.find_first_not_of(kWhiteSpace), before.size()));
    trims_next_ = false;
    const bool trims = open != std::string_view::npos && text_.substr(open + 2).starts_with("- ");
    if (trims) before = before.substr(0, before.find_last_not_of(kWhiteSpace) + 1);
    if (!before.empty()) {
      TemplateNode node;
      node.text = before;
      nodes.push_back(std::move(node));
    }
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return {};
    }
    const std::size_t close = end_of_action(open + 2);
    if (close == std::string_view::npos) return failure("a {{ without its }}");
    action = text_.substr(open + 2, close - open - 2);
    if (trims) action.remove_prefix(1);
    if (action.ends_with(" -")) {
      action.remove_suffix(1);
      trims_next_ = true;
    }
    action = trim(action);
    if (action.empty()) action = "/**/";
    at_ = close + 2;
    return {};
  }

  /// Where its "}}" is, outside of strings.
  [[nodiscard]] std::size_t end_of_action(std::size_t at) const {
    char quote = 0;
    for (; at + 1 < text_.size(); ++at) {
      const char letter = text_[at];
      if (quote != 0) {
        if (letter == '\\' && quote == '"') ++at;
        if (letter == quote) quote = 0;
      } else if (letter == '"' || letter == '`') {
        quote = letter;
      } else if (letter == '}' && text_[at + 1] == '}') {
        return at;
      }
    }
    return std::string_view::npos;
  }

  Result<void> read_action(std::string_view word, std::string_view action, std::vector<TemplateNode>& nodes,
                           int depth) {
    TemplateNode node;
    node.kind = word == "if"      ? NodeKind::kIf
                : word == "range" ? NodeKind::kRange
                : word == "with"  ? NodeKind::kWith
                                  : NodeKind::kPrint;
    if (node.kind != NodeKind::kPrint) action.remove_prefix(word.size());
    if (auto read = read_pipeline(action, node); !read) return read;
    if (node.kind == NodeKind::kPrint && !node.variables.empty()) node.kind = NodeKind::kAssign;
    const bool is_block = node.kind == NodeKind::kIf || node.kind == NodeKind::kRange || node.kind == NodeKind::kWith;
    if (is_block) {
      if (auto read = read_block(node, depth + 1); !read) return read;
    }
    nodes.push_back(std::move(node));
    return {};
  }

  Result<void> read_block(TemplateNode& node, int depth) {
    std::string end;
    if (auto read = read_nodes(node.body, end, depth); !read) return read;
    if (end == "else") {
      if (auto read = read_nodes(node.otherwise, end, depth); !read) return read;
    } else if (end.starts_with("else if")) {
      TemplateNode other;
      other.kind = NodeKind::kIf;
      if (auto read = read_pipeline(std::string_view(end).substr(7), other); !read) return read;
      if (depth > kDeepest) return failure("blocks are nested too deeply");
      if (auto read = read_block(other, depth + 1); !read) return read;
      node.otherwise.push_back(std::move(other));
      return {};
    }
    if (end != "end") return failure("a block without its {{ end }}");
    return {};
  }

  // ---- pipelines ---------------------------------------------------------------------------------------------------
  static Result<void> read_pipeline(std::string_view text, TemplateNode& node) {
    // "$x := …", "$i, $x := …"
    if (const std::size_t declares = text.find(":=");
        declares != std::string_view::npos && trim(text).starts_with('$')) {
      for (const std::string_view name : words(text.substr(0, declares), ", \t\n")) {
        if (!name.starts_with('$')) return failure(fmt::format("{:?} is no variable", name));
        node.variables.emplace_back(name.substr(1));
      }
      text.remove_prefix(declares + 2);
    }
    Words rest(text);
    if (auto read = read_pipe(rest, node.pipe, 0); !read) return read;
    if (!rest.is_done()) return failure(fmt::format("{:?} is not expected here", rest.word()));
    return {};
  }

  static Result<void> read_pipe(Words& rest, TemplatePipe& pipe, int depth) {
    if (depth > kDeepest) return failure("parentheses are nested too deeply");
    pipe.commands.emplace_back();
    while (!rest.is_done() && rest.word() != ")") {
      if (rest.word() == "|") {
        pipe.commands.emplace_back();
        rest.advance();
        continue;
      }
      if (auto read = read_term(rest, pipe.commands.back(), depth); !read) return read;
    }
    for (const auto& command : pipe.commands) {
      if (command.empty()) return failure("a command is missing");
    }
    return {};
  }

  static Result<void> read_term(Words& rest, std::vector<TemplateTerm>& command, int depth) {
    TemplateTerm term;
    const std::string word = rest.word();
    if (word == "(") {
      rest.advance();
      term.kind = TemplateTerm::Kind::kPipe;
      term.pipe.emplace_back();
      if (auto read = read_pipe(rest, term.pipe.back(), depth + 1); !read) return read;
      if (rest.word() != ")") return failure("a ( without its )");
      rest.advance();
      if (rest.is_attached() && rest.word().starts_with('.')) {
        term.fields = fields_of(rest.word());
        rest.advance();
      }
      command.push_back(std::move(term));
      return {};
    }
    if (rest.is_quoted()) {
      const Result<Value> text = read_string(word);
      if (!text) return tl::unexpected(text.error());
      term.kind = TemplateTerm::Kind::kLiteral;
      term.literal = *text;
    } else if (auto read = read_word(word, term); !read) {
      return read;
    }
    command.push_back(std::move(term));
    rest.advance();
    return {};
  }

  static Result<void> read_word(const std::string& word, TemplateTerm& term) {
    if (word.starts_with('.')) {
      term.fields = fields_of(word);
    } else if (word.starts_with('$')) {
      const std::size_t dot = word.find('.');
      term.kind = TemplateTerm::Kind::kVariable;
      term.name = word.substr(1, dot == std::string::npos ? dot : dot - 1);
      if (dot != std::string::npos) term.fields = fields_of(word.substr(dot));
    } else if (word == "true" || word == "false" || word == "nil") {
      term.kind = TemplateTerm::Kind::kLiteral;
      term.literal = word == "nil" ? Value() : Value(word == "true");
    } else if (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) {
      const document::Reading number = document::read_json("[" + word + "]", "template");
      const bool is_number = number.documents.size() == 1 && number.problems.empty() &&
                             number.documents[0].is_array() && number.documents[0].array().size() == 1 &&
                             number.documents[0].array()[0].is_number();
      if (!is_number) return failure(fmt::format("{:?} is no number", word));
      term.kind = TemplateTerm::Kind::kLiteral;
      term.literal = number.documents[0].array()[0];
    } else if (word.find_first_of("(),:=\"`") == std::string::npos) {
      term.kind = TemplateTerm::Kind::kFunction;
      term.name = word;
    } else {
      return failure(fmt::format("{:?} is not expected here", word));
    }
    return {};
  }

  static std::vector<std::string> fields_of(std::string_view text) {
    std::vector<std::string> fields;
    for (const std::string_view field : words(text, ".")) fields.emplace_back(field);
    return fields;
  }

  static Result<Value> read_string(const std::string& word) {
    if (word.size() < 2 || word.back() != word.front()) return failure(fmt::format("{} has no end", word));
    if (word.front() == '`') return Value(word.substr(1, word.size() - 2));
    const document::Reading text = document::read_json("[" + word + "]", "template");
    if (text.documents.size() != 1 || !text.documents[0].is_array() || text.documents[0].array().size() != 1) {
      return failure(fmt::format("{} is no string", word));
    }
    return text.documents[0].array()[0];
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool trims_next_ = false;
};

}  // namespace

Result<GoTemplate> GoTemplate::parse(std::string_view text) {
  Result<std::vector<TemplateNode>> nodes = Parser(text).run();
  if (!nodes) return tl::unexpected(nodes.error());
  GoTemplate parsed;
  parsed.nodes_ = std::make_shared<const std::vector<TemplateNode>>(std::move(*nodes));
  return parsed;
}

}  // namespace loadline::kubelet
