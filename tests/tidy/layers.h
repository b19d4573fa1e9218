#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::tidy {

/// Rooms are named with their wing: "brain/placement".

/// Whether `room` may include from, and link, `other`: itself, what its line of the table names, and what stands below
/// those.
bool may_include(std::string_view room, std::string_view other);

std::string_view wing_of(std::string_view room);

/// Whether the table has a line for `room`.
bool is_known_room(std::string_view room);

/// What is wrong with the table itself: a room that names one which stands after it, a wing that is begun twice. Empty
/// if nothing is wrong.
std::string table_fault();

/// Whether code that decides may include <header>: a part of the standard library that neither waits, nor asks for the
/// time, nor reaches files, sockets or other threads; and fmt.
bool is_pure(std::string_view header);

/// Whether one of our headers is for code that acts.
bool is_acting(std::string_view path);

/// The rooms that the `DEPENDS` of a room's CMakeLists.txt names, where they have no wing.
std::vector<std::string> linked_rooms(std::string_view cmake_text);

}  // namespace loadline::tidy
