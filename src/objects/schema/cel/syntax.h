#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/schema/cel/value.h"

namespace loadline::schema::cel {

/// One node of a parsed expression.
struct Expression {
  enum class Kind : std::uint8_t {
    kLiteral,     ///< `literal`
    kIdentifier,  ///< `name`
    kSelect,      ///< operands[0] . name
    kHas,         ///< has(operands[0] . name)
    kIndex,       ///< operands[0] [ operands[1] ]
    kCall,        ///< name(operands…), or operands[0].name(…) if `is_method`; operators by their sign: "+", "?:", "in"
    kList,        ///< [operands…]
    kMap,         ///< {operands[0]: operands[1], …}
    kLoop,        ///< operands[0].name(variable, operands[1]…): all, exists, exists_one, map, filter
    kBind,        ///< cel.bind(variable, operands[0], operands[1])
    kOptionalMap  ///< operands[0].optMap(variable, operands[1]), or optFlatMap by `name`
  };

  Kind kind = Kind::kLiteral;
  std::string name;
  std::string variable;
  Value literal;
  bool is_method = false;
  bool is_optional = false;  ///< `.?name`, `[?index]`, and elements of lists that are left out if they are none
  std::vector<std::unique_ptr<Expression>> operands;
};

/// Parses an expression of the Common Expression Language. At most 100 levels, 100,000 bytes.
/// Errors: "1:5: Syntax error: …", as upstream names places.
/// Source: cel-spec, langdef.md.
Result<std::unique_ptr<Expression>> parse(std::string_view text);

}  // namespace loadline::schema::cel
