#include "app/cli/snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/choices.h"
#include "app/cli/complaints.h"
#include "app/cli/live/api.h"
#include "app/cli/live/save_cluster.h"
#include "app/cli/live/snapshot_file.h"
#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr std::size_t kMostBytes = std::size_t{3} << 19;  // of a request: half of what a server takes

constexpr std::string_view kSnapshotExamples = R"(Examples:
  Keep the cluster as it is now, and go back to it later:
    loadline snapshot save cluster.yaml.gz
    loadline up --in-memory --port 0 --snapshot cluster.yaml.gz
  What would happen if ...? No cluster needs to run for that:
    loadline plan --cluster cluster.yaml.gz --diff --drain node-3
  A real cluster, rebuilt from virtual nodes:
    loadline dump -o cluster.yaml
    loadline up --snapshot cluster.yaml

Objects that are in the cluster already stay as they are when a snapshot is loaded. Secrets are saved, too: keep the file
to yourself.

Exit status: 0 done; 1 the cluster refused some objects; 2 nothing was saved or loaded.)";

struct SnapshotArguments {
  AccessArguments access;
  std::string action;
  std::string file;
};

class SnapshotCommand {
 public:
  SnapshotCommand(const SnapshotArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    Result<ClusterApi> api = ClusterApi::open(arguments_.access);
    if (!api) return fail(api.error().message);
    api_ = std::make_unique<ClusterApi>(*std::move(api));
    return arguments_.action == "save" ? save() : load();
  }

 private:
  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  int save() {
    const std::string& file = arguments_.file;
    const Result<SavedCluster> saved = save_cluster(*api_, Extent::kCluster, nullptr, file, console_);
    if (!saved) return fail(saved.error().message);
    if (file != "-") {
      console_.err << fmt::format("saved {} to {}\n", counted(saved->reading.objects, "object"), file);
    }
    return kDone;
  }

  int load() {
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    SnapshotFile snapshot = read_snapshot({arguments_.file}, console_.in, {now.count()});
    const Complaints complaints = sorted_complaints(std::move(snapshot.diagnostics), Warnings::kHidden);
    for (const std::string& line : complaints.lines) console_.err << line << '\n';
    if (complaints.errors > 0) {
      console_.err << complaint_count(complaints) << "; nothing was loaded.\n";
      return kBadInput;
    }
    if (const ApiResult<Value> clock = api_->get("/loadline/v1/clock"); !clock) {
      return fail(clock.error().status != ApiProblem::kNotFound
                      ? clock.error().message
                      : fmt::format("the cluster of context \"{}\" was not started by loadline up, so nothing can be "
                                    "put back into it; loadline up --snapshot {} makes one that it can",
                                    api_->access().context, arguments_.file));
    }
    return send(snapshot.objects);
  }

  /// Sends the objects in portions, and says what became of them.
  int send(const std::vector<Value>& objects) {
    for (std::size_t begin = 0; begin < objects.size();) {
      std::string body = R"({"objects":[)";
      std::size_t end = begin;
      for (; end < objects.size() && (end == begin || body.size() < kMostBytes); ++end) {
        if (end > begin) body += ',';
        document::append_json(body, objects[end]);
      }
      body += end < objects.size() ? R"(],"more":true})" : "]}";
      const ApiResult<Value> answer = api_->post("/loadline/v1/restore", body);
      if (!answer) return fail(answer.error().message);
      take(*answer, objects, begin);
      begin = end;
    }
    return tell();
  }

  void take(const Value& answer, const std::vector<Value>& objects, std::size_t begin) {
    const Value* results = answer.find("results");
    if (results == nullptr || !results->is_array()) return;
    for (std::size_t i = 0; i < results->array().size() && begin + i < objects.size(); ++i) {
      const Value& object = objects[begin + i];
      const std::string_view outcome = document::text_at(results->array()[i], {"outcome"});
      const std::string_view why = document::text_at(results->array()[i], {"why"});
      const std::string_view kind = document::text_at(object, {"kind"});
      if (outcome == "created") {
        ++created_;
      } else if (outcome == "there") {
        ++there_;
      } else if (why.starts_with("no matches for kind")) {
        ++unknown_[fmt::format("{} ({})", kind, document::text_at(object, {"apiVersion"}))];
      } else {
        ++refused_;
        const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
        console_.err << fmt::format("error: {} {}{}{}: {}\n", kind, name_space, name_space.empty() ? "" : "/",
                                    document::text_at(object, {"metadata", "name"}), why);
      }
    }
  }

  int tell() {
    if (!unknown_.empty()) {
      std::vector<std::string> kinds;
      kinds.reserve(unknown_.size());
      for (const auto& [kind, count] : unknown_) kinds.push_back(fmt::format("{} {}", count, kind));
      console_.err << fmt::format("skipped, as the cluster has no such kinds: {}\n", fmt::join(kinds, ", "));
    }
    console_.err << fmt::format("loaded {}", counted(created_, "object"));
    if (there_ > 0) console_.err << fmt::format("; {} were there already and stay as they are", there_);
    if (refused_ > 0) console_.err << fmt::format("; {} were refused", refused_);
    console_.err << '\n';
    return refused_ > 0 ? kNotAllPlaced : kDone;
  }

  const SnapshotArguments& arguments_;
  Console& console_;
  std::unique_ptr<ClusterApi> api_;
  std::size_t created_ = 0;
  std::size_t there_ = 0;
  std::size_t refused_ = 0;
  std::map<std::string, std::size_t> unknown_;
};

}  // namespace

void add_snapshot(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("snapshot", "Save a whole running cluster to a file, or load one");
  auto arguments = std::make_shared<SnapshotArguments>();
  command->add_option("action", arguments->action, "save or load")
      ->required()
      ->check(CLI::IsMember(fixed_choices("action", command->get_name())));
  command
      ->add_option("file", arguments->file, "The file: .yaml or .json, also with .gz; - for standard input or output")
      ->required();
  add_access_options(*command, arguments->access);
  command->footer(std::string(kSnapshotExamples));
  command->callback([arguments, &console, &status] { status = SnapshotCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
