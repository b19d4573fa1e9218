#include "app/cli/difference_output.h"

#include <ostream>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/difference.h"
#include "app/cli/view/page.h"
#include "app/report/diff_document.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

void write_page(const DifferenceView& view, OutputFormat format, Console& console) {
  write_lines(difference_page(view), console);
  const report::Table table = report::diff_table(view.comparison);
  if (format != OutputFormat::kWide || table.rows.empty()) return;
  console.out << '\n';
  write_lines(lay_out(to_grid(table), console.out_terminal), console);
}

}  // namespace

void write_difference(const simulator::Comparison& comparison, const std::string& title, OutputFormat format,
                      Console& console) {
  switch (format) {
    case OutputFormat::kTable:
    case OutputFormat::kWide:
      write_page({comparison, title, console.out_terminal}, format, console);
      break;
    case OutputFormat::kJson:
      console.out << document::write_json(report::diff_document(comparison), document::JsonStyle::kIndented) << '\n';
      break;
    case OutputFormat::kYaml:
      console.out << document::write_yaml(report::diff_document(comparison));
      break;
    case OutputFormat::kCsv:
      console.out << report::to_csv(report::diff_csv(comparison));
      break;
  }
}

}  // namespace loadline::cli
