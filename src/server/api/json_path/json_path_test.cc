#include "server/api/json_path/json_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/reader.h"

namespace loadline::api {
namespace {

document::Value pod() {
  return document::read_json(R"({
    "metadata": {"name": "web", "labels": {"app.kubernetes.io/name": "web", "tier": "front"}},
    "spec": {"replicas": 3, "ratio": 0.5, "on": true, "nothing": null, "big": 1e21, "small": 0.00001,
             "colors": ["red", "green", "blue"],
             "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}, {"port": 9}],
             "b": {"y": 2, "x": "<1>"}},
    "status": {"conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"},
                              {"type": "It's", "status": "Maybe"}]}
  })",
                             "test")
      .documents.at(0);
}

/// What the path leads to, printed and separated by bars; "error: …" if it cannot be parsed or evaluated.
std::string evaluated(const std::string& text) {
  const auto path = JsonPath::parse(text);
  if (!path) return "cannot parse: " + path.error().message;
  const document::Value root = pod();
  const auto found = path->find(root);
  if (!found) return "error: " + found.error().message;
  std::string out;
  for (const document::Value* value : *found) out += (out.empty() ? "" : "|") + printed(*value);
  return out;
}

struct PathCase {
  std::string path;
  std::string found;
};

void expect_all(const std::vector<PathCase>& cases) {
  for (const PathCase& one : cases) EXPECT_EQ(evaluated(one.path), one.found) << one.path;
}

TEST(JsonPath, FollowsFieldsKeysAndIndexes) {
  expect_all({
      {".metadata.name", "web"},
      {"$.metadata.name", "web"},
      {"@.metadata.name", "web"},
      {".metadata['name']", "web"},
      {R"(.metadata.labels.app\.kubernetes\.io/name)", "web"},
      {R"(.metadata.labels['app\.kubernetes\.io/name'])", "web"},
      {".metadata.labels['app.kubernetes.io/name']", ""},
      {".spec.missing.deeper", ""},
      {".spec.replicas.deeper", ""},
      {".spec.nothing.deeper", ""},
      {".spec.colors[0]", "red"},
      {".spec.colors[-1]", "blue"},
      {".spec.colors[*]", "red|green|blue"},
      {".spec.colors[1:]", "green|blue"},
      {".spec.colors[:2]", "red|green"},
      {".spec.colors[:-1]", "red|green"},
      {".spec.colors[::2]", "red|blue"},
      {".spec.colors[0:0]", ""},
      {".spec.colors[0,2]", "red|blue"},
      {".spec.ports[*].port", "80|443|9"},
      {".spec.ports[*].name", "http|https"},
      {".metadata.labels.*", "web|front"},
      {".spec.ports[0]['name', 'port']", "http|80"},
  });
}

TEST(JsonPath, FiltersByComparisonAndPresence) {
  expect_all({
      {R"(.status.conditions[?(@.type=="Ready")].status)", "True"},
      {R"(.status.conditions[?(@.type=='Ready')].status)", "True"},
      {R"(.status.conditions[?(@.type == "Ready")].status)", "True"},
      {R"(.status.conditions[?(@.type=='It\'s')].status)", "Maybe"},
      {R"(.status.conditions[?(@.type=="It's")].status)", "Maybe"},
      {R"(.status.conditions[?(@.type!="Ready")].status)", "False|Maybe"},
      {R"(.status.conditions[?(@.type=="Absent")].status)", ""},
      {".spec.ports[?(@.port>9)].name", "http|https"},
      {".spec.ports[?(@.port<=80)].port", "80|9"},
      {".spec.ports[?(@.port>=443)].name", "https"},
      {".spec.ports[?(@.port<80)].port", "9"},
      {".spec.ports[?(@.name)].port", "80|443"},
      {R"(.spec.ports[?(@.name=="http")].port)", "80"},
      {R"(.spec.ports[?(@.port=="80")].port)", "error: incompatible types for comparison"},
      {".spec.ports[?(@.port=80)].port", "error: unrecognized filter operator ="},
      {".spec[?(@.name)]", "error: object is not array or slice and cannot be filtered"},
  });
}

TEST(JsonPath, DescendsDepthFirst) {
  expect_all({{"..port", "80|443|9"}, {".status..status", "False|True|Maybe"}, {"..conditions[0].type", "Synced"}});
}

TEST(JsonPath, PrintsAsGoDoes) {
  expect_all({
      {".spec.replicas", "3"},
      {".spec.ratio", "0.5"},
      {".spec.on", "true"},
      {".spec.nothing", "<no value>"},
      {".spec.big", "1e+21"},
      {".spec.small", "1e-05"},
      {".spec.colors", R"(["red","green","blue"])"},
      {".spec.b", R"({"x":"\u003c1\u003e","y":2})"},
      {R"("a\tb")", "a\tb"},
      {R"('a"\u00e9')", "a\"\u00e9"},
  });
}

TEST(JsonPath, RefusesWhatUpstreamRefuses) {
  expect_all({
      {".spec.colors[3]", "error: array index out of bounds: index 3, length 3"},
      {".spec.colors[-4]", "error: array index out of bounds: index -1, length 3"},
      {".spec.colors[2:1]", "error: starting index 2 is greater than ending index 1"},
      {".spec.colors[::0]", "error: step must be > 0"},
      {".spec[0]", "error: object is not array or slice"},
      {".spec.colors[", "cannot parse: unterminated array"},
      {".spec.colors[x]", "cannot parse: invalid array index x"},
      {R"(.spec.colors["x"])", R"(cannot parse: invalid array index "x")"},
      {".spec.colors[99999999999999999999]", "cannot parse: array index 99999999999999999999 is not a number"},
      {".a[?(@.b", "cannot parse: unterminated filter"},
      {".a[?(@.b)", "cannot parse: unclosed array expect ]"},
      {".a}", "cannot parse: unrecognized character in action: '}'"},
      {"....", "cannot parse: invalid multiple recursive descent"},
      {"'abc", "cannot parse: unterminated quoted string"},
      {R"('a\qc')", R"(cannot parse: unquote string a\qc error invalid syntax)"},
      {"1.2.3", "cannot parse: cannot parse number 1.2.3"},
      {"spec.replicas", "error: unrecognized identifier spec"},
      {"range", "cannot parse: templates are not supported: range"},
  });
  EXPECT_FALSE(JsonPath::parse(std::string(5000, '.')));
}

TEST(JsonPath, EndsOnDocumentsThatAreLarge) {
  document::Array level(300, document::Value(std::int64_t{1}));
  for (int depth = 0; depth < 3; ++depth) level = document::Array(300, document::Value(level));
  const document::Value root(document::Object{{"a", document::Value(level), {}}});
  for (const char* text : {".a[*][*][*]", "..x", ".a[?(@..x)]"}) {
    const auto path = JsonPath::parse(text);
    ASSERT_TRUE(path) << text;
    const auto found = path->find(root);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().message, "the path leads to more than 100000 values");
  }
}

}  // namespace
}  // namespace loadline::api
