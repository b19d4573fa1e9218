#include "server/api/columns/table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/api/partial_metadata.h"

namespace loadline::api {

using schema::GroupVersionKind;
using schema::PrinterColumn;
using schema::Resource;
namespace {

using document::Value;

const Instant kPrinted = *parse_rfc3339("2026-01-02T00:00:00Z");

Value read_manifest(const std::string& yaml) { return document::read_yaml(yaml, "test").documents.at(0); }

Value read_table(const std::string& json) {
  const document::Reading reading = document::read_json(json, "table");
  EXPECT_TRUE(reading.problems.empty()) << json;
  return reading.documents.at(0);
}

std::string names_of_columns(const Value& table) {
  std::string names;
  for (const Value& column : table.find("columnDefinitions")->array()) {
    names += (names.empty() ? "" : "|") + column.find("name")->string();
  }
  return names;
}

std::string cells_of_row(const Value& table, std::size_t index) {
  return document::write_json(*table.find("rows")->array().at(index).find("cells"));
}

const char* const kPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p, resourceVersion: '7', creationTimestamp: '2026-01-01T23:59:00Z'}, "
    "spec: {nodeName: n1}, status: {phase: Succeeded}}";

TEST(Table, OfAnObject) {
  const TableColumns columns(GroupVersionKind{"", "v1", "Pod"});
  std::string text;
  append_table(text, columns, {}, kPrinted, read_manifest(kPod));
  const Value table = read_table(text);
  EXPECT_EQ(names_of_columns(table), "Name|Ready|Status|Restarts|Age|IP|Node|Nominated Node|Readiness Gates");
  const Value without_columns = table.without("columnDefinitions");
  EXPECT_EQ(document::write_json(without_columns),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"rows":[{"cells":)"
            R"(["p","0/0","Succeeded","0","60s","<none>","n1","<none>","<none>"],"conditions":[{"type":"Completed",)"
            R"("status":"True","reason":"Succeeded","message":"The pod has completed successfully."}],"object":)"
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"p",)"
            R"("resourceVersion":"7","creationTimestamp":"2026-01-01T23:59:00Z"}}}]})");
  const Value& name = table.find("columnDefinitions")->array().at(0);
  EXPECT_EQ(name.find("type")->string(), "string");
  EXPECT_EQ(name.find("format")->string(), "name");
  EXPECT_EQ(table.find("columnDefinitions")->array().at(5).find("priority")->integer(), 1);
}

TEST(Table, IncludesWhatIsAskedFor) {
  const TableColumns columns(GroupVersionKind{"", "v1", "Pod"});
  const auto object = [&columns](TableOptions options) {
    std::string text;
    append_table(text, columns, options, kPrinted, read_manifest(kPod));
    return document::write_json(*read_table(text).find("rows")->array().at(0).find("object"));
  };
  EXPECT_EQ(object({.include = IncludeObject::kNone}), "null");
  EXPECT_EQ(object({.include = IncludeObject::kObject}), document::write_json(read_manifest(kPod)));
  EXPECT_NE(object({.version = "v1beta1"}).find(R"("apiVersion":"meta.k8s.io/v1beta1")"), std::string::npos);
  EXPECT_EQ(parse_include_object("None"), IncludeObject::kNone);
  EXPECT_EQ(parse_include_object("Object"), IncludeObject::kObject);
  EXPECT_EQ(parse_include_object(""), IncludeObject::kMetadata);
  EXPECT_EQ(parse_include_object("none"), std::nullopt);
}

TEST(Table, OfATextIsThatOfItsDocument) {
  const Value pod = read_manifest(kPod);
  const Value custom =
      read_manifest("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}");
  Resource widgets;
  widgets.is_custom = true;
  widgets.columns = {{"Size", "integer", "", "", 0, ".spec.size"}};
  const TableColumns of_pods(GroupVersionKind{"", "v1", "Pod"});
  const TableColumns of_widgets(widgets);
  for (const IncludeObject include : {IncludeObject::kMetadata, IncludeObject::kNone, IncludeObject::kObject}) {
    for (const auto& [columns, object] : {std::pair(&of_pods, pod), std::pair(&of_widgets, custom)}) {
      std::string of_text;
      TableWriter table(*columns, {.include = include}, kPrinted, of_text);
      table.begin({.resource_version = "7"});
      table.add_text(document::write_json(object));
      table.add_text(" " + document::write_json(object));  // not as it was written: read in the usual way
      table.end();
      std::string of_document;
      TableWriter usual(*columns, {.include = include}, kPrinted, of_document);
      usual.begin({.resource_version = "7"});
      usual.add(object);
      usual.add(object);
      usual.end();
      EXPECT_EQ(of_text, of_document);
    }
  }
}

TEST(Table, OfAListIsWrittenInPieces) {
  const TableColumns columns(GroupVersionKind{"", "v1", "ConfigMap"});
  std::string piece;
  std::string whole;
  TableWriter writer(columns, {.include = IncludeObject::kNone}, kPrinted, piece);
  const auto take = [&piece, &whole] {
    whole += piece;
    piece.clear();
  };
  writer.begin({.resource_version = "9", .continue_token = "more", .remaining_item_count = 4});
  take();
  writer.add(read_manifest("{metadata: {name: a}, data: {x: y}}"));
  take();
  writer.add(read_manifest("{metadata: {name: b}}"));
  take();
  writer.end();
  take();
  const Value table = read_table(whole);
  EXPECT_EQ(document::write_json(*table.find("metadata")),
            R"({"resourceVersion":"9","continue":"more","remainingItemCount":4})");
  EXPECT_EQ(cells_of_row(table, 0), R"(["a",1,"<unknown>"])");
  EXPECT_EQ(cells_of_row(table, 1), R"(["b",0,"<unknown>"])");
}

TEST(Table, WithoutRowsAndDefinitions) {
  const auto empty = [](const GroupVersionKind& kind) {
    const TableColumns columns(kind);
    std::string text;
    TableWriter writer(columns, {.has_definitions = false}, kPrinted, text);
    writer.begin({});
    writer.end();
    return text;
  };
  const std::string head = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":null,)";
  EXPECT_EQ(empty({"", "v1", "Pod"}), head + R"("rows":[]})");
  EXPECT_EQ(empty({"", "v1", "LimitRange"}), head + R"("rows":null})");
}

TEST(Table, OfAKindWithoutAPrinterShowsCreation) {
  const TableColumns columns(GroupVersionKind{"rbac.authorization.k8s.io", "v1", "ClusterRole"});
  std::string text;
  append_table(text, columns, {}, kPrinted, read_manifest(kPod));
  EXPECT_EQ(names_of_columns(read_table(text)), "Name|Created At");
  EXPECT_EQ(cells_of_row(read_table(text), 0), R"(["p","2026-01-01T23:59:00Z"])");
}

Resource widgets_with(std::vector<PrinterColumn> columns) {
  Resource resource;
  resource.kind = {"example.com", "v1", "Widget"};
  resource.is_custom = true;
  resource.columns = std::move(columns);
  return resource;
}

TEST(Table, OfACustomResourceFollowsItsDefinition) {
  const TableColumns columns(widgets_with({
      {"Size", "integer", "int32", "How big", 0, ".spec.size"},
      {"Share", "number", "", "", 0, ".spec.share"},
      {"On", "boolean", "", "", 0, ".spec.lit"},
      {"Ready", "string", "", "", 1, ".status.conditions[?(@.type==\"Ready\")].status"},
      {"First", "string", "", "", 0, ".spec.colors[*]"},
      {"All", "string", "", "", 0, ".spec.colors"},
      {"Since", "date", "", "", 0, ".spec.since"},
      {"Bad", "date", "", "", 0, ".spec.share"},
      {"Gone", "string", "", "", 0, ".spec.gone"},
      {"Odd", "integer", "", "", 0, ".spec.lit"},
  }));
  std::string text;
  append_table(
      text, columns, {.include = IncludeObject::kNone}, kPrinted,
      read_manifest("{metadata: {name: w}, spec: {size: 3.7, share: 2, lit: true, colors: [red, blue], "
                    "since: '2026-01-01T23:58:00Z'}, status: {conditions: [{type: A, status: 'False'}, {type: Ready, "
                    "status: 'True'}]}}"));
  const Value table = read_table(text);
  EXPECT_EQ(cells_of_row(table, 0), R"json(["w",3,2,true,"True","red","[\"red\",\"blue\"]","2m",null,null,null])json");
  const Value& size = table.find("columnDefinitions")->array().at(1);
  EXPECT_EQ(document::write_json(size),
            R"({"name":"Size","type":"integer","format":"int32","description":"How big","priority":0})");
  EXPECT_EQ(table.find("columnDefinitions")->array().at(2).find("description")->string(),
            "Custom resource definition column (in JSONPath format): .spec.share");
}

TEST(Table, OfACustomResourceWithoutColumnsShowsItsAge) {
  TableColumns columns(widgets_with({}));
  columns = TableColumns(columns);
  std::string text;
  append_table(text, columns, {}, kPrinted, read_manifest(kPod));
  EXPECT_EQ(names_of_columns(read_table(text)), "Name|Age");
  EXPECT_EQ(cells_of_row(read_table(text), 0), R"(["p","60s"])");
}

TEST(Table, EndsColumnsAtAPathThatCannotBeParsed) {
  const TableColumns columns(widgets_with(
      {{"A", "string", "", "", 0, ".a"}, {"B", "string", "", "", 0, ".b["}, {"C", "string", "", "", 0, ".c"}}));
  std::string text;
  append_table(text, columns, {}, kPrinted, read_manifest("{metadata: {name: w}, a: 1}"));
  EXPECT_EQ(names_of_columns(read_table(text)), "Name|A");
  EXPECT_EQ(cells_of_row(read_table(text), 0), R"(["w","1"])");
}

TEST(PartialMetadata, KeepsMetadataOnly) {
  std::string list;
  const std::vector<Value> objects = {read_manifest("{metadata: {name: a}, spec: {b: c}}"), read_manifest("{}")};
  append_partial_metadata_list_head(list, {.resource_version = "3"});
  EXPECT_EQ(list,
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},)"
            R"("items":[)");
  std::string items;
  for (const Value& object : objects) append_partial_metadata(items, object);
  EXPECT_EQ(items, R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}})"
                   R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}})");
  std::string one;
  append_partial_metadata(one, objects[0], "v1beta1");
  EXPECT_EQ(one, R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"a"}})");
}

}  // namespace
}  // namespace loadline::api
