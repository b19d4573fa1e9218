#include "foundation/document/yaml_scalar.h"

#include <gtest/gtest.h>

#include "foundation/base/base64.h"
#include "foundation/document/reader.h"
#include "foundation/document/timestamp.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

struct ScalarCase {
  const char* yaml;
  const char* json;
};

/// Recorded from sigs.k8s.io/yaml v1.6.0.
constexpr ScalarCase kScalars[] = {
    {"y", "true"},
    {"Y", "true"},
    {"yes", "true"},
    {"Yes", "true"},
    {"YES", "true"},
    {"yEs", "\"yEs\""},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"tRue", "\"tRue\""},
    {"on", "true"},
    {"ON", "true"},
    {"n", "false"},
    {"N", "false"},
    {"no", "false"},
    {"No", "false"},
    {"NO", "false"},
    {"false", "false"},
    {"off", "false"},
    {"Off", "false"},
    {"OFF", "false"},
    {"", "null"},
    {"~", "null"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"nULL", "\"nULL\""},
    {"1", "1"},
    {"-1", "-1"},
    {"+1", "1"},
    {"0", "0"},
    {"-0", "0"},
    {"007", "7"},
    {"017", "15"},
    {"08", "8"},
    {"-017", "-15"},
    {"0o17", "15"},
    {"0O17", "15"},
    {"0o8", "\"0o8\""},
    {"0x1F", "31"},
    {"0X1f", "31"},
    {"-0x10", "-16"},
    {"0x", "\"0x\""},
    {"0b11", "3"},
    {"-0b11", "-3"},
    {"0b2", "\"0b2\""},
    {"1_000", "1000"},
    {"1_", "1"},
    {"1__2", "12"},
    {"_1", "\"_1\""},
    {"0x_f", "15"},
    {"9223372036854775807", "9223372036854775807"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"-9223372036854775809", "-9223372036854776000"},
    {"1.0", "1"},
    {"1.", "1"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {".5_0", "0.5"},
    {"._5", "\"._5\""},
    {"1_0.5", "10.5"},
    {"1e3", "1000"},
    {"1E3", "1000"},
    {"1.5e-7", "1.5e-7"},
    {"1e400", "\"1e400\""},
    {"1e-400", "0"},
    {"1e21", "1e+21"},
    {"1e20", "100000000000000000000"},
    {"1e", "\"1e\""},
    {"1.2.3", "\"1.2.3\""},
    {"12:30", "\"12:30\""},
    {"1:30:00", "\"1:30:00\""},
    {"2001-01-01", "\"2001-01-01\""},
    {"2001-12-14T21:59:43Z", "\"2001-12-14T21:59:43Z\""},
    {"100m", "\"100m\""},
    {"1Gi", "\"1Gi\""},
    {".", "\".\""},
    {"--", "\"--\""},
    {"+", "\"+\""},
    {"<<", "\"<<\""},
    {"nan", "\"nan\""},
    {"Infinity", "\"Infinity\""},
    {"0x1p-2", "\"0x1p-2\""},
    {"'1'", "\"1\""},
    {"\"yes\"", "\"yes\""},
    {"''", "\"\""},
    {"'null'", "\"null\""},
    {"!!str 1", "\"1\""},
    {"!!str", "\"\""},
    {"!!int 5", "5"},
    {"!!int '12'", "12"},
    {"!!int 0o7", "7"},
    {"!!float 5", "5"},
    {"!!float 0x10", "16"},
    {"!!float 1.5", "1.5"},
    {"!!bool yes", "true"},
    {"!!null ~", "null"},
    {"!foo 12", "\"12\""},
    {"!!foo 12", "\"12\""},
    {"! 12", "\"12\""},
    {"!<tag:yaml.org,2002:int> 3", "3"},
    {"!!binary aGVsbG8=", "\"hello\""},
    {"!!timestamp 2001-01-01", "\"2001-01-01\""},
};

TEST(YamlScalarTest, EveryScalarIsReadAsKubectlReadsIt) {
  for (const ScalarCase& c : kScalars) {
    const Reading reading = read_yaml(std::string("v: ") + c.yaml + "\n", "f");
    ASSERT_EQ(reading.documents.size(), 1U) << c.yaml;
    EXPECT_EQ(write_json(*reading.documents[0].find("v")), c.json) << c.yaml;
  }
}

/// Recorded from sigs.k8s.io/yaml v1.6.0.
TEST(YamlScalarTest, KeysBecomeStrings) {
  const ScalarCase keys[] = {
      {"yes", "true"},
      {"off", "false"},
      {"1", "1"},
      {"017", "15"},
      {"0x1F", "31"},
      {"1.50", "1.5"},
      {"1.0", "1"},
      {"1e6", "1e+06"},
      {"123456789.0", "1.2345679e+08"},
      {".inf", ".inf"},
      {"-.inf", "-.inf"},
      {".nan", ".nan"},
      {"2001-01-01", "2001-01-01"},
      {"'yes'", "yes"},
      {"a b", "a b"},
      {"12:30", "12:30"},
      {"''", ""},
  };
  for (const ScalarCase& c : keys) {
    const Reading reading = read_yaml(std::string(c.yaml) + ": v\n", "f");
    ASSERT_EQ(reading.documents.size(), 1U) << c.yaml;
    EXPECT_EQ(reading.documents[0].object().at(0).key, c.json) << c.yaml;
  }
}

TEST(YamlScalarTest, WhatDoesNotFitItsTagOrJsonIsReported) {
  const ScalarCase faults[] = {
      {"!!int 1.5", "cannot decode !!float `1.5` as a !!int"},
      {"!!int x", "cannot decode !!str `x` as a !!int"},
      {"!!bool 1", "cannot decode !!int `1` as a !!bool"},
      {"!!null x", "cannot decode !!str `x` as a !!null"},
      {"!!timestamp x", "cannot decode !!str `x` as a !!timestamp"},
      {"!!binary x", "!!binary value contains invalid base64 data"},
      {".nan", "json: unsupported value: NaN"},
      {".inf", "json: unsupported value: +Inf"},
      {"-.Inf", "json: unsupported value: -Inf"},
  };
  for (const ScalarCase& c : faults) {
    const Reading reading = read_yaml(std::string("a: 1\nv: ") + c.yaml + "\n", "f");
    EXPECT_TRUE(reading.documents.empty()) << c.yaml;
    ASSERT_EQ(reading.problems.size(), 1U) << c.yaml;
    EXPECT_EQ(reading.problems[0].message, c.json);
    EXPECT_EQ(reading.problems[0].at.line, 2U);
    EXPECT_EQ(reading.problems[0].at.column, 4U);
  }
}

TEST(YamlScalarTest, AmbiguousStringsNeedQuotes) {
  for (const char* text :
       {"", "yes", "n", "1", "1.5", "0x1F", "1_000", "12:30", "1:2:3.4", "2001-01-01", "~", ".nan"}) {
    EXPECT_TRUE(is_ambiguous(text)) << text;
  }
  for (const char* text : {"a", "100m", "yes!", "1.2.3", "12:60", "1:", "<<", "2001-13-01", "2001-02-29"}) {
    EXPECT_FALSE(is_ambiguous(text)) << text;
  }
}

TEST(YamlScalarTest, NamesAreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(scalar_text("nvidia"), "nvidia");
  EXPECT_EQ(scalar_text("kata.v3"), "kata.v3");
  for (const std::string text : {"", "1", "1.5", "0x10", "yes", "on", "y", "null", "~"}) {
    EXPECT_EQ(scalar_text(text), "\"" + text + "\"");
  }
}

TEST(TimestampTest, ADateMustExist) {
  for (const char* text :
       {"2001-1-2", "2000-02-29", "2001-01-01 1:2:3.4", "2001-01-01T01:02:03Z", "2001-1-1t1:2:3.5-05:00"}) {
    EXPECT_TRUE(is_timestamp(text)) << text;
  }
  for (const char* text : {"2001-02-29", "1900-02-29", "2001-00-01", "2001-1", "20011-1-1", "2001-01-01 25:00:00",
                           "2001-01-01T01:02:03", "2001-01-01 ", "2001-01-01x"}) {
    EXPECT_FALSE(is_timestamp(text)) << text;
  }
}

TEST(Base64Test, PaddingIsNeededAndLineBreaksAreSkipped) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("aGVs\r\nbG8="), "hello");
  EXPECT_EQ(decode_base64("aA=="), "h");
  EXPECT_EQ(decode_base64("aGk="), "hi");
  EXPECT_EQ(decode_base64("aGkh"), "hi!");
  for (const char* text : {"a", "aG", "aGk", "aA=", "=", "aA==a", "a A=", "aA===", "aGkh="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace loadline::document
