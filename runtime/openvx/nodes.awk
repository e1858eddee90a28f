# awk -v immediate=0 -f nodes.awk kernels.tsv: vx...Node() of every kernel; immediate=1: vxu...().
function c_type(t) { return t ~ /\*$/ ? "const " substr(t, 1, length(t) - 1) " *" : t " " }
function is_object(t) { return t ~ /^vx_(image|lut|distribution|scalar|threshold|matrix|convolution|pyramid|array|remap|tensor|reference)$/ }
function scalar_type(t) { return types[t] }
BEGIN {
	FS = "\t"
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
	n = split($5, parameters, "; ")
	arguments = immediate ? "vx_context context" : "vx_graph graph"
	list = before = after = ""
	for (i = 1; i <= n; i++) {
		split(parameters[i], word, " ")
		sub(/\?$/, "", word[3])
		arguments = arguments ", " c_type(word[2]) word[3]
		if (is_object(word[2])) {
			list = list (list ? ", " : "") "(vx_reference)" word[3]
			continue
		}
		pointer = word[2] ~ /\*$/
		maker = pointer ? "value_array" : "value_scalar"
		source = immediate ? "context" : "graph"
		before = before sprintf("\tvx_reference %s_ = %s((vx_reference)%s, %s, %s%s%s);\n", word[3], maker, source, scalar_type(word[2]), pointer ? "" : "&", word[3],
			pointer ? ", sizeof *" word[3] : "")
		after = after sprintf("\tvalue_end(&%s_);\n", word[3])
		list = list (list ? ", " : "") word[3] "_"
	}
	if (immediate)
		printf "VX_API_ENTRY vx_status VX_API_CALL vxu%s(%s)\n{\n%s\tconst vx_status status = immediate(context, %s, (const vx_reference[]){%s}, %d);\n%s\treturn status;\n}\n\n",
			name, arguments, before, $2, list, n, after
	else
		printf "VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vx%sNode(%s)\n{\n%s\tvx_node node = node_with(graph, %s, (const vx_reference[]){%s}, %d);\n%s\treturn node;\n}\n\n",
			name, arguments, before, $2, list, n, after
}
