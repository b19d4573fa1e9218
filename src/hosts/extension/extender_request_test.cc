#include "hosts/extension/extender_request.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

namespace loadline::extension {
namespace {

constexpr const char* kFolder = LOADLINE_SOURCE_DIR "/conformance/extender/requests/";

std::string text_of(const std::string& file) {
  std::ifstream stream(kFolder + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Requests about the objects of one file, compared with those beside it. conformance/extender compares the same with
/// what kube-scheduler sends.
struct ExtenderRequestTest : ::testing::Test {
  kube::Objects objects_;
  std::vector<const kube::Node*> nodes_;
  std::vector<placement::ShownCandidate> candidates_;

  void SetUp() override {
    document::Reading reading = document::read(text_of("objects.yaml"), "objects.yaml");
    std::vector<kube::SourceDocument> documents;
    for (document::Value& value : reading.documents) documents.push_back({std::move(value), "objects.yaml"});
    kube::Decoding decoding = kube::decode(documents);
    for (const Diagnostic& diagnostic : decoding.diagnostics) ADD_FAILURE() << diagnostic.to_string();
    objects_ = std::move(decoding.objects);
    ASSERT_EQ(objects_.of<kube::Pod>().size(), 2U);
    ASSERT_EQ(objects_.of<kube::Node>().size(), 2U);
    nodes_ = {&objects_.of<kube::Node>()[0], &objects_.of<kube::Node>()[1]};
    candidates_ = {{nodes_[0], {&objects_.of<kube::Pod>()[1]}, 1}};
  }
  [[nodiscard]] const kube::Pod& pod() const { return objects_.of<kube::Pod>()[0]; }
};

TEST_F(ExtenderRequestTest, NamesNodes) {
  ExtenderRequests requests(ExtenderRequests::Nodes::kNames);
  EXPECT_EQ(requests.about_nodes(pod(), nodes_) + "\n", text_of("filter-names.json"));
  EXPECT_EQ(requests.about_preemption(pod(), candidates_) + "\n", text_of("preempt-names.json"));
}

TEST_F(ExtenderRequestTest, HoldsWholeNodes) {
  ExtenderRequests requests(ExtenderRequests::Nodes::kWhole);
  EXPECT_EQ(requests.about_nodes(pod(), nodes_) + "\n", text_of("filter-nodes.json"));
  EXPECT_EQ(requests.about_nodes(pod(), nodes_) + "\n", text_of("filter-nodes.json"));  // what was kept of them
  EXPECT_EQ(requests.about_preemption(pod(), candidates_) + "\n", text_of("preempt-nodes.json"));
}

TEST_F(ExtenderRequestTest, Binds) {
  EXPECT_EQ(ExtenderRequests::about_binding(pod(), "n1") + "\n", text_of("bind.json"));
}

}  // namespace
}  // namespace loadline::extension
