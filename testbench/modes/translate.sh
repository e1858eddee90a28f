#!/bin/sh
# translate.sh WORK TRANSLATOR DEADLINE REQUEST: makes the code-cache entry of a request that ask.sh has kept. What became of it goes to
# REQUEST.done: good, refused (the translator says that it cannot), long (it took more CPU time than a superblock may), broken, or
# late, when the deadline was over and nothing was done.
what=late
if [ "$(date +%s)" -lt "$3" ]; then
	ulimit -c 0
	ulimit -t 20
	"$2" -o "$1/cache/${4##*/}" "$4" 2>"$4.err"
	case $? in
	0) what=good ;;
	1) what=refused ;;
	137 | 152) what=long ;;
	*) what=broken ;;
	esac
fi
echo "$what" >"$4.done"
