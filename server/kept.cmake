# kept.cmake - libraries of the page that are fetched, not committed (web/kept).
#
# They are carried in the program beside the page's own files. Once fetched,
# nothing is asked of the network again. Without them all builds and runs; the
# page says what is not there.
set(KERNSIFT_KEPT ${PROJECT_SOURCE_DIR}/build/kept CACHE PATH
	"where the libraries of the page lie once fetched")
set(KERNSIFT_CHART AUTO CACHE STRING
	"the library of the page's charts: AUTO where it can be had, ON always, OFF never")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/web/kept/package-lock.json)
set(KEPT_FILES "")
if(KERNSIFT_CHART)
	execute_process(COMMAND ${PROJECT_SOURCE_DIR}/web/kept/fetch ${KERNSIFT_KEPT}
		RESULT_VARIABLE rc ERROR_VARIABLE said ERROR_STRIP_TRAILING_WHITESPACE)
	if(rc EQUAL 0)
		set(KEPT_FILES ${KERNSIFT_KEPT}/served)
	elseif(KERNSIFT_CHART STREQUAL "AUTO")
		message(NOTICE "note: ${said}")
	else()
		message(FATAL_ERROR "${said}")
	endif()
endif()
