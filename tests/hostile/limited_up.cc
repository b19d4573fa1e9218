#include "hostile/limited_up.h"

#include <filesystem>

#include "hostile/rest.h"

namespace loadline::hostile {
namespace {

constexpr const char* kLimitInKiB = "2097152";

}  // namespace

LimitedUp::LimitedUp() {
  program_ = folder_.with(
      "limited", std::string("#!/bin/sh\nulimit -v ") + kLimitInKiB + "\nexec " + LOADLINE_PROGRAM + " \"$@\"\n");
  std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
}

bool LimitedUp::start() {
  up_ = std::make_unique<command::UpProcess>(
      program_, folder_, "run-" + std::to_string(++starts_),
      std::vector<std::string>{"--data-dir", folder_.file("data"), "--nodes", "20:gpu=a100:8"});
  return up_->says("nodes  ").find("nodes  ") != std::string::npos;
}

int LimitedUp::end() { return up_->end(); }

bool LimitedUp::is_alive() {
  const net::HttpAnswer answer = Rest(kubeconfig()).send("GET", "/livez");
  asked_ = answer.body;
  return answer.status == 200;
}

bool LimitedUp::tells_its_status() {
  const command::Ending asked = up_->run({"status"});
  asked_ = asked.err;
  return asked.status != 2;
}

std::string LimitedUp::log() { return asked_ + command::read(folder_.file("run-" + std::to_string(starts_) + ".log")); }

}  // namespace loadline::hostile
