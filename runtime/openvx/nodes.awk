# awk -f nodes.awk kernels.tsv: vx...Node() of every kernel; with -v immediate=1: vxu...().
function c_type(t) { return t ~ /\*$/ ? "const " substr(t, 1, length(t) - 1) " *" : t " " }
# Of two types separated by a bar, the second one is that of the immediate function.
function type_of(t,    either) { return split(t, either, /[|]/) > 1 && immediate ? either[2] : either[1] }
BEGIN {
	FS = "\t"
	# of values; all others are objects
	types["vx_enum"] = "VX_TYPE_ENUM"
	types["vx_int8"] = "VX_TYPE_INT8"
	types["vx_int32"] = "VX_TYPE_INT32"
	types["vx_bool"] = "VX_TYPE_BOOL"
	types["vx_size"] = "VX_TYPE_SIZE"
	types["vx_float32"] = "VX_TYPE_FLOAT32"
	types["vx_hog_t*"] = "VX_TYPE_HOG_PARAMS"
	types["vx_hough_lines_p_t*"] = "VX_TYPE_HOUGH_LINES_PARAMS"
}
/^#/ { next }
{
	name = immediate ? $4 : $3
	if (name ~ /^-/ || name == "none")
		next
	source = immediate ? "context" : "graph"
	arguments = "vx_" source " " source
	list = before = after = ""
	split("", unused)
	n = split($6 ? $6 : $5, own, "; ")
	for (i = 1; i <= n; i++) {
		sub(/^(in|out) /, "", own[i])
		sub(/\?$/, "", own[i])
		split(own[i], word, " ")
		arguments = arguments ", " c_type(type_of(word[1])) word[2]
		unused[word[2]]
	}
	n = split($5, parameters, "; ")
	for (i = 1; i <= n; i++) {
		sub(/\?$/, "", parameters[i])
		split(parameters[i], word, " ")
		type = type_of(word[2])
		members = split(word[3], path, /[.]/) - 1
		delete unused[path[1]]
		if (!(type in types)) {
			list = list (list ? ", " : "") "(vx_reference)" word[3]
			continue
		}
		pointer = type ~ /\*$/
		value = members ? path[1] " ? &" path[1] "->" path[2] " : NULL" : pointer ? word[3] : "&" word[3]
		local = path[members + 1] "_"
		before = before sprintf("\tvx_reference %s = %s((vx_reference)%s, %s, %s%s);\n", local, pointer ? "value_array" : "value_scalar", source, types[type], value,
			pointer ? ", sizeof *" word[3] : "")
		after = after sprintf("\tvalue_end(&%s);\n", local)
		list = list (list ? ", " : "") local
	}
	for (argument in unused)
		before = "\t(void)" argument ";\n" before
	if (immediate)
		printf "VX_API_ENTRY vx_status VX_API_CALL vxu%s(%s)\n{\n%s\tconst vx_status status = immediate(context, %s, (const vx_reference[]){%s}, %d);\n%s\treturn status;\n}\n\n",
			name, arguments, before, $2, list, n, after
	else
		printf "VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vx%sNode(%s)\n{\n%s\tvx_node node = node_with(graph, %s, (const vx_reference[]){%s}, %d);\n%s\treturn node;\n}\n\n",
			name, arguments, before, $2, list, n, after
}
