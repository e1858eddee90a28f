# Reads clang's own opencl-c.h, preprocessed for one language version and set of extensions, and
# writes OpenCL C with one function that calls each builtin declared there: what has to link.
# Declarations that span lines are joined; typedefs, enums and variadic functions are passed over.
/^[ \t]*#/ { next }
{ text = text " " $0 }
text ~ /\{[^}]*$/ { next }
text !~ /;[ \t]*$/ { next }
{
	line = text; text = ""
	gsub(/__attribute__\(\([a-z_]*(\([^)]*\))?\)\)/, "", line)
	gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ ?; ?$/, "", line)
	if (line ~ /^(typedef|enum|struct|#)/ || line ~ /\.\.\.|[{}^=]/ || line !~ /\(.*\)$/)
		next
	open = index(line, "(")
	head = substr(line, 1, open - 1); args = substr(line, open + 1, length(line) - open - 1)
	sub(/ $/, "", head)
	name = head; sub(/.*[ *]/, "", name)
	n = split(args, arg, /, ?/)
	params = ""; call = ""
	for (i = 1; i <= n; i++) {
		if (arg[i] ~ /^ ?(void)? ?$/)
			continue
		a = arg[i]; gsub(/^ | $/, "", a)
		# a parameter's own name, if the header gives one, goes
		if (a ~ /\*/) sub(/\*[^*]*$/, "*", a)
		else {
			k = split(a, word, " ")
			if (k > 1 && word[k] !~ /^(char|uchar|short|ushort|int|uint|long|ulong|float|double|half|bool)[0-9]*$/ && word[k] !~ /(_t|memory_order|memory_scope)$/)
				sub(/ [^ ]*$/, "", a)
		}
		params = params (params == "" ? "" : ", ") a " a" i
		call = call (call == "" ? "" : ", ") "a" i
	}
	printf "void call_%d(%s) { %s(%s); }\n", ++calls, params == "" ? "void" : params, name, call
}
