#!/bin/sh
# The runner of tests, over programs that pass, are left out, fail, crash, stay, and leave processes behind.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
mkdir -p "$work/test/one" "$work/test/two"
program() { printf '#!/bin/sh\n%s\n' "$2" >"$work/test/$1"; chmod +x "$work/test/$1"; }
program one/good 'echo "[       OK ] this"'
program one/skips 'echo "1..0 # skip: no such program"'
program one/partly 'echo "# skip: that: no such device"; echo "[       OK ] this"'
program two/fails 'seq 100; echo the reason; exit 3'
program two/crashes 'kill -SEGV $$'
program two/stays 'sleep 1000 & echo $! >"$WORK/stays"; sleep 1000'
export WORK="$work" TEST_JOBS=2
unset TEST_TIMEOUT
# a process is gone, or a zombie that waits for its new parent
ended() { case $(sed "s/.*) //" "/proc/$(cat "$1")/stat" 2>/dev/null) in "" | Z*) return 0 ;; esac; return 1; }
# row WORDS FILE: a line of the words, whatever is between them
row() { tr -s ' ' <"$2" | grep -q -- "$1"; }

capture "$build/testbench/run" "$work" "$work/test/one/good" "$work/test/one/skips" "$work/test/one/partly"
check "programs that pass: status 0" [ $status = 0 ]
check "the last line counts them" [ "$(printf '%s\n' "$out" | tail -n 1)" = "2 passed, 0 failed, 1 skipped" ]
check "one that leaves out all is skipped" row "^skip one/skips " "$work/out"
check "with its reason" has "$out" "# skip: no such program"
check "one that leaves out a part has passed" row "^ok one/partly [0-9.]* s [0-9.]* s cpu\$" "$work/out"
check "with its reason, too" has "$out" "# skip: that: no such device"
check "and what it left out is counted" has "$out" "1 cases of programs that passed were left out"
check "the area has its time" row "^one 3 [0-9]* s [0-9]* s\$" "$work/out"

capture "$build/testbench/run" "$work" "$work/test/one/skips"
check "nothing but skips is no failure" [ $status = 0 ]
check "and counts as such" [ "$(printf '%s\n' "$out" | tail -n 1)" = "0 passed, 0 failed, 1 skipped" ]
capture "$build/testbench/run" "$work"
check "no program at all is one" [ $status = 1 ]

capture env TEST_TIMEOUT=1 "$build/testbench/run" "$work" "$work"/test/one/* "$work"/test/two/*
check "programs that fail: status 1" [ $status = 1 ]
check "each is counted" [ "$(printf '%s\n' "$out" | tail -n 1)" = "2 passed, 3 failed, 1 skipped" ]
check "the exit status is said" row "^FAIL two/fails .* (exit 3)\$" "$work/out"
check "and the end of the output" has "$out" "the reason"
check "not its beginning" [ "$(grep -c '^      [0-9]*$' "$work/out")" = 39 ]
check "the signal is said" row "^FAIL two/crashes .* (Segmentation fault)\$" "$work/out"
check "one that stays is ended" row "^FAIL two/stays .* (not over after TEST_TIMEOUT)\$" "$work/out"
check "with the processes that it began" ended "$work/stays"
check "each area has its row" row "^two 3 " "$work/out"

# Two at a time: each waits for a file that the other makes.
program one/first 'touch "$WORK/first"; until [ -e "$WORK/second" ]; do sleep 0.02; done; echo "[       OK ] this"'
program one/second 'touch "$WORK/second"; until [ -e "$WORK/first" ]; do sleep 0.02; done; echo "[       OK ] this"'
capture env TEST_TIMEOUT=20 "$build/testbench/run" "$work" "$work/test/one/first" "$work/test/one/second"
check "two run at a time" [ $status = 0 ]
# One at a time, and what took longest last time first.
printf 'one/good 1.00 1.00\none/partly 9.00 1.00\none/skips 5.00 1.00\n' >"$work/test/logs/times"
capture env TEST_JOBS=1 "$build/testbench/run" "$work" "$work/test/one/good" "$work/test/one/skips" "$work/test/one/partly"
check "the longest begins" [ "$(sed -n 's/^[a-z]* *one\/\([a-z]*\).*/\1/p' "$work/out" | tr '\n' ' ')" = "partly skips good " ]
capture env TEST_JOBS=some "$build/testbench/run" "$work" "$work/test/one/good"
check "TEST_JOBS is a number" [ $status = 2 ]

# The table of the kit's own.
awk -F '\t' 'NR > 1 { print $1 }' testbench/schedule.tsv | sort >"$work/scheduled"
check "no program is twice in schedule.tsv" [ -z "$(uniq -d "$work/scheduled")" ]
while read -r name; do
	check "$name, which schedule.tsv names, is a test" [ -x "$build/test/$name" ]
done <"$work/scheduled"
finish
