#include "app/cli/dump.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "app/cli/live/save_cluster.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kDumpExamples = R"(Examples:
  Plan with a cluster as it is now, as often as you like:
    loadline dump -o cluster.json.gz
    loadline plan --cluster cluster.json.gz -f my-app/
  Another context of the kubeconfig; to a program:
    loadline dump --context production -o - | loadline lint -f -

The file holds all objects of the kinds that decisions read, each in a version that the cluster serves. Left out are
Secrets; the values of environment variables; the data of ConfigMaps, but for scheduler configurations and GPU sharing of
device plugins; and kubectl's last-applied annotations. Commands, arguments, labels and other annotations stay. Only its
owner may read the file. To put a whole cluster back later, use loadline snapshot save.

Exit status: 0 done; 1 some kinds may not be listed by this user, and are not in the file; 2 nothing was written.)";

struct DumpArguments {
  AccessArguments access;
  std::string file;  ///< empty: none was named
};

/// "1,234 B", "3.4 MiB".
std::string size_text(std::size_t bytes) {
  constexpr double kUnit = 1024;
  const auto size = static_cast<double>(bytes);
  if (size < kUnit) return fmt::format("{} B", bytes);
  return size < kUnit * kUnit ? fmt::format("{:.1f} KiB", size / kUnit)
                              : fmt::format("{:.1f} MiB", size / kUnit / kUnit);
}

class DumpCommand {
 public:
  DumpCommand(const DumpArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    if (arguments_.file.empty() && console_.out_terminal.interactive) {
      return fail("name the file with -o, as cluster.json.gz; -o - writes to the terminal");
    }
    Result<ClusterApi> api = ClusterApi::open(arguments_.access);
    if (!api) return fail(api.error().message);
    const std::string file = arguments_.file.empty() ? "-" : arguments_.file;
    LeftOut left_out;
    const Result<SavedCluster> saved = save_cluster(*api, Extent::kDecisions, &left_out, file, console_);
    if (!saved) return fail(saved.error().message);
    for (const std::string& message : saved->reading.withheld) console_.err << "warning: " << message << '\n';
    tell(*saved, left_out, file);
    return saved->reading.withheld.empty() ? kDone : kNotAllPlaced;
  }

 private:
  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  void tell(const SavedCluster& saved, const LeftOut& left_out, const std::string& file) {
    const std::string where = file == "-" ? "" : fmt::format(" to {} ({})", file, size_text(saved.bytes));
    console_.err << fmt::format("dumped {} of {}{}\n", counted(saved.reading.objects, "object"),
                                counted(saved.reading.kinds, "kind"), where);
    console_.err << fmt::format("left out: Secrets, {} of environment variables, the data of {}\n",
                                counted(left_out.variables(), "value"), counted(left_out.config_maps(), "ConfigMap"));
    const std::size_t missing = saved.reading.withheld.size();
    if (missing > 0) {
      console_.err << fmt::format("not in it, as this user may not list {}: {}\n", missing == 1 ? "it" : "them",
                                  counted(missing, "kind"));
    }
  }

  const DumpArguments& arguments_;
  Console& console_;
};

}  // namespace

void add_dump(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("dump", "Write all that decisions read of a running cluster to a file");
  auto arguments = std::make_shared<DumpArguments>();
  command->add_option("-o,--output", arguments->file,
                      "The file: .json or .yaml, also with .gz; - for standard output, which is the default for pipes");
  add_access_options(*command, arguments->access);
  command->footer(std::string(kDumpExamples));
  command->callback([arguments, &console, &status] { status = DumpCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
