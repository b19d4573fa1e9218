#include "app/report/words.h"

#include <gtest/gtest.h>

#include "brain/capacity/node_template_text.h"

namespace loadline::report {
namespace {

TEST(Words, AreTheSameOfSiblings) {
  EXPECT_EQ(without_name("pods \"web-0\" is forbidden: web-0", "web-0"),
            without_name("pods \"web-17\" is forbidden: web-17", "web-17"));
  EXPECT_EQ(without_name("aaa", "a"), "\x01\x01\x01");
  EXPECT_EQ(without_name("as it is", ""), "as it is");
}

TEST(Words, DescribeNodesThatDoNotExist) {
  EXPECT_EQ(node_template_text(capacity::nodes_like("gpu-a", 2)), "like gpu-a");
  EXPECT_EQ(node_template_text(*capacity::parse_node_template("2:gpu=a100:8,label=team=ml")),
            "with gpu=a100:8,label=team=ml");
  EXPECT_EQ(node_template_text({}), "of no special kind");
}

TEST(Words, WriteASpanOfTimeInHoursMinutesAndSeconds) {
  EXPECT_EQ(span_text(Duration{}), "0s");
  EXPECT_EQ(span_text(Duration::seconds(30)), "30s");
  EXPECT_EQ(span_text(Duration::seconds(60)), "1m");
  EXPECT_EQ(span_text(Duration::seconds(3600)), "1h");
  EXPECT_EQ(span_text(Duration::seconds(5405)), "1h30m5s");
}

TEST(Words, LeavesOutWhatMeansNothingToAReader) {
  EXPECT_EQ(for_readers("0/1 nodes are available: persistentvolumeclaim \"a\" not found. not found"),
            "0/1 nodes are available: persistentvolumeclaim \"a\" not found.");
  EXPECT_EQ(for_readers("persistentvolumeclaim \"a\" not found"), "persistentvolumeclaim \"a\" not found");
}

}  // namespace
}  // namespace loadline::report
