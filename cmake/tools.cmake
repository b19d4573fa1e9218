# What makes building faster where it is installed: ccache, and mold, which links.
find_program(CCACHE ccache)
if(CCACHE)
  # One clone's results serve the next: paths below the root are looked at as relative ones. What the sloppiness allows
  # is what ccache needs for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

find_program(MOLD mold)
# g++ knows it since 12.1.
if(MOLD AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.1))
  add_link_options(-fuse-ld=mold)
endif()
