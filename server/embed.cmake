# embed(target table directory...): compiles every file below the directories into the
# target, as a table of `struct embedded` (base/embedded.h).
#
# The assembler's .incbin includes the bytes. So a file of any size or kind needs no
# generated text, and its bytes are exactly those on disk.
function(embed target table)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/${table}.c)
	set(text "/* ${table}.c - made by embed.cmake: files carried in the program. */\n")
	string(APPEND text "#include \"embedded.h\"\n\n")
	set(rows "")
	set(deps "")
	set(i 0)
	foreach(dir ${ARGN})
		file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*)
		list(FILTER files EXCLUDE REGEX "(^|/)(README\\.md|\\.gitkeep|\\.npmrc|fetch)$")
		list(SORT files)
		foreach(f ${files})
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
			list(APPEND deps ${dir}/${f})
			math(EXPR i "${i} + 1")
		endforeach()
	endforeach()
	string(APPEND text "\nconst struct embedded ${table}[] = {\n${rows}\t{ 0 },\n};\n")
	file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
	target_sources(${target} PRIVATE ${out})
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/server/base)
	set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${deps}")
endfunction()
