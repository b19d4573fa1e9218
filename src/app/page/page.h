#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace loadline::page {

/// What a chart's horizontal axis counts.
enum class Axis { kSeconds, kNumber };

/// A value from `x` on, until the next point: a step.
struct Point {
  double x = 0;
  double y = 0;
};

struct Curve {
  std::string name;
  std::vector<Point> points;  ///< by ascending x
};

/// Curves over time. The unit says how values are written: with "%" they are fractions of 1, with "s" they are seconds
/// and read "7h 12m"; any other unit ("GPUs", "pods") stands beside the axis. A value that is no number is left out.
struct LineChart {
  std::string title;
  std::string unit;
  Axis axis = Axis::kSeconds;
  std::vector<Curve> curves;
  double end = 0;  ///< how far the axis reaches at least: a curve's last value holds until there
};

/// Something that lasts.
struct Span {
  double from = 0;
  double to = 0;
  std::string label;    ///< written into it where there is room
  std::string details;  ///< shown when it is pointed at
  /// What tells it from others: spans of one group have one colour. "waiting" and "failed" have colours of their own.
  std::string group;
};

/// A line of a Gantt chart: a workload, or a node.
struct Lane {
  std::string name;
  std::vector<Span> spans;  ///< they may overlap: then they stand below each other
};

struct Gantt {
  std::string title;
  double end = 0;  ///< of the time shown, in seconds
  std::vector<Lane> lanes;
};

/// A mean with the interval in which it lies with 95 % confidence.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// One value of each of several variants, side by side; units are those of LineChart.
struct Comparison {
  std::string title;
  std::string unit;
  struct Variant {
    std::string name;
    Estimate value;
  };
  std::vector<Variant> variants;
};

/// A column whose cells are all numbers stands to the right.
struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A few large figures: {"makespan", "7h 12m"}.
struct Figures {
  std::vector<std::pair<std::string, std::string>> values;
};

/// A paragraph. Those with a heading stand folded below it ("How to read this page") until a reader opens it;
/// neighbours with the same heading share it.
struct Text {
  std::string paragraph;
  std::string folded_under = {};
};

/// An HTML page that holds all it needs: it opens from a file, without a network.
struct Page {
  std::string title;
  std::string subtitle;
  std::vector<std::variant<Figures, Text, LineChart, Gantt, Comparison, Table>> parts;
};

/// The page as one HTML document. The same page gives the same bytes. Whatever text it is given, it shows as text.
std::string html(const Page& page);

}  // namespace loadline::page
