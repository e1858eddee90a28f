# Makes galena/kmd.h, the public header of the kernel-mode driver, from the driver's own and the table of its requests.
#   awk -f include/kmd.awk runtime/kmd/requests.def runtime/kmd/kmd.h
FNR == NR {
	if (/^REQUEST\(/) {
		split($0, column, /[(,] */)
		match($0, /".*"/)
		requests = requests sprintf("\tKMD_%s, /* struct %s: %s */\n", column[2], column[3], substr($0, RSTART + 1, RLENGTH - 2))
	}
	next
}
/GALENA_RUNTIME_KMD_H/ { sub(/GALENA_RUNTIME_KMD_H/, "GALENA_KMD_H") }
/^#include "abi\/records.h"/ { print "#include \"api.h\""; $0 = "#include \"contract.h\"" }
/^#define KMD_API/ { next }
/^#define REQUEST|^#undef REQUEST/ { next }
/^#include "runtime\/kmd\/requests.def"/ { printf "%s", requests; next }
{
	gsub(/KMD_API/, "GALENA_API")
	gsub(/struct completion /, "struct galena_completion ")
	gsub(/struct fault_record /, "struct galena_fault_record ")
	gsub(/struct packet,/, "union galena_packet,")
	print
}
END { if (!requests) { print "kmd.awk: no requests" > "/dev/stderr"; exit 1 } }
