#include "hosts/kubelet/go_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "hosts/kubelet/go_template_tree.h"

namespace loadline::kubelet {
namespace {

using document::Value;
using Arguments = std::vector<Value>;
using NodeKind = GoTemplate::Node::Kind;
using Functions = GoTemplate::Functions;

constexpr std::size_t kMostOutput = 1 << 20;
constexpr std::size_t kMostSteps = 1'000'000;

/// As `if` judges: null, false, zero and what is empty do not count.
bool is_true(const Value& value) {
  if (value.is_boolean()) return value.boolean();
  if (value.is_number()) return value.number() != 0;
  if (value.is_string()) return !value.string().empty();
  if (value.is_array()) return !value.array().empty();
  if (value.is_object()) return !value.object().empty();
  return false;
}

std::string printed(const Value& value) {
  if (value.is_null()) return "<no value>";
  return value.is_string() ? value.string() : document::write_json(value);
}

Result<Value> index(const Arguments& arguments) {
  Value value = arguments.at(0);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const Value& key = arguments[i];
    if (key.is_integer() && value.is_array()) {
      const auto size = static_cast<std::int64_t>(value.array().size());
      value = key.integer() >= 0 && key.integer() < size ? Value(value.array()[static_cast<std::size_t>(key.integer())])
                                                         : Value();
    } else if (key.is_string() && value.is_object()) {
      const Value* member = value.find(key.string());
      value = member == nullptr ? Value() : Value(*member);
    } else {
      value = Value();
    }
  }
  return value;
}

Result<Value> length(const Arguments& arguments) {
  const Value& value = arguments.at(0);
  std::size_t size = 0;
  if (value.is_array()) size = value.array().size();
  if (value.is_object()) size = value.object().size();
  if (value.is_string()) size = value.string().size();
  return Value(static_cast<std::int64_t>(size));
}

/// -1, 0 or 1; nothing: they cannot be compared.
std::optional<int> order(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number() ? -1 : a.number() > b.number() ? 1 : 0;
  if (a.is_string() && b.is_string()) return a.string() < b.string() ? -1 : a.string() > b.string() ? 1 : 0;
  return std::nullopt;
}

std::string quoted(const Value& value) {
  std::string text;
  document::append_json(text, std::string_view(value.is_null() ? "" : printed(value)));
  return text;
}

/// Nothing: there is no such function. At least `least` arguments are there.
std::optional<Result<Value>> call_built_in(std::string_view name, const Arguments& arguments) {
  const auto count = arguments.size();
  const auto needs = [&](std::size_t least) { return count >= least; };
  if (name == "and" || name == "or") {
    if (!needs(1)) return failure(fmt::format("{} needs an argument", name));
    const auto decides = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Value& value) { return is_true(value) == (name == "or"); });
    return decides == arguments.end() ? arguments.back() : *decides;
  }
  static constexpr std::string_view kOne[] = {"not", "len", "index", "Quote"};
  static constexpr std::string_view kTwo[] = {"eq", "ne", "lt", "le", "gt", "ge", "default"};
  const bool takes_one = std::find(std::begin(kOne), std::end(kOne), name) != std::end(kOne);
  const bool takes_two = std::find(std::begin(kTwo), std::end(kTwo), name) != std::end(kTwo);
  if (!takes_one && !takes_two) return std::nullopt;
  if (!needs(takes_two ? 2 : 1)) return failure(fmt::format("{} needs more arguments", name));
  if (name == "not") return Value(!is_true(arguments[0]));
  if (name == "len") return length(arguments);
  if (name == "index") return index(arguments);
  if (name == "Quote") return Value(quoted(arguments[0]));
  if (name == "default") return is_true(arguments[1]) ? arguments[1] : arguments[0];
  if (name == "eq") {
    return Value(std::any_of(arguments.begin() + 1, arguments.end(),
                             [&](const Value& other) { return document::same_document(arguments[0], other); }));
  }
  if (name == "ne") return Value(!document::same_document(arguments[0], arguments[1]));
  const std::optional<int> ordered = order(arguments[0], arguments[1]);
  if (!ordered) {
    return failure(
        fmt::format("{} cannot compare {} with {}", name, arguments[0].type_name(), arguments[1].type_name()));
  }
  if (name == "lt") return Value(*ordered < 0);
  if (name == "le") return Value(*ordered <= 0);
  return Value(name == "gt" ? *ordered > 0 : *ordered >= 0);
}

class Executor {
 public:
  Executor(const Value& data, const Functions& functions) : functions_(functions) { variables_.emplace_back("", data); }

  Result<void> run(const std::vector<GoTemplate::Node>& nodes, const Value& dot) {
    const std::size_t scope = variables_.size();
    for (const GoTemplate::Node& node : nodes) {
      if (auto done = run(node, dot); !done) return done;
      if (output_.size() > kMostOutput) return failure("the output is longer than 1 MiB");
      if (++steps_ > kMostSteps) return failure("it takes too many steps");
    }
    variables_.resize(std::min(scope, variables_.size()));
    return {};
  }

  std::string output_;

 private:
  Result<void> run(const GoTemplate::Node& node, const Value& dot) {
    if (node.kind == NodeKind::kText) {
      output_ += node.text;
      return {};
    }
    Result<Value> value = evaluate(node.pipe, dot);
    if (!value) return tl::unexpected(value.error());
    switch (node.kind) {
      case NodeKind::kAssign:
        variables_.emplace_back(node.variables.front(), *value);
        return {};
      case NodeKind::kRange:
        return repeat(node, *value, dot);
      case NodeKind::kIf:
      case NodeKind::kWith:
        return choose(node, *value, dot);
      default:
        output_ += printed(*value);
        return {};
    }
  }

  Result<void> choose(const GoTemplate::Node& node, const Value& value, const Value& dot) {
    const std::size_t scope = variables_.size();
    if (!node.variables.empty()) variables_.emplace_back(node.variables.front(), value);
    const bool holds = is_true(value);
    Result<void> done = run(holds ? node.body : node.otherwise, holds && node.kind == NodeKind::kWith ? value : dot);
    variables_.resize(scope);
    return done;
  }

  Result<void> repeat(const GoTemplate::Node& node, const Value& value, const Value& dot) {
    std::vector<std::pair<Value, Value>> elements;
    if (value.is_array()) {
      for (const Value& element : value.array())
        elements.emplace_back(static_cast<std::int64_t>(elements.size()), element);
    } else if (value.is_object()) {
      for (const document::Member& member : value.object()) elements.emplace_back(Value(member.key), member.value);
      std::sort(elements.begin(), elements.end(),
                [](const auto& a, const auto& b) { return a.first.string() < b.first.string(); });
    }
    if (elements.empty()) return run(node.otherwise, dot);
    for (const auto& [key, element] : elements) {
      if (++steps_ > kMostSteps) return failure("it takes too many steps");
      const std::size_t scope = variables_.size();
      if (node.variables.size() == 2) variables_.emplace_back(node.variables.front(), key);
      if (!node.variables.empty()) variables_.emplace_back(node.variables.back(), element);
      Result<void> done = run(node.body, element);
      variables_.resize(scope);
      if (!done) return done;
    }
    return {};
  }

  Result<Value> evaluate(const TemplatePipe& pipe, const Value& dot) {
    std::optional<Value> before;
    for (const auto& command : pipe.commands) {
      Result<Value> value = run_command(command, before, dot);
      if (!value) return value;
      before = std::move(*value);
    }
    return before.value_or(Value());
  }

  Result<Value> run_command(const std::vector<TemplateTerm>& command, const std::optional<Value>& before,
                            const Value& dot) {
    if (command.front().kind != TemplateTerm::Kind::kFunction) {
      if (command.size() > 1 || before) return failure("only functions take arguments");
      return term(command.front(), dot);
    }
    Arguments arguments;
    for (std::size_t i = 1; i < command.size(); ++i) {
      Result<Value> argument = term(command[i], dot);
      if (!argument) return argument;
      arguments.push_back(std::move(*argument));
    }
    if (before) arguments.push_back(*before);
    return call(command.front().name, arguments);
  }

  Result<Value> call(const std::string& name, const Arguments& arguments) {
    if (const auto own = functions_.find(name); own != functions_.end()) return own->second(arguments);
    if (auto result = call_built_in(name, arguments)) return *result;
    return failure(fmt::format("function {:?} is not known here", name));
  }

  Result<Value> term(const TemplateTerm& of, const Value& dot) {
    Value value;
    switch (of.kind) {
      case TemplateTerm::Kind::kLiteral:
        return of.literal;
      case TemplateTerm::Kind::kDot:
        value = dot;
        break;
      case TemplateTerm::Kind::kFunction:
        return call(of.name, {});
      case TemplateTerm::Kind::kPipe: {
        Result<Value> result = evaluate(of.pipe.front(), dot);
        if (!result) return result;
        value = std::move(*result);
        break;
      }
      case TemplateTerm::Kind::kVariable: {
        const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                        [&](const auto& variable) { return variable.first == of.name; });
        if (found == variables_.rend()) return failure(fmt::format("variable ${} is not known here", of.name));
        value = found->second;
        break;
      }
    }
    for (const std::string& field : of.fields) {
      const Value* member = value.find(field);
      value = member == nullptr ? Value() : Value(*member);
    }
    return value;
  }

  const Functions& functions_;
  std::size_t steps_ = 0;
  std::vector<std::pair<std::string, Value>> variables_;  // innermost last; "" is $
};

}  // namespace

Result<std::string> GoTemplate::execute(const Value& data, const Functions& functions) const {
  if (nodes_ == nullptr) return std::string();
  Executor executor(data, functions);
  if (auto done = executor.run(*nodes_, data); !done) return tl::unexpected(done.error());
  return std::move(executor.output_);
}

}  // namespace loadline::kubelet
