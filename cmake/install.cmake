# What `cmake --install` puts under a prefix: the program, and what authors of scoring plugins need to build against it:
# the header, and a package for find_package(loadline) with the target loadline::plugin.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/loadline)
install(TARGETS loadline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/loadline/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loadline)
set_target_properties(loadline_plugin PROPERTIES EXPORT_NAME plugin)
install(TARGETS loadline_plugin EXPORT loadline)
install(EXPORT loadline NAMESPACE loadline:: DESTINATION ${package} FILE loadlineConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadlineConfigVersion.cmake COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/loadlineConfigVersion.cmake DESTINATION ${package})
