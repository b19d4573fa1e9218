#pragma once

/// Contracts: what a function needs of its caller stands as "REQUIRES: …" in its header, and is checked at the top of
/// its body by one of two macros. A contract that does not hold is a bug of ours and never an input's fault (those are
/// Results and Diagnostics), so the program says where and which, and ends before anything is decided on a wrong basis.
///
/// REQUIRES(condition) is checked in every build, the release too. It is for what costs a comparison or a look-up.
/// REQUIRES_SLOW(condition) is compiled always, but checked only without NDEBUG: for what is not constant-time, or
/// stands where it would be measured.
///
///     std::int64_t Value::integer() const {
///       REQUIRES(is_integer());
///
/// What can be asked neither way (that an argument outlives the callee, that a document came from a certain function)
/// stands in the header alone.
#define REQUIRES(...)                                  \
  (__builtin_expect(static_cast<bool>(__VA_ARGS__), 1) \
       ? static_cast<void>(0)                          \
       : ::loadline::contract::violated(#__VA_ARGS__, __FILE__, __LINE__, static_cast<const char*>(__func__)))

#ifdef NDEBUG
#define REQUIRES_SLOW(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))
#else
#define REQUIRES_SLOW(...) REQUIRES(__VA_ARGS__)
#endif

namespace loadline::contract {

/// Says on standard error which condition did not hold, where, and, where the platform can, the addresses of the
/// callers; and aborts.
[[noreturn, gnu::cold, gnu::noinline]] void violated(const char* condition, const char* file, int line,
                                                     const char* function);

}  // namespace loadline::contract
