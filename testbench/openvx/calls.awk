# awk -f calls.awk include/VX/*.h: every function that the headers declare, as one that takes an array of arguments, and a table of them
# (bad.h). Each prototype is one line.
function kind_of(t,    base) {
	if (t == "void")
		return "NOTHING"
	base = t
	sub(/^const /, "", base)
	if (base in functions)
		return "FUNCTION"
	if (base in handles)
		return "HANDLE"
	if (base ~ /[*\[]/ || base ~ /^cl_/) {
		sub(/ ?\*$/, "", base)
		return base in handles && t !~ /^const/ ? "HANDLE_AT" : "POINTER"
	}
	return base ~ /^vx_float/ ? "REAL" : "NUMBER"
}
function object_of(t) {
	sub(/ ?\*$/, "", t)
	return t in handles ? "VX_TYPE_" toupper(substr(t, 4)) : "VX_TYPE_INVALID"
}
function described(t, name) { return sprintf("{%s, %s, \"%s\", \"%s\"}", kind_of(t), object_of(t), t, name) }
function argument(t, i,    kind) {
	kind = kind_of(t)
	if (kind == "HANDLE")
		return sprintf("(%s)a[%d].ref", t, i)
	if (kind == "FUNCTION")
		return sprintf("(%s)a[%d].function", t, i)
	if (kind == "NUMBER") {
		sub(/^const /, "", t)
		return sprintf("(%s)a[%d].num", t, i)
	}
	return sprintf("a[%d].%s", i, kind == "REAL" ? "real" : "ptr")
}
function wrapper(name, returns, list,    kind) {
	kind = kind_of(returns)
	if (kind == "NOTHING")
		return sprintf("\t%s(%s);\n\treturn (union arg){.num = 0};\n", name, list)
	if (kind == "HANDLE")
		return sprintf("\treturn (union arg){.ref = (vx_reference)%s(%s)};\n", name, list)
	if (kind == "FUNCTION")
		return sprintf("\treturn (union arg){.function = (void (*)(void))%s(%s)};\n", name, list)
	return sprintf("\treturn (union arg){.%s = %s(%s)};\n", kind == "POINTER" ? "ptr" : "num", name, list)
}
/^typedef struct _vx_[a-z_]+ \*vx_[a-z_]+;/ {
	sub(/;/, "", $4)
	handles[substr($4, 2)]
}
/^typedef .*\(VX_CALLBACK \*/ {
	match($0, /\*vx_[a-z_]+\)/)
	functions[substr($0, RSTART + 1, RLENGTH - 2)]
}
/^VX_API_ENTRY .* ?\*?VX_API_CALL / {
	lines[++count] = $0
	if (!(FILENAME in headers)) {
		headers[FILENAME]
		header = FILENAME
		sub(/.*VX\//, "VX/", header)
		includes = includes "#include <" header ">\n"
	}
}
END {
	print includes
	for (i = 1; i <= count; i++) {
		line = lines[i]
		sub(/^VX_API_ENTRY /, "", line)
		returns = substr(line, 1, index(line, "VX_API_CALL") - 1)
		sub(/ $/, "", returns)
		sub(/^.*VX_API_CALL /, "", line)
		name = substr(line, 1, index(line, "(") - 1)
		sub(/^[^(]*\(/, "", line)
		sub(/\);.*$/, "", line)
		n = line == "void" ? 0 : split(line, parameters, ", ")
		list = rows = ""
		for (p = 1; p <= n; p++) {
			if (parameters[p] == "...") {
				n--
				continue
			}
			match(parameters[p], /[A-Za-z_0-9]+(\[[^]]*\])?$/)
			type = substr(parameters[p], 1, RSTART - 1)
			word = substr(parameters[p], RSTART)
			if (sub(/\[.*/, "", word))
				type = type "[]"
			sub(/ $/, "", type)
			list = list (p > 1 ? ", " : "") argument(type, p - 1)
			rows = rows (p > 1 ? ", " : "") described(type, word)
		}
		printf "static union arg call_%s(const union arg *a)\n{\n%s%s}\n", name, n ? "" : "\t(void)a;\n", wrapper(name, returns, list)
		table = table sprintf("\t{\"%s\", call_%s, %s, %d, {%s}},\n", name, name, described(returns, ""), n, n ? rows : "{NOTHING, VX_TYPE_INVALID, \"\", \"\"}")
	}
	printf "static const struct call calls[] = {\n%s};\n", table
}
