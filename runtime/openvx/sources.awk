# awk -f sources.awk kernels/*.cl: the texts as C strings (sources.h).
function close_last() { if (open_) print "\t}," }
BEGIN { print "const struct source sources[] = {" }
FNR == 1 {
	close_last()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.cl$/, "", name)
	printf "\t{\"%s\",\n", name
	open_ = 1
	count++
}
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t \"%s\\n\"\n", $0
}
END {
	close_last()
	print "};\nconst unsigned source_count = " count ";"
}
