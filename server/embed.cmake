# embed.cmake - converts folders to tables of `struct embedded` (base/embedded.h).
#
# The assembler's .incbin includes the bytes. So a file of any size or kind needs no
# generated text, and its bytes are exactly those on disk.
#
#   embed(target table directory)         when the build is configured
#   cmake -DTABLE= -DDIR= -DOUT= -P       during the build, for files that the build makes

# embed_text(text table directory files...): sets `text` to the C source of a table.
function(embed_text out table dir)
	set(text "/* ${table}.c - made by embed.cmake: files carried in the program. */\n")
	string(APPEND text "#include \"embedded.h\"\n\n")
	set(rows "")
	set(i 0)
	foreach(f ${ARGN})
		string(APPEND text
			"__asm__(\".section .rodata\\n.balign 16\\n\"\n"
			"\t\".L${table}_${i}:\\n.incbin \\\"${dir}/${f}\\\"\\n\"\n"
			"\t\".L${table}_${i}_end:\\n.byte 0\\n\"\n"
			"\t\".balign 8\\n.globl ${table}_${i}_at\\n.hidden ${table}_${i}_at\\n\"\n"
			"\t\"${table}_${i}_at: .quad .L${table}_${i}_end - .L${table}_${i}\\n\"\n"
			"\t\".globl ${table}_${i}_bytes\\n.hidden ${table}_${i}_bytes\\n\"\n"
			"\t\".set ${table}_${i}_bytes, .L${table}_${i}\\n.previous\");\n"
			"extern const unsigned char ${table}_${i}_bytes[];\n"
			"extern const unsigned long ${table}_${i}_at;\n")
		string(APPEND rows "\t{ \"${f}\", ${table}_${i}_bytes, &${table}_${i}_at },\n")
		math(EXPR i "${i} + 1")
	endforeach()
	string(APPEND text "\nconst struct embedded ${table}[] = {\n${rows}\t{ 0 },\n};\n")
	set(${out} "${text}" PARENT_SCOPE)
endfunction()

# embed(target table directory): compiles every file below the directory into the target.
function(embed target table dir)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/${table}.c)
	file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*)
	list(FILTER files EXCLUDE REGEX "(^|/)(README\\.md|\\.gitkeep)$")
	list(SORT files)
	embed_text(text ${table} ${dir} ${files})
	file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
	target_sources(${target} PRIVATE ${out})
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/server/base)
	list(TRANSFORM files PREPEND ${dir}/)
	set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${files}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
	file(GLOB_RECURSE files RELATIVE ${DIR} ${DIR}/*)
	list(SORT files)
	embed_text(text ${TABLE} ${DIR} ${files})
	file(WRITE ${OUT} "${text}")
endif()
