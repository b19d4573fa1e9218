#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/result.h"
#include "objects/schema/cel/value.h"

namespace loadline::schema::cel {

struct Expression;

/// What an expression may spend: about one unit a step, and one for ten bytes of text looked at, as upstream's.
/// Its errors are upstream's: "operation cancelled: actual cost limit exceeded".
struct Budget {
  std::int64_t left = 0;
};

/// An expression ready to be evaluated. Immutable.
class Program {
 public:
  explicit Program(std::unique_ptr<const Expression> expression, bool uses_old_self);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Whether it mentions oldSelf.
  [[nodiscard]] bool uses_old_self() const { return uses_old_self_; }

  /// Evaluates with these variables, spending from the budget. Errors are cel-go's: "no such key: x", "division by
  /// zero", "no such overload".
  [[nodiscard]] Result<Value> evaluate(const std::vector<std::pair<std::string_view, Value>>& variables,
                                       Budget& budget) const;

 private:
  std::unique_ptr<const Expression> expression_;
  bool uses_old_self_;
};

/// Parses an expression about `self` and `oldSelf`, and makes sure that every function and name in it is one that is
/// evaluated here: core functions and macros, optional values, and the libraries strings, lists, sets, regex and
/// quantity as far as Kubernetes has them. Types are found out when it is evaluated.
/// Errors: "undeclared reference to 'x'", "function 'ip' is not supported".
Result<std::shared_ptr<const Program>> compile(std::string_view text);

}  // namespace loadline::schema::cel
