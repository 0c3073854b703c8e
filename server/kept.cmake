# kept.cmake - compiles the dashboard into the program, with packages that are not
# committed (web/kept).
#
# A build downloads the packages once: a library of the dashboard, and the bundler.
# Without them everything builds and runs; the dashboard reports what is missing.
set(KERNSIFT_KEPT ${PROJECT_SOURCE_DIR}/build/kept CACHE PATH
	"folder of the page's fetched libraries")
set(KERNSIFT_NPM AUTO CACHE STRING
	"the dashboard's packages from npm: AUTO if they can be fetched, ON always, OFF never")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/web/kept/package-lock.json)
set(KEPT_LOCK "")
if(KERNSIFT_NPM)
	execute_process(COMMAND ${PROJECT_SOURCE_DIR}/web/kept/fetch ${KERNSIFT_KEPT}
		RESULT_VARIABLE rc ERROR_VARIABLE fetch_error ERROR_STRIP_TRAILING_WHITESPACE)
	if(rc EQUAL 0)
		set(KEPT_LOCK ${KERNSIFT_KEPT}/package-lock.json)
	elseif(KERNSIFT_NPM STREQUAL "AUTO")
		message(NOTICE "note: ${fetch_error}")
	else()
		message(FATAL_ERROR "${fetch_error}")
	endif()
endif()

# embed_page(target table): bundles and compresses the dashboard (web/kept/bundle), and
# compiles it into the target. The names of bundled files are known only then, so this
# happens during the build.
function(embed_page target table)
	set(page ${CMAKE_CURRENT_BINARY_DIR}/page)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/${table}.c)
	set(kept "")
	if(KEPT_LOCK)
		set(kept ${KERNSIFT_KEPT})
	endif()
	file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
	add_custom_command(OUTPUT ${out}
		COMMAND ${PROJECT_SOURCE_DIR}/web/kept/bundle
			${PROJECT_SOURCE_DIR}/web "${kept}" ${page}
		COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DDIR=${page} -DOUT=${out}
			-P ${CMAKE_CURRENT_SOURCE_DIR}/embed.cmake
		DEPENDS ${sources} ${KEPT_LOCK} ${CMAKE_CURRENT_SOURCE_DIR}/embed.cmake
		COMMENT "bundling the dashboard" VERBATIM)
	target_sources(${target} PRIVATE ${out})
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/server/base)
endfunction()
