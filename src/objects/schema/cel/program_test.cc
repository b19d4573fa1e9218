#include "objects/schema/cel/program.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/custom/structural_schema.h"

namespace loadline::schema::cel {
namespace {

/// A value as a test reads it.
std::string shown(const Value& value) {
  if (const auto* boolean = value.get<bool>()) return *boolean ? "true" : "false";
  if (const auto* number = value.get<std::int64_t>()) return std::to_string(*number);
  if (const auto* number = value.get<std::uint64_t>()) return std::to_string(*number) + "u";
  if (const auto* number = value.get<double>()) return "double " + document::format_number(*number);
  if (const auto* text = value.get<std::string>()) return '"' + *text + '"';
  if (const auto* span = value.get<loadline::Duration>()) return format_duration(*span);
  if (const auto* at = value.get<Timestamp>()) return format_timestamp(*at, TimePrecision::kSeconds);
  if (const auto* quantity = value.get<Quantity>()) return quantity->to_string();
  if (const auto* optional = value.get<Optional>()) {
    return optional->value == nullptr ? "none" : "some(" + shown(*optional->value) + ")";
  }
  if (!value.is_list()) return std::string(value.type_name());
  std::string text = "[";
  for (std::size_t i = 0; i < value.size(); ++i) text += (i > 0 ? ", " : "") + shown(value.element(i));
  return text + "]";
}

document::Value json(std::string_view text) { return document::read_json(text, "").documents.at(0); }

std::string evaluated(std::string_view expression, std::string_view self = "{}") {
  const auto program = compile(expression);
  if (!program) return "cannot compile: " + program.error().message;
  Budget budget{1'000'000};
  const auto result = (*program)->evaluate({{"self", Value::of(json(self), nullptr)}}, budget);
  return result ? shown(*result) : result.error().message;
}

struct Case {
  std::string_view expression;
  std::string_view result;
};

void expect_all(std::initializer_list<Case> cases, std::string_view self = "{}") {
  for (const Case& one : cases) EXPECT_EQ(evaluated(one.expression, self), one.result) << one.expression;
}

TEST(Cel, Operators) {
  expect_all({{"1 + 2 * 3", "7"},
              {"(1 + 2) * 3", "9"},
              {"7 / 2 == 3 && 7 % 2 == 1", "true"},
              {"-7 / 2", "-3"},
              {"--1", "1"},
              {"!!true", "true"},
              {"1 < 2 ? 'a' : 'b'", "\"a\""},
              {"1 == 1.0 && 1u == 1 && 2 > 1.5", "true"},
              {"'a' + \"b\" + r'\\n' + '''c'''", "\"ab\\nc\""},
              {"'\\x41\\u00e9\\101\\n'",
               "\"A\xC3\xA9"
               "A\n\""},
              {"[1, 2] + [3]", "[1, 2, 3]"},
              {"0x1F", "31"},
              {"1e3", "double 1000"},
              {"-9223372036854775808", "-9223372036854775808"},
              {"9223372036854775807 + 1", "integer overflow"},
              {"1 / 0", "division by zero"},
              {"1 % 0", "modulus by zero"},
              {"1 + 1.0", "no such overload"},
              {"'a' < 1", "no such overload"},
              {"'a' == 1", "false"},
              {"{'a': 1}['a'] // a comment", "1"},
              {"{'a': 1} == {'a': 1.0}", "true"},
              {"2 in [1, 2] && !('x' in {'y': 1})", "true"},
              {"duration('1h') + duration('30m')", "1h30m0s"},
              {"timestamp('2026-01-01T00:00:00Z') - duration('1s')", "2025-12-31T23:59:59Z"},
              {"timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')", "true"}});
}

TEST(Cel, LogicForgivesErrorsThatDoNotMatter) {
  expect_all({{"true || 1 / 0 == 1", "true"},
              {"1 / 0 == 1 || true", "true"},
              {"false && 1 / 0 == 1", "false"},
              {"1 / 0 == 1 && false", "false"},
              {"1 / 0 == 1 || false", "division by zero"},
              {"[0, 1].exists(x, 1 / x == 1)", "true"},
              {"[0, 1].all(x, 1 / x == 2)", "false"},
              {"[0].all(x, 1 / x == 2)", "division by zero"}});
}

TEST(Cel, FieldsAndMacros) {
  constexpr std::string_view kSelf =
      R"({"a":{"b":[1,2,3]},"s":"text","a-b":1,"in":2,"x__y":3,"n":null,"list":[{"k":"a","v":1},{"k":"b","v":2}]})";
  expect_all({{"self.a.b[1]", "2"},
              {"self.a.b[3]", "index out of bounds: 3"},
              {"self.a.c", "no such key: c"},
              {"has(self.a) && !has(self.z) && has(self.n)", "true"},
              {"has(self.z.y)", "no such key: z"},
              {"self.a__dash__b + self.__in__ + self.x__underscores__y", "6"},
              {"self.list.map(x, x.v)", "[1, 2]"},
              {"self.list.map(x, x.v > 1, x.k)", "[\"b\"]"},
              {"self.list.filter(x, x.v < 2).size()", "1"},
              {"self.list.exists_one(x, x.k == 'a') && self.list.existsOne(x, x.k == 'b')", "true"},
              {"self.list.all(x, self.list.exists_one(y, x.k == y.k))", "true"},
              {"self.a.all(k, k == 'b')", "true"},
              {"size(self) == 7 && self.s.size() == 4", "true"},
              {"self.?z.?y.orValue(5)", "5"},
              {"self.?a.b.hasValue()", "true"},
              {"self.?s.optMap(x, x + '!')", "some(\"text!\")"},
              {"[?self.?z, ?self.?s]", "[\"text\"]"},
              {"self.a.b[?7].orValue(0)", "0"},
              {"optional.none().or(optional.of(1)).value()", "1"},
              {"cel.bind(x, self.a.b, x[0] + x[1])", "3"},
              {"self.a.map(x)", "cannot compile: function 'map' is not supported"}},
             kSelf);
}

TEST(Cel, Functions) {
  expect_all(
      {{"'größe'.size()", "5"},
       {"'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.contains('b')", "true"},
       {"'abc'.matches('^a.c$') && matches('abc', 'b')", "true"},
       {"'a'.matches('(')", "error parsing regexp: missing closing ): `(`"},
       {"'a1b22'.find('[0-9]+') + string('a1b22'.findAll('[0-9]+').size())", "\"12\""},
       {"'a1b22'.findAll('[0-9]+', 1)", "[\"1\"]"},
       {"'A,b'.lowerAscii().split(',')", "[\"a\", \"b\"]"},
       {"'a,b,c'.split(',', 2)", "[\"a\", \"b,c\"]"},
       {"['a', 'b'].join('-')", "\"a-b\""},
       {"'hello'.replace('l', 'L', 1) + 'x'.upperAscii() + ' y '.trim()", "\"heLloXy\""},
       {"'hello'.substring(1, 3) + 'hello'.charAt(4) + string('hello'.indexOf('l', 3))", "\"elo3\""},
       {"'hello'.lastIndexOf('l')", "3"},
       {"'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"},
       {"int('42') + int(2.9) + int(1u)", "45"},
       {"int('x')", "type conversion error from 'string' to 'int'"},
       {"double('1.5') + double(1)", "double 2.5"},
       {"string(1) + string(true) + string(1.5) + string(duration('90s'))", "\"1true1.590s\""},
       {"type(1) == int && type('') == string && type([]) == list", "true"},
       {"dyn(1) == 1 && uint(3) == 3u && bool('true')", "true"},
       {"[3, 1, 2].min() + [3, 1].max() + [1, 2].sum()", "7"},
       {"[1, 2].isSorted() && ![2, 1].isSorted()", "true"},
       {"[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)", "2"},
       {"[1, 2, 2].distinct() + [3, 1].sort() + [1, 2].reverse()", "[1, 2, 1, 3, 2, 1]"},
       {"[[1], [2, 3]].flatten().slice(1, 3)", "[2, 3]"},
       {"sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 2], [2, 1, 1])", "true"},
       {"quantity('1500m').isLessThan(quantity('2')) && isQuantity('1Gi') && !isQuantity('x')", "true"},
       {"quantity('1Gi').add(quantity('1Gi'))", "2Gi"},
       {"quantity('2').compareTo(quantity('2000m')) + quantity('-1').sign()", "-1"},
       {"quantity('3').asInteger()", "3"},
       {"math.greatest(1, 2, 3) + math.least([4, 5]) + math.abs(-1)", "8"},
       {"timestamp('2026-11-21T20:15:07Z').getFullYear()", "2026"},
       {"timestamp('2026-11-21T20:15:07Z').getDayOfWeek()", "6"},
       {"duration('90m').getHours()", "1"}});
}

TEST(Cel, WhatCannotBeEvaluatedIsNamed) {
  expect_all({{"ip('1.2.3.4').family() == 4", "cannot compile: function 'family' is not supported"},
              {"other.x", "cannot compile: undeclared reference to 'other' (in container '')"},
              {"self.list.all(x, y)", "cannot compile: undeclared reference to 'y' (in container '')"},
              {"1 +", "cannot compile: 1:4: Syntax error: unexpected end of the expression"},
              {"1 2", "cannot compile: 1:3: Syntax error: mismatched input '2'"},
              {"'abc", "cannot compile: 1:1: Syntax error: unterminated string"},
              {"has(self)", "cannot compile: 1:10: Syntax error: invalid argument to has() macro"},
              {"a # b", "cannot compile: 1:3: Syntax error: token recognition error at: '#'"},
              {"", "cannot compile: 1:1: Syntax error: unexpected end of the expression"}});
  EXPECT_NE(evaluated(std::string(5000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(evaluated("self" + std::string(300, '.')).find("Syntax error"), std::string::npos);
  std::string chain = "true";
  for (int i = 0; i < 5000; ++i) chain += " && true";
  EXPECT_EQ(evaluated(chain), "true");
}

TEST(Cel, CostIsBounded) {
  std::string list = "[";
  for (int i = 0; i < 300; ++i) list += "1,";
  list += "1]";
  const std::string loops = "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d > 0))))";
  EXPECT_EQ(evaluated(loops, list), "operation cancelled: actual cost limit exceeded");
  std::string doubling = "self";
  for (int i = 0; i < 60; ++i) doubling = "cel.bind(x, " + doubling + ", x + x)";
  EXPECT_NE(evaluated(doubling, R"("aaaaaaaaaaaaaaaa")").find("limit exceeded"), std::string::npos);
}

TEST(Cel, SchemasSayHowValuesAreRead) {
  const auto rules = read_schema(
      json(R"({"type":"object","properties":{"n":{"type":"number"},"at":{"type":"string","format":"date-time"},)"
           R"("span":{"type":"string","format":"duration"},"set":{"type":"array","x-kubernetes-list-type":"set",)"
           R"("items":{"type":"string"}}}})"));
  const document::Value self = json(R"({"n":1,"at":"2026-01-01T00:00:00Z","span":"1m","set":["a","b"]})");
  const auto program = compile(
      "self.n + 0.5 == 1.5 && self.at > timestamp('2025-01-01T00:00:00Z') && self.span < duration('1h') && "
      "self.set == ['b', 'a']");
  ASSERT_TRUE(program);
  Budget budget{1000};
  const auto result = (*program)->evaluate({{"self", Value::of(self, rules.get())}}, budget);
  EXPECT_EQ(result ? shown(*result) : result.error().message, "true");
}

}  // namespace
}  // namespace loadline::schema::cel
