# awk -f kernels.awk kernels.tsv: the table of built-in kernels (kernel.h).
BEGIN {
	FS = "\t"
	split("vx_image IMAGE vx_lut LUT vx_distribution DISTRIBUTION vx_scalar SCALAR vx_threshold THRESHOLD vx_matrix MATRIX " \
		"vx_convolution CONVOLUTION vx_pyramid PYRAMID vx_array ARRAY vx_remap REMAP vx_tensor TENSOR vx_reference REFERENCE", pairs, " ")
	for (i = 1; pairs[i]; i += 2)
		object[pairs[i]] = pairs[i + 1]
}
/^#/ { next }
{
	n = split($5, parameters, "; ")
	printf "extern const struct vision_kernel vision_%s;\nstatic const struct kernel_parameter parameters_%s[] = {\n", $1, $1
	for (i = 1; i <= n; i++) {
		split(parameters[i], word, " ")
		type = word[2] in object ? object[word[2]] : word[2] ~ /\*$/ ? "ARRAY" : "SCALAR"
		printf "\t{%s, VX_TYPE_%s, VX_PARAMETER_STATE_%s, true, %s}, /* %s */\n", word[1] == "in" ? "VX_INPUT" : "VX_OUTPUT", type,
			word[3] ~ /\?$/ ? "OPTIONAL" : "REQUIRED", word[2] in object ? "false" : "true", word[3]
	}
	print "};"
	rows = rows sprintf("\t{\"org.khronos.openvx.%s\", %s, parameters_%s, %d, &vision_%s},\n", $1, $2, $1, n, $1)
	count++
}
END { printf "const struct kernel_row kernel_rows[] = {\n%s};\nconst unsigned kernel_row_count = %d;\n", rows, count }
