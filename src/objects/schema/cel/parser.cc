#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "objects/schema/cel/syntax.h"
#include "objects/schema/cel/token.h"

namespace loadline::schema::cel {
namespace {

using Kind = Expression::Kind;
using NodePointer = std::unique_ptr<Expression>;

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxBytes = 100'000;

constexpr std::array<std::string_view, 7> kRelations{"==", "!=", "<=", ">=", "<", ">", "in"};
constexpr std::array<std::string_view, 2> kSums{"+", "-"};
constexpr std::array<std::string_view, 3> kProducts{"*", "/", "%"};
constexpr std::array<std::string_view, 6> kLoops{"all", "exists", "exists_one", "existsOne", "map", "filter"};

NodePointer make(Kind kind, std::string name = {}) {
  auto node = std::make_unique<Expression>();
  node->kind = kind;
  node->name = std::move(name);
  return node;
}

NodePointer call(std::string name, NodePointer first, NodePointer second = nullptr) {
  NodePointer node = make(Kind::kCall, std::move(name));
  node->operands.push_back(std::move(first));
  if (second != nullptr) node->operands.push_back(std::move(second));
  return node;
}

/// Recursive descent. Every step returns null after a mistake, which is then in `error_`.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  Result<NodePointer> parse() {
    NodePointer node = parse_expression();
    if (node != nullptr && token_.kind != Token::Kind::kEnd) node = unexpected();
    if (node == nullptr) return failure(std::move(error_));
    return node;
  }

 private:
  /// Counts levels; false if there are too many.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    [[nodiscard]] bool is_fine() const { return parser_.depth_ <= kMaxDepth; }

   private:
    Parser& parser_;
  };

  NodePointer fail(std::string message) {
    if (error_.empty()) error_ = fmt::format("{}:{}: Syntax error: {}", token_.line, token_.column, message);
    return nullptr;
  }

  NodePointer unexpected() {
    if (token_.kind == Token::Kind::kBad) return fail(token_.text);
    if (token_.kind == Token::Kind::kEnd) return fail("unexpected end of the expression");
    return fail(fmt::format("mismatched input '{}'", token_.text));
  }

  void advance() { token_ = lexer_.next(); }

  [[nodiscard]] bool sees(std::string_view sign) const {
    return token_.kind == Token::Kind::kSign && token_.text == sign;
  }

  bool take(std::string_view sign) {
    if (!sees(sign)) return false;
    advance();
    return true;
  }

  bool want(std::string_view sign) {
    if (take(sign)) return true;
    unexpected();
    return false;
  }

  NodePointer parse_expression() {
    const Level level(*this);
    if (!level.is_fine()) return fail("expression is nested too deeply");
    NodePointer condition = parse_or();
    if (condition == nullptr || !take("?")) return condition;
    NodePointer yes = parse_or();
    if (yes == nullptr || !want(":")) return nullptr;
    NodePointer no = parse_expression();
    if (no == nullptr) return nullptr;
    NodePointer node = call("?:", std::move(condition), std::move(yes));
    node->operands.push_back(std::move(no));
    return node;
  }

  NodePointer parse_or() {
    return parse_chain("||", [this] { return parse_and(); });
  }
  NodePointer parse_and() {
    return parse_chain("&&", [this] { return parse_relation(); });
  }

  /// a op b op c, as one flat node: long conjunctions are common, and must not nest.
  template <class Part>
  NodePointer parse_chain(std::string_view sign, const Part& part) {
    NodePointer first = part();
    if (first == nullptr || !sees(sign)) return first;
    NodePointer chain = call(std::string(sign), std::move(first));
    while (take(sign)) {
      NodePointer next = part();
      if (next == nullptr) return nullptr;
      chain->operands.push_back(std::move(next));
    }
    return chain;
  }

  template <std::size_t kCount, class Part>
  NodePointer parse_left(const std::array<std::string_view, kCount>& signs, const Part& part) {
    NodePointer left = part();
    for (int length = 0; left != nullptr; ++length) {
      const std::string_view* found = nullptr;
      for (const std::string_view& sign : signs) {
        if (sees(sign) || (sign == "in" && token_.kind == Token::Kind::kName && token_.text == "in")) found = &sign;
      }
      if (found == nullptr) return left;
      if (length == kMaxDepth) return fail("expression is nested too deeply");
      advance();
      NodePointer right = part();
      if (right == nullptr) return nullptr;
      left = call(std::string(*found), std::move(left), std::move(right));
    }
    return left;
  }

  NodePointer parse_relation() {
    return parse_left(kRelations, [this] {
      return parse_left(kSums, [this] { return parse_left(kProducts, [this] { return parse_unary(); }); });
    });
  }

  NodePointer parse_unary() {
    for (const std::string_view sign : {"!", "-"}) {
      if (!sees(sign)) continue;
      int count = 0;
      while (take(sign)) ++count;
      if (sign == "-" && token_.kind == Token::Kind::kNumber && count % 2 == 1) {
        token_.text.insert(token_.text.begin(), '-');
        return parse_member();
      }
      NodePointer operand = parse_member();
      if (operand == nullptr) return nullptr;
      // Two of a kind cancel out, but still want an operand of the right type.
      const int needed = count % 2 == 1 ? 1 : 2;
      for (int i = 0; i < needed; ++i) operand = call(sign == "!" ? "!" : "negate", std::move(operand));
      return operand;
    }
    return parse_member();
  }

  NodePointer parse_member() {
    NodePointer node = parse_primary();
    for (int length = 0; node != nullptr; ++length) {
      if (length > kMaxDepth) return fail("expression is nested too deeply");
      if (take(".")) {
        node = parse_selection(std::move(node));
      } else if (take("[")) {
        NodePointer index = make(Kind::kIndex);
        index->is_optional = take("?");
        NodePointer at = parse_expression();
        if (at == nullptr || !want("]")) return nullptr;
        index->operands.push_back(std::move(node));
        index->operands.push_back(std::move(at));
        node = std::move(index);
      } else {
        return node;
      }
    }
    return node;
  }

  NodePointer parse_selection(NodePointer target) {
    const bool is_optional = take("?");
    if (token_.kind != Token::Kind::kName) return unexpected();
    std::string name = token_.text;
    advance();
    if (is_optional || !sees("(")) {
      NodePointer select = make(Kind::kSelect, std::move(name));
      select->is_optional = is_optional;
      select->operands.push_back(std::move(target));
      return select;
    }
    advance();
    std::vector<NodePointer> arguments;
    if (!parse_list(")", arguments)) return nullptr;
    return method(std::move(target), std::move(name), std::move(arguments));
  }

  /// A method, or one of the macros that look like one.
  NodePointer method(NodePointer target, std::string name, std::vector<NodePointer> arguments) {
    const bool takes_variable = !arguments.empty() && arguments[0]->kind == Kind::kIdentifier;
    const bool is_loop = std::find(kLoops.begin(), kLoops.end(), name) != kLoops.end() &&
                         (arguments.size() == 2 || (name == "map" && arguments.size() == 3));
    const bool is_optional_map = (name == "optMap" || name == "optFlatMap") && arguments.size() == 2;
    const bool is_bind =
        name == "bind" && arguments.size() == 3 && target->kind == Kind::kIdentifier && target->name == "cel";
    if (is_loop || is_optional_map || is_bind) {
      if (!takes_variable) return fail("argument must be a simple name");
      NodePointer node = make(is_loop   ? Kind::kLoop
                              : is_bind ? Kind::kBind
                                        : Kind::kOptionalMap,
                              name == "existsOne" ? "exists_one" : std::move(name));
      node->variable = arguments[0]->name;
      if (!is_bind) node->operands.push_back(std::move(target));
      for (std::size_t i = 1; i < arguments.size(); ++i) node->operands.push_back(std::move(arguments[i]));
      return node;
    }
    // What looks like a method of `sets` or `optional` is a function of that name.
    const bool is_namespaced = target->kind == Kind::kIdentifier &&
                               (target->name == "sets" || target->name == "optional" || target->name == "math");
    NodePointer node = make(Kind::kCall, is_namespaced ? target->name + '.' + name : std::move(name));
    node->is_method = !is_namespaced;
    if (!is_namespaced) node->operands.push_back(std::move(target));
    for (NodePointer& argument : arguments) node->operands.push_back(std::move(argument));
    return node;
  }

  NodePointer parse_primary() {
    const Level level(*this);
    if (!level.is_fine()) return fail("expression is nested too deeply");
    if (take("(")) {
      NodePointer inner = parse_expression();
      return inner != nullptr && want(")") ? std::move(inner) : nullptr;
    }
    if (take("[")) {
      NodePointer list = make(Kind::kList);
      return parse_list("]", list->operands) ? std::move(list) : nullptr;
    }
    if (take("{")) return parse_map();
    take(".");  // a name of the root scope
    switch (token_.kind) {
      case Token::Kind::kName:
        return parse_name();
      case Token::Kind::kNumber:
        return parse_number();
      case Token::Kind::kString:
        return literal(Value(std::move(token_.text)));
      case Token::Kind::kBytes:
        return literal(Value(Bytes{std::move(token_.text)}));
      default:
        return unexpected();
    }
  }

  NodePointer literal(Value value) {
    NodePointer node = make(Kind::kLiteral);
    node->literal = std::move(value);
    advance();
    return node;
  }

  NodePointer parse_name() {
    if (token_.text == "true" || token_.text == "false") return literal(Value(token_.text == "true"));
    if (token_.text == "null") return literal(Value());
    if (token_.text == "in") return unexpected();
    std::string name = token_.text;
    advance();
    if (!take("(")) return make(Kind::kIdentifier, std::move(name));
    std::vector<NodePointer> arguments;
    if (!parse_list(")", arguments)) return nullptr;
    if (name == "has") return presence(std::move(arguments));
    NodePointer node = make(Kind::kCall, std::move(name));
    node->operands = std::move(arguments);
    return node;
  }

  NodePointer presence(std::vector<NodePointer> arguments) {
    if (arguments.size() != 1 || arguments[0]->kind != Kind::kSelect || arguments[0]->is_optional) {
      return fail("invalid argument to has() macro");
    }
    arguments[0]->kind = Kind::kHas;
    return std::move(arguments[0]);
  }

  bool parse_list(std::string_view end, std::vector<NodePointer>& elements) {
    while (!take(end)) {
      const bool is_optional = end == "]" && take("?");
      NodePointer element = parse_expression();
      if (element == nullptr) return false;
      if (is_optional) element->is_optional = true;
      elements.push_back(std::move(element));
      if (!sees(end) && !want(",")) return false;
    }
    return true;
  }

  NodePointer parse_map() {
    NodePointer map = make(Kind::kMap);
    while (!take("}")) {
      NodePointer key = parse_expression();
      if (key == nullptr || !want(":")) return nullptr;
      NodePointer value = parse_expression();
      if (value == nullptr) return nullptr;
      map->operands.push_back(std::move(key));
      map->operands.push_back(std::move(value));
      if (!sees("}") && !want(",")) return nullptr;
    }
    return map;
  }

  NodePointer parse_number() {
    std::string_view digits = token_.text;
    const bool is_unsigned = digits.ends_with('u') || digits.ends_with('U');
    if (is_unsigned) digits.remove_suffix(1);
    const bool is_negative = digits.starts_with('-');
    const std::string_view magnitude = digits.substr(is_negative ? 1 : 0);
    const bool is_hexadecimal = magnitude.starts_with("0x") || magnitude.starts_with("0X");
    if (!is_hexadecimal && magnitude.find_first_of(".eE") != std::string_view::npos) {
      return literal(Value(std::strtod(std::string(digits).c_str(), nullptr)));
    }
    std::uint64_t number = 0;
    const std::string_view plain = is_hexadecimal ? magnitude.substr(2) : magnitude;
    const auto [end, error] =
        std::from_chars(plain.data(), plain.data() + plain.size(), number, is_hexadecimal ? 16 : 10);
    if (error != std::errc() || end != plain.data() + plain.size()) return fail("invalid int literal");
    if (is_unsigned) return literal(Value(number));
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (number > kMax + (is_negative ? 1 : 0)) return fail("invalid int literal");
    return literal(Value(static_cast<std::int64_t>(is_negative ? ~number + 1 : number)));
  }

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

Result<std::unique_ptr<Expression>> parse(std::string_view text) {
  if (text.size() > kMaxBytes) return failure("expression is too long");
  return Parser(text).parse();
}

}  // namespace loadline::schema::cel
