# awk -f kernels.awk kernels.tsv: the table of built-in kernels (kernel.h).
BEGIN { FS = "\t" }
/^#/ { next }
{
	n = split($5, parameters, "; ")
	printf "extern const struct vision_kernel vision_%s;\nstatic const struct kernel_parameter parameters_%s[] = {\n", $1, $1
	for (i = 1; i <= n; i++) {
		split(parameters[i], word, " ")
		sub(/[|].*/, "", word[2])
		is_value = word[2] ~ /\*$|^vx_(enum|bool|size|int|float)/
		type = word[2] ~ /\*$/ ? "ARRAY" : is_value ? "SCALAR" : toupper(substr(word[2], 4))
		printf "\t{%s, VX_TYPE_%s, VX_PARAMETER_STATE_%s, true, %s}, /* %s */\n", word[1] == "in" ? "VX_INPUT" : "VX_OUTPUT", type,
			word[3] ~ /\?$/ ? "OPTIONAL" : "REQUIRED", is_value ? "true" : "false", word[3]
	}
	print "};"
	rows = rows sprintf("\t{\"org.khronos.openvx.%s\", %s, parameters_%s, %d, &vision_%s},\n", $1, $2, $1, n, $1)
	count++
}
END { printf "const struct kernel_row kernel_rows[] = {\n%s};\nconst unsigned kernel_row_count = %d;\n", rows, count }
