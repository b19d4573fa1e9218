#pragma once

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::document {

/// One JSON value, of any kind.
inline Value parse(const std::string& text) {
  // The reader takes a list of objects, so a value on its own goes into one.
  const Reading reading = read_json("{\"v\":" + text + "}", "test");
  EXPECT_TRUE(reading.problems.empty()) << text;
  return reading.documents.empty() ? Value() : *reading.documents[0].find("v");
}

/// The documents as JSON, one a line.
inline std::string written(const Reading& reading) {
  std::string text;
  for (const Value& document : reading.documents) text += write_json(document) + "\n";
  return text;
}

/// What is wrong, one a line.
inline std::string problems(const Reading& reading) {
  std::string text;
  for (const Diagnostic& problem : reading.problems) text += problem.to_string() + "\n";
  return text;
}

/// "3:5".
inline std::string position(Mark mark) { return std::to_string(mark.line) + ":" + std::to_string(mark.column); }

}  // namespace loadline::document
