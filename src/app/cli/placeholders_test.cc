#include "app/cli/placeholders.h"

#include <gtest/gtest.h>

#include <memory>

namespace loadline::cli {
namespace {

TEST(Placeholders, AreWhatPeopleLeaveToBeFilledIn) {
  EXPECT_EQ(find_placeholder("web-${NAME}-1"), "${NAME}");
  EXPECT_EQ(find_placeholder("$(REPLICAS)"), "$(REPLICAS)");
  EXPECT_EQ(find_placeholder("$CPU_LIMIT."), "$CPU_LIMIT");
  EXPECT_EQ(find_placeholder("<your-name>"), "<your-name>");
  EXPECT_EQ(find_placeholder("a-{{ .Values.b }}-c"), "{{ .Values.b }}");
}

TEST(Placeholders, AreNotEveryDollarAndEveryBracket) {
  for (const char* text : {"", "$", "a$", "$5", "$1A", "$name", "${NAME", "a < b", "<>", "<a=b>", "{{", "{a}"}) {
    EXPECT_EQ(find_placeholder(text), "") << text;
  }
}

Diagnostic error(std::uint32_t line, std::string message, const std::string& file = "f") {
  Diagnostic diagnostic;
  diagnostic.at = {std::make_shared<const std::string>(file), line, 1};
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::string told(Diagnostics diagnostics) {
  std::string text;
  for (const Diagnostic& each : with_placeholders_told_once(std::move(diagnostics), "loadline plan -f -")) {
    text += each.to_string() + "\n";
  }
  return text;
}

TEST(Placeholders, MakeOneErrorAFile) {
  EXPECT_EQ(told({error(7, "Invalid value: \"${B}\": no"), error(3, "expected an integer, got string \"x${A}\""),
                  error(9, "Invalid value: \"${B}\": no"), error(5, "unknown field \"spec.x\""),
                  error(1, "Invalid value: \"<name>\": no", "g")}),
            "f:5:1: error: unknown field \"spec.x\"\n"
            "f:3:1: error: placeholders are still to be filled in: ${B}, ${A} (with their values in the environment: "
            "envsubst < f | loadline plan -f -)\n"
            "g:1:1: error: a placeholder is still to be filled in: <name> (write what they stand for)\n");
}

TEST(Placeholders, OfATemplateNothingElseIsSaid) {
  EXPECT_EQ(
      told({error(4, "Invalid value: \"a-{{ .x }}\": no"), error(5, "unknown field \"spec.x\"")}),
      "f:4:1: error: is a template, not a manifest: {{ .x }} (render it first, a chart with helm template NAME CHART "
      "| loadline plan -f -)\n");
}

TEST(Placeholders, InOurOwnWordsAreNone) {
  const std::string message = "Invalid value: \"a\\\"b\": write <name> as '$(NAME)'";
  EXPECT_EQ(told({error(1, message)}), "f:1:1: error: " + message + "\n");
}

}  // namespace
}  // namespace loadline::cli
