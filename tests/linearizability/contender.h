#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "linearizability/history.h"
#include "linearizability/line.h"

namespace loadline::linearizability {

/// One of several clients that write the same few ConfigMaps at the same time. It remembers what the server last
/// answered about each, which may be out of date, and writes with and without that version as a precondition.
class Contender {
 public:
  /// `history` outlives it.
  Contender(int number, History& history, std::uint64_t seed) : number_(number), history_(history), random_(seed) {}
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  /// Asks for something. REQUIRES: is_idle(), line.is_free().
  void act(Line& line);
  void get(Line& line, std::size_t object);
  [[nodiscard]] bool is_idle() const { return !is_waiting_; }
  /// The line was cut, so the answer will not come.
  void give_up() { ++turn_, is_waiting_ = false; }

 private:
  struct Known {
    Data data;
    std::string version;
  };

  void list(Line& line);
  void write(Line& line, std::size_t object);
  net::Request request_for(const Operation& operation, std::size_t object, const std::string& version);
  void ask(Line& line, const net::Request& request, History::Place place);
  void on_answer(History::Place place, int status, const std::string& body);
  void take_down(Operation& operation, std::size_t object, const document::Value& shown);
  [[nodiscard]] std::string apply_key() const { return "k" + std::to_string(number_); }

  int number_;
  History& history_;
  Rng random_;
  std::map<std::size_t, Known> known_;
  bool is_waiting_ = false;
  std::uint64_t turn_ = 0;  // answers to earlier turns are ignored
};

/// The data and the version of a ConfigMap.
std::pair<Data, std::string> read_config_map(const document::Value& object);

}  // namespace loadline::linearizability
