#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "command/up.h"
#include "foundation/document/reader.h"
#include "foundation/document/value.h"
#include "foundation/document/visible_text.h"
#include "foundation/document/writer.h"

namespace loadline::escapes {
namespace {

using document::Value;
using Words = std::vector<std::string>;

/// Clears the screen, sets the title, turns the direction of writing, begins a sequence as C1 does, and forges a line.
constexpr std::string_view kHostile =
    "\x1b[2J\x1b]0;pwn\x07\xe2\x80\xae\xc2\x9b"
    "31m\x7f\ttab\rback\nerror: forged";

/// Objects of the kinds that plans, explanations and lint speak of; one or more documents of JSON.
constexpr std::string_view kObjects[] = {
    R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "a"}}, "spec": {"taints":
       [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}, "status": {"allocatable": {"cpu": "8", "memory":
       "32Gi", "pods": "110", "nvidia.com/gpu": "4"}, "conditions": [{"type": "Ready", "status": "True", "reason": "r",
       "message": "m"}]}})",
    R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "8", "memory":
       "32Gi", "pods": "110"}}})",
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team", "labels": {"app": "web"},
       "annotations": {"loadline.dev/run-time": "10m"}}, "spec": {"schedulerName": "default-scheduler",
       "priorityClassName": "high", "nodeSelector": {"zone": "a"}, "tolerations": [{"key": "dedicated", "operator":
       "Equal", "value": "x", "effect": "NoSchedule"}], "containers": [{"name": "c", "image": "i", "resources":
       {"requests": {"cpu": "1"}}, "env": [{"name": "E", "value": "v"}]}]}})",
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "big", "namespace": "team"}, "spec": {"containers":
       [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100", "nvidia.com/gpu": "64"}, "limits":
       {"nvidia.com/gpu": "64"}}}], "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
       [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}]}}, "volumes": [{"name": "v",
       "persistentVolumeClaim": {"claimName": "claim"}}]}})",
    R"({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10,
       "description": "d"})",
    R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "team"}, "spec":
       {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
       "spec": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable":
       "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}], "containers": [{"name": "c", "image": "i",
       "resources": {"requests": {"cpu": "500m"}}}]}}}})",
    R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "team", "labels":
       {"kueue.x-k8s.io/queue-name": "q"}}, "spec": {"parallelism": 2, "template": {"spec": {"restartPolicy": "Never",
       "containers": [{"name": "c", "image": "i"}]}}}})",
    R"({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "quota", "namespace": "team"}, "spec":
       {"hard": {"pods": "2"}}})",
    R"({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "thing"}, "spec": {"text": "x"}})",
};

/// The places of all texts in a document, and of the keys of its objects.
void collect(const Value& value, std::vector<std::size_t>& path, std::vector<std::vector<std::size_t>>& places) {
  if (value.is_string()) places.push_back(path);
  const std::size_t size = value.is_object() ? value.object().size() : value.is_array() ? value.array().size() : 0;
  for (std::size_t i = 0; i < size; ++i) {
    path.push_back(i);
    collect(value.is_object() ? value.object()[i].value : value.array()[i], path, places);
    path.pop_back();
  }
}

/// The document with the text at that place changed.
Value with_text(const Value& value, const std::vector<std::size_t>& path, std::size_t depth, std::string_view more) {
  if (depth == path.size()) return Value(value.string() + std::string(more));
  if (value.is_array()) {
    document::Array changed(value.array().begin(), value.array().end());
    changed[path[depth]] = with_text(changed[path[depth]], path, depth + 1, more);
    return Value(std::move(changed));
  }
  document::Object changed(value.object().begin(), value.object().end());
  changed[path[depth]].value = with_text(changed[path[depth]].value, path, depth + 1, more);
  return Value(std::move(changed));
}

std::vector<Value> documents() {
  std::vector<Value> all;
  for (const std::string_view text : kObjects) all.push_back(document::read_json(text, "").documents.front());
  return all;
}

std::string text_of(const std::vector<Value>& all) {
  std::string text;
  for (const Value& each : all) text += document::write_json(each) + '\n';
  return text;
}

/// Calls `visit` with an input in which one text of one object says more.
template <class Visit>
void for_each_field(std::string_view more, Visit visit) {
  const std::vector<Value> all = documents();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::size_t> path;
    std::vector<std::vector<std::size_t>> places;
    collect(all[i], path, places);
    for (const auto& place : places) {
      std::vector<Value> changed = all;
      changed[i] = with_text(all[i], place, 0, more);
      SCOPED_TRACE(document::write_json(changed[i]));
      visit(text_of(changed));
    }
  }
}

void expect_visible(const std::string& text, std::string_view what) {
  const std::size_t good = document::visible_prefix(text);
  EXPECT_EQ(good, text.size()) << what << ": " << document::visible(text.substr(good > 60 ? good - 60 : 0, 200));
}

void expect_visible(const command::Ending& ending, const Words& words) {
  expect_visible(ending.out, words.front() + " writes");
  expect_visible(ending.err, words.front() + " complains");
}

/// A forged line would begin like one of ours; what comes before may be a text, but its newline not a line's end.
TEST(Escapes, NoFieldReachesATerminalRaw) {
  const command::Folder folder;
  const Words commands[] = {{"plan"},
                            {"plan", "-o", "wide", "--keep-going"},
                            {"plan", "--nodes", "--keep-going", "--color", "always"},
                            {"explain", "--keep-going"},
                            {"lint", "--keep-going"},
                            {"plan", "--diff", "--remove-nodes", "n2", "--keep-going"}};
  for_each_field(kHostile, [&](const std::string& text) {
    const std::string file = folder.with("hostile.json", text);
    for (const Words& command : commands) {
      Words words = command;
      words.insert(words.end(), {"-f", file});
      const command::Ending ending = command::run(words);
      if (words.size() > 4 && words[3] == "--color") {  // colours are ours
        expect_visible(ending.err, "plan complains");
      } else {
        expect_visible(ending, words);
      }
    }
  });
}

/// The same texts as data: quoted as the formats quote, so that they are read again as they were.
TEST(Escapes, DocumentsStayDocuments) {
  const command::Folder folder;
  for_each_field(kHostile, [&](const std::string& text) {
    const std::string file = folder.with("hostile.json", text);
    for (const char* format : {"json", "yaml"}) {
      const Words words = {"plan", "-o", format, "--keep-going", "-q", "-f", file};
      const command::Ending ending = command::run(words);
      expect_visible(ending, words);
      if (ending.out.empty()) continue;
      const auto read = std::string_view(format) == "json" ? document::read_json(ending.out, "")
                                                           : document::read_yaml(ending.out, "");
      EXPECT_TRUE(read.problems.empty()) << read.problems.front().to_string() << '\n' << ending.out;
    }
  });
}

TEST(Escapes, AsTimePassesAndOnAPage) {
  const command::Folder folder;
  const std::string hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>" + std::string(kHostile);
  const std::string page = folder.file("page.html");
  // Names and labels of the pod, the deployment and the node.
  const std::vector<Value> all = documents();
  for (const std::size_t which : {std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
    std::vector<std::size_t> path;
    std::vector<std::vector<std::size_t>> places;
    collect(all[which], path, places);
    for (std::size_t i = 2; i < places.size(); i += 3) {
      std::vector<Value> changed = all;
      changed[which] = with_text(all[which], places[i], 0, hostile);
      SCOPED_TRACE(document::write_json(changed[which]));
      const Words words = {"plan", "--until",      "30m", "--html",
                           page,   "--keep-going", "-f",  folder.with("hostile.json", text_of(changed))};
      expect_visible(command::run(words), words);
      const std::string html = command::read(page);
      expect_visible(html, "the page");
      EXPECT_EQ(html.find("<script>alert"), std::string::npos);
      EXPECT_EQ(html.find("<img src=x"), std::string::npos);
    }
  }
}

TEST(Escapes, ArgumentsFilesAndKubeconfigs) {
  const command::Folder folder;
  const std::string hostile(kHostile);
  const std::string kubeconfig = folder.with(
      "kubeconfig", R"({"apiVersion": "v1", "kind": "Config", "current-context": "c\u001b[2J", "contexts": [{"name":
      "c\u001b[2J", "context": {"cluster": "x\u001b[31m", "user": "u"}}], "clusters": [{"name": "x\u001b[31m", "cluster":
      {"server": "https://\u001b[2J\u009b.invalid:1"}}], "users": []})");
  const std::string broken = folder.with("broken\x1b[2J.yaml", "a: [\x1b]0;x\x07\n\xff\xfe: {");
  const std::string trace = folder.with("trace.csv", "id,arrival,runtime\n\x1b[2J,x\x1b[2J,3\n");
  const Words all[] = {{hostile},
                       {"plan", "--" + hostile},
                       {"plan", "-f", "missing" + hostile},
                       {"plan", "-f", broken},
                       {"plan", "--now", hostile, "-f", broken},
                       {"plan", "-o", hostile},
                       {"lint", "-f", broken},
                       {"explain", "pod/" + hostile, "-f", folder.with("good.yaml", text_of(documents()))},
                       {"plan", "-n", hostile, "-f", folder.file("good.yaml")},
                       {"plan", "--diff", "--drain", hostile, "-f", folder.file("good.yaml")},
                       {"policy", "-f", broken},
                       {"replay", trace, "--nodes", "2"},
                       {"replay", "--check", broken},
                       {"snapshot", "load", broken, "--kubeconfig", kubeconfig},
                       {"status", "--kubeconfig", kubeconfig},
                       {"status", "--kubeconfig", kubeconfig, "--context", hostile},
                       {"explain", "--kubeconfig", kubeconfig}};
  for (const Words& words : all) {
    const command::Ending ending = command::run(words);
    expect_visible(ending, words);
    EXPECT_FALSE(ending.err.empty()) << words.front();
  }
}

/// The name of an object ends where its line says so.
TEST(Escapes, ANameForgesNoLine) {
  const command::Folder folder;
  const std::string file =
      folder.with("forged.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\nerror: all is lost\"}\nspec: {}\n");
  const command::Ending ending = command::run({"plan", "-f", file});
  EXPECT_EQ(ending.err.find("\nerror: all is lost"), std::string::npos) << ending.err;
  EXPECT_NE(ending.err.find("a\\nerror: all is lost"), std::string::npos) << ending.err;
}

}  // namespace
}  // namespace loadline::escapes
