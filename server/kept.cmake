# kept.cmake - fetches libraries of the dashboard that are not committed (web/kept).
#
# A build fetches them once and compiles them into the program with the dashboard's own
# files. Without them everything builds and runs; the dashboard reports what is missing.
set(KERNSIFT_KEPT ${PROJECT_SOURCE_DIR}/build/kept CACHE PATH
	"folder of the page's fetched libraries")
set(KERNSIFT_CHART AUTO CACHE STRING
	"the library of the page's charts: AUTO if it can be fetched, ON always, OFF never")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/web/kept/package-lock.json)
set(KEPT_FILES "")
if(KERNSIFT_CHART)
	execute_process(COMMAND ${PROJECT_SOURCE_DIR}/web/kept/fetch ${KERNSIFT_KEPT}
		RESULT_VARIABLE rc ERROR_VARIABLE fetch_error ERROR_STRIP_TRAILING_WHITESPACE)
	if(rc EQUAL 0)
		set(KEPT_FILES ${KERNSIFT_KEPT}/served)
	elseif(KERNSIFT_CHART STREQUAL "AUTO")
		message(NOTICE "note: ${fetch_error}")
	else()
		message(FATAL_ERROR "${fetch_error}")
	endif()
endif()
