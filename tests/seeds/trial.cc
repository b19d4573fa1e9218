#include "seeds/trial.h"

#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "command/command.h"

namespace loadline::seeds {
namespace {

namespace fs = std::filesystem;
using command::Ending;

constexpr const char* kScenarios = "tests/scenarios/cases";
constexpr const char* kFiles = "tests/seeds/files";
constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kPause = std::chrono::milliseconds(100);

/// The text with every run of white space made one space, so that tables may be as wide as they like.
std::string squeezed(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    const bool is_space = letter == ' ' || letter == '\n' || letter == '\t';
    if (!is_space)
      made += letter;
    else if (!made.empty() && made.back() != ' ')
      made += ' ';
  }
  return made;
}

bool has(const std::string& text, const std::string& part) {
  return squeezed(text).find(squeezed(part)) != std::string::npos;
}

bool has_all(const std::string& text, const Texts& parts) {
  for (const std::string& part : parts) {
    if (!has(text, part)) return false;
  }
  return true;
}

void expect_texts(const std::string& text, const Texts& parts, Texts& wrong) {
  for (const std::string& part : parts) {
    if (!has(text, part)) wrong.push_back("does not show \"" + part + "\":\n" + text);
  }
}

/// A row that is "not yet" fails on the day it works.
void expect_not_yet(const std::string& text, const Texts& once, Texts& wrong) {
  if (!once.empty() && has_all(text, once)) wrong.push_back("works by now; its row says that it does not:\n" + text);
}

Texts arguments_of(const fs::path& scenario) {
  Texts arguments = {"plan", "--filename", (scenario / "input*.yaml").string()};
  return arguments;
}

void add_setting(const fs::path& scenario, Texts& arguments) {
  if (fs::exists(scenario / "cluster.yaml")) {
    arguments.insert(arguments.end(), {"--cluster", (scenario / "cluster.yaml").string()});
  }
  if (fs::exists(scenario / "config.yaml")) {
    arguments.insert(arguments.end(), {"--config", (scenario / "config.yaml").string()});
  }
  for (const std::string& line : command::lines_of(command::read(scenario / "args"))) {
    if (!line.empty()) arguments.push_back(line);
  }
}

Ending run_scenario(const std::string& name) {
  const fs::path folder = fs::path(kScenarios) / name;
  Texts arguments = arguments_of(folder);
  add_setting(folder, arguments);
  return command::run(arguments);
}

/// What the row says of a plan, held against it.
Texts judge(const Row& row, const Ending& ending) {
  Texts wrong;
  const std::string text = ending.text();
  expect_texts(text, row.plan->shows, wrong);
  expect_not_yet(text, row.plan->once, wrong);
  const bool is_refused = ending.status == 2;
  if (is_refused != (row.state == State::kRefused)) {
    wrong.push_back("exit status " + std::to_string(ending.status) + ":\n" + text);
  }
  if (row.state == State::kTold && ending.err.empty()) wrong.push_back("nothing is told:\n" + text);
  return wrong;
}

}  // namespace

Texts try_scenario(const Row& row) {
  if (!fs::exists(fs::path(kScenarios) / row.plan->scenario)) return {"there is no scenario " + row.plan->scenario};
  Texts wrong = judge(row, run_scenario(row.plan->scenario));
  if (!row.plan->mended.empty()) {
    const Ending mended = run_scenario(row.plan->mended);
    if (mended.status == 2 || mended.out.empty()) wrong.push_back("its mend is refused:\n" + mended.text());
  }
  return wrong;
}

Texts try_block(const Row& row, const std::string& block, const command::Folder& folder) {
  const fs::path scenario = fs::path(kScenarios) / row.plan->scenario;
  Texts arguments = {"plan", "--filename", folder.with("block.yaml", block)};
  for (const std::string& file : row.plan->with) {
    const bool is_path = file.find('/') != std::string::npos;
    arguments.insert(arguments.end(), {"--filename", is_path ? file : (scenario / file).string()});
  }
  add_setting(scenario, arguments);
  const Ending ending = command::run(arguments);
  Texts wrong = judge(row, ending);
  // Our own scenarios hold more than the block, of which something may be told.
  if (row.state == State::kWorks && ending.err.find("warning:") != std::string::npos) {
    wrong.push_back("works, but something is told:\n" + ending.err);
  }
  return wrong;
}

bool has_kubectl() { return std::system("command -v kubectl >/dev/null 2>&1") == 0; }  // NOLINT(concurrency-mt-unsafe)

LiveTrials::LiveTrials(const Table& table) : table_(table) {
  fs::copy(kFiles, folder_.path(), fs::copy_options::recursive);
}

command::UpProcess& LiveTrials::cluster_of(const LiveTrial& trial) {
  std::unique_ptr<command::UpProcess>& place = trial.cluster ? own_ : shared_;
  if (trial.cluster || place == nullptr) {
    Texts options;
    for (const std::string& option : trial.cluster.value_or(table_.cluster)) {
      options.push_back(option.starts_with("FILES/") ? folder_.file(option.substr(6)) : option);
    }
    place = nullptr;  // ends the one before
    place = std::make_unique<command::UpProcess>(LOADLINE_PROGRAM, folder_, "up" + std::to_string(++started_), options);
    place->says("Kubernetes API");
    current_ = place.get();
    ask({"kubectl get nodes", {" Ready "}});
  }
  return *place;
}

LiveTrials::Answer LiveTrials::shell(const std::string& line) const {
  const std::string script = "cd '" + folder_.path().string() + "' && export HOME=\"$PWD\" KUBECONFIG='" +
                             current_->kubeconfig() + "' && { " + line + "\n} 2>&1";
  Answer answer;
  FILE* pipe = popen(script.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    answer.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

LiveTrials::Answer LiveTrials::ask(const Question& question) const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    Answer answer = shell(question.command);
    if (has_all(answer.text, question.shows) || std::chrono::steady_clock::now() > end) return answer;
    std::this_thread::sleep_for(kPause);
  }
}

Texts LiveTrials::try_row(const Row& row, const std::string& block) {
  const LiveTrial& trial = *row.live;
  Texts wrong;
  current_ = &cluster_of(trial);
  if (!row.is_command) folder_.with("block.yaml", block.empty() ? command::read(trial.ours) : block);
  for (const std::string& line : trial.before) {
    if (const Answer answer = shell(line); answer.status != 0) wrong.push_back(line + " fails: " + answer.text);
  }
  std::string last;
  if (trial.command != "-") {
    const std::string line = trial.command.empty() ? row.what : trial.command;
    const Answer answer = shell(line);
    last = answer.text;
    expect_texts(answer.text, trial.shows, wrong);
    if ((answer.status != 0) != (row.state == State::kRefused)) {
      wrong.push_back(line + " ends with status " + std::to_string(answer.status) + ": " + answer.text);
    }
  }
  for (const std::string& line : trial.mended) {
    if (const Answer answer = shell(line); answer.status != 0) {
      wrong.push_back("the mend " + line + " fails: " + answer.text);
    }
  }
  for (const Question& question : trial.then) {
    last = ask(question).text;
    expect_texts(last, question.shows, wrong);
  }
  expect_not_yet(last, trial.once, wrong);
  return wrong;
}

}  // namespace loadline::seeds
