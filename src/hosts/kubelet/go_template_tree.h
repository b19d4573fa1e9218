#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/kubelet/go_template.h"

namespace loadline::kubelet {

/// What a template's action says: commands, each of which gets the result of the one before as its last argument.
struct TemplatePipe;

struct TemplateTerm {
  enum class Kind : std::uint8_t { kLiteral, kDot, kVariable, kFunction, kPipe };
  Kind kind = Kind::kDot;
  std::string name;  ///< of a variable (without $) or a function
  document::Value literal;
  std::vector<std::string> fields;  ///< that follow: .a.b
  std::vector<TemplatePipe> pipe;   ///< one, of a kPipe
};

struct TemplatePipe {
  std::vector<std::vector<TemplateTerm>> commands;
};

struct GoTemplate::Node {
  enum class Kind : std::uint8_t { kText, kPrint, kAssign, kIf, kRange, kWith };
  Kind kind = Kind::kText;
  std::string text;
  std::vector<std::string> variables;  ///< that are declared: without $
  TemplatePipe pipe;
  std::vector<Node> body;
  std::vector<Node> otherwise;
};

}  // namespace loadline::kubelet
