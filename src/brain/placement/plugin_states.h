#pragma once

#include <memory>
#include <vector>

namespace loadline::placement {

class Plugin;

/// What a plugin remembers from PreFilter or PreScore to the end of one cycle, or longer: see Locality.
struct PluginState {
  virtual ~PluginState() = default;
};

/// The states of some plugins, by plugin and type. O(states) to find one: there are a handful.
class PluginStates {
 public:
  template <class State>
  [[nodiscard]] State* find(const Plugin* plugin) const {
    for (const Slot& slot : slots_) {
      if (slot.plugin == plugin && slot.type == &kTypeOf<State>) return static_cast<State*>(slot.state.get());
    }
    return nullptr;
  }
  template <class State>
  State& add(const Plugin* plugin) {
    slots_.push_back({plugin, &kTypeOf<State>, std::make_unique<State>()});
    return static_cast<State&>(*slots_.back().state);
  }

 private:
  template <class State>
  static constexpr char kTypeOf = 0;  // its address stands for the type

  struct Slot {
    const Plugin* plugin;
    const void* type;
    std::unique_ptr<PluginState> state;
  };
  std::vector<Slot> slots_;
};

}  // namespace loadline::placement
