#!/bin/sh
# Stands in for galena-translate in `make modes`: keeps the request, makes nothing. What is kept is translated between
# two runs, on all CPUs at once. A code-cache entry is named by what it is for, so the next run finds it in the cache.
name=${2##*/}
[ -e "$GALENA_MODES_ASKED/$name" ] && exit 1
cat >"$GALENA_MODES_ASKED/$name.$$" && mv "$GALENA_MODES_ASKED/$name.$$" "$GALENA_MODES_ASKED/$name" && : >"$GALENA_MODES_RUN.asked"
exit 1
