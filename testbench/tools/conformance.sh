#!/bin/sh
# galena conformance, with small programs of our own that behave as the programs of a suite do: well, and in every way badly.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" COUNT="$work/count" STEPS="$build/test/tools/steps" WORK="$work"
suite=$work/suite
mkdir -p "$suite/calm" "$suite/wild/deep" "$suite/whole"

# each start of a sub-test leaves a line in $COUNT
cat >"$suite/calm/test_calm" <<'SH'
#!/bin/sh
[ "$1" = --list ] && { printf '\talpha\n\tbeta\n\tgamma\n\tdelta\n'; exit 0; }
for last; do :; done
echo "calm $*" >>"$COUNT"
echo "$last..."
case $last in
alpha) pwd >"$WORK/where"; echo old >>left; [ "$(cat left)" = old ] && echo "alpha passed" ;;
beta) [ -e "$WORK/mended" ] && { echo "beta passed"; exit 0; }
	echo "first ERROR: <beta> & \"co\" are off"; echo "second ERROR"; echo "beta FAILED"; echo "FAILED test."; exit 1 ;;
gamma) echo "gamma test not supported"; echo "PASSED test." ;;
delta) printf 'light 1\n' | "$STEPS" && echo "config $GALENA_CONFIG speed $GALENA_SPEED extra $EXTRA" && echo "delta passed" ;;
esac
SH
cat >"$suite/wild/deep/test_wild" <<'SH'
#!/bin/sh
[ "$1" = --list ] && { for t in bye crash flood garbage hang liar parted silent turncoat; do echo "  $t"; done; exit 0; }
echo "wild $1" >>"$COUNT"
case $1 in
bye) echo "There is nothing of it here. Skipping test." ;;
crash) echo "Assertion of something"; kill -SEGV $$ ;;
flood) exec yes "flood passed" ;;
garbage) printf '\377\376\000\001\033[31m ERROR \303\050 <&"]]> \360\237\230\200\n'; exit 1 ;;
hang) sleep 1000 & echo $! >"$WORK/child"; wait ;;
liar) echo "liar passed"; exit 3 ;;
parted) sleep 1000 & echo $! >"$WORK/orphan"; echo "parted passed" ;;
silent) exit 0 ;;
turncoat) echo "turncoat FAILED"; echo "turncoat passed" ;;
esac
SH
cat >"$suite/whole/test_whole" <<'SH'
#!/bin/sh
[ "$1" = --list ] && { echo "what is $1?"; exit 2; }
echo "whole $*" >>"$COUNT"
echo "one passed"
echo "ERROR in two"
echo "two FAILED"
echo "three skipped (a reason)"
echo "FAILED 1 of 2 tests."
exit 1
SH
printf '#!/bin/sh\nexit 0\n' >"$suite/other"
chmod +x "$suite"/*/test_* "$suite/wild/deep/test_wild" "$suite/other"
echo "not executable" >"$suite/test_notes"

run() { capture timeout 120 "$galena" conformance --config mini --speed functional --devices 1 --timeout 20 -o "$work/results" "$@"; }
starts() { grep -c . "$COUNT" 2>/dev/null || true; }
# verdict MODULE SUBTEST: what the report in JSON says of it, on one line each
verdict() { tr -d '\n' <"$work/results/results.json" | sed 's/{ *"name": /\n/g' | awk -v m="\"$1\"" -v t="\"$2\"" '
	/"absent"/ { inside = index($0, m) == 1 } inside && index($0, t) == 1 && match($0, /"verdict": "[a-z ]*"/) { print substr($0, RSTART + 12, RLENGTH - 13) }'; }
# whether the process whose number is in a file has ended; nobody need have waited for it
gone() {
	for i in $(seq 100); do
		case $(sed -n "s/^State:[[:space:]]*\\(.\\).*/\\1/p" "/proc/$(cat "$work/$1")/status" 2>/dev/null) in "" | Z | X) return 0 ;; esac
		sleep 0.1
	done
	return 1
}

# ---- the command line ----
capture "$galena" conformance
check "nothing to run is a usage error" [ $status = 2 ]
run "$work/nowhere"
check "so is a directory that is not there" [ $status = 2 ]
run "$work"/suite/whole --programs 'none_*'
check "and one without programs" [ $status = 2 ]
check "with what to do about it" has "$err" "--programs"
run --jobs 0 "$suite"
check "and no job at a time" [ $status = 2 ]
run --env "=x" "$suite"
check "and a variable without a name" [ $status = 2 ]
for pattern in 'pass=(' 'good=x' 'name=x' ; do
	run --pattern "$pattern" "$suite"
	check "and the pattern $pattern" [ $status = 2 ]
done
run --list "$suite"
check "--list shows what would be run" has "$out" "calm/beta: $suite/calm/test_calm beta"
check "a program that lists nothing as a whole" has "$out" "whole/(program): $suite/whole/test_whole"
check "files that are no program, or another, are none" [ "$(echo "$out" | grep -c .)" = 14 ]
check "and runs nothing" [ ! -e "$COUNT" ]

# ---- a calm module, on the device ----
run --only calm --env EXTRA=this "$suite"
check "a failure is exit status 1" [ $status = 1 ]
check "a sub-test that passes" [ "$(verdict calm alpha)" = passed ]
check "one that fails" [ "$(verdict calm beta)" = failed ]
check "one that skips itself, although the summary says passed" [ "$(verdict calm gamma)" = skipped ]
check "one that uses the device" [ "$(verdict calm delta)" = passed ]
check "with what was asked for" grep -q "config mini speed functional extra this" "$work/results/logs/calm/delta.log"
check "the first line of a log is the command" [ "$(head -n 1 "$work/results/logs/calm/delta.log")" = "# $suite/calm/test_calm delta" ]
check "the failure is printed with the first line that tells why" has "$out" "calm/beta: first ERROR: <beta> & \"co\" are off"
check "what passes is not" sh -c '! echo "$1" | grep -q alpha' sh "$out"
check "each ran in a directory of its own" has "$(cat "$work/where")" "$work/results/scratch/"
check "which is gone" [ ! -e "$(cat "$work/where")" ]
check "four ran" [ "$(starts)" = 4 ]

# ---- going on, and again ----
run --only calm --env EXTRA=this "$suite"
check "a run that is complete runs nothing" [ "$(starts)" = 4 ]
check "and reports the same" [ "$status $(verdict calm beta)" = "1 failed" ]
run --only calm --env EXTRA=that "$suite"
check "other settings are another run" [ $status = 2 ]
check "and the message says what to do" has "$err" "--fresh"
touch "$work/mended"
run --only calm --env EXTRA=this --retry-failed "$suite"
check "--retry-failed runs what did not pass" [ "$(starts)" = 5 ]
check "and takes its new verdict" [ "$status $(verdict calm beta)" = "0 passed" ]
printf '{"job": "calm/al' >>"$work/results/state.jsonl"
run --only calm --env EXTRA=this "$suite"
check "a line that was cut off is no line" [ "$status $(starts)" = "0 5" ]
run --only calm --env EXTRA=this --fresh "$suite"
check "--fresh runs all" [ "$status $(starts)" = "0 9" ]
rm "$work/mended"

# ---- a wild one ----
run --fresh --timeout 2 --log-limit 1 -j 4 "$suite"
check "whatever they do, the run comes to its end" [ $status = 1 ]
check "what crashes" [ "$(verdict wild crash)" = crashed ]
check "is told with its signal" has "$out" "wild/crash: signal 11"
check "what prints without end" [ "$(verdict wild flood)" = failed ]
check "of which the beginning is kept" [ "$(wc -c <"$work/results/logs/wild/flood.log")" = 1048576 ]
check "what hangs" [ "$(verdict wild hang)" = "timed out" ]
check "is gone with what it started" gone child
check "as is what a program leaves behind" gone orphan
check "which passed for all that" [ "$(verdict wild parted)" = passed ]
check "what says passed and ends with another status" [ "$(verdict wild liar)" = failed ]
check "what says nothing" [ "$(verdict wild silent)" = failed ]
check "what takes a failure back" [ "$(verdict wild turncoat)" = failed ]
check "what says that it skips itself, without its name" [ "$(verdict wild bye)" = skipped ]
check "what prints garbage" [ "$(verdict wild garbage)" = failed ]
check "sub-tests of a program that lists none" [ "$(verdict whole one) $(verdict whole two) $(verdict whole three)" = "passed failed skipped" ]
check "whose status is explained by them" [ -z "$(verdict whole '(program)')" ]
check "the table of modules" grep -q '^| wild | 1 | 5 | 1 | 1 | 1 |' "$work/results/report.md"
check "and of all" grep -q '^| all | 4 | 7 | 3 | 1 | 1 |' "$work/results/report.md"
check "signs of Markdown are text in it" grep -qF 'first ERROR: \<beta> & "co" are off' "$work/results/report.md"
check "JUnit counts the same" grep -q 'tests="16" failures="7" errors="2"' "$work/results/junit.xml"
check "and its text is XML's" grep -qF 'message="first ERROR: &lt;beta&gt; &amp; &quot;co&quot; are off"' "$work/results/junit.xml"
check "no byte of garbage is in it" [ "$(LC_ALL=C tr -cd "\000-\010\013-\037" <"$work/results/junit.xml" | wc -c)" = 0 ]
for file in results.json:jq junit.xml:xmllint; do
	tool=${file#*:} name=${file%:*}
	if command -v "$tool" >/dev/null; then
		case $tool in jq) capture jq . "$work/results/$name" ;; *) capture xmllint --noout "$work/results/$name" ;; esac
		check "$tool reads $name" [ $status = 0 ]
	else
		echo "# skip: no $tool here to read $name with"
	fi
done
jobs4=$(grep -o '"name": ".*"\|"verdict": ".*"' "$work/results/results.json")
run --fresh --timeout 2 --log-limit 1 "$suite"
check "one at a time gives the same as four" [ "$(grep -o '"name": ".*"\|"verdict": ".*"' "$work/results/results.json")" = "$jobs4" ]
run --fresh --only wild/silent --trust-exit "$suite"
check "--trust-exit takes the status for the verdict" [ "$status $(verdict wild silent)" = "0 passed" ]
run --fresh --only 'whole*' --pattern 'pass=^(.*) FAILED$' --trust-exit "$suite"
check "other patterns, other verdicts" [ "$(verdict whole two)" = passed ]
check "and a status that none of them explains is a failure" [ "$(verdict whole '(program)')" = failed ]

# ---- a program of one sub-test ----
mkdir -p "$work/sole"
cat >"$work/sole/test_sole" <<'SH'
#!/bin/sh
[ "$1" = --list ] && { echo "  sole"; exit 0; }
echo "$#" >>"$COUNT"
echo "sole passed"
SH
chmod +x "$work/sole/test_sole"
rm -f "$COUNT"
run --fresh "$work/sole"
check "a program's only sub-test is run without its name" [ "$(cat "$COUNT") $(verdict sole sole)" = "0 passed" ]

# ---- a run that is cut off ----
cat >"$suite/calm/test_gate" <<'SH'
#!/bin/sh
[ "$1" = --list ] && { echo "  a1"; echo "  a2"; echo "  b1"; exit 0; }
echo "gate $1" >>"$COUNT"
[ "$1" != a2 ] || [ -e "$WORK/open" ] || { sleep 1000 & echo $! >"$WORK/child"; touch "$WORK/waits"; wait; }
echo "$1 passed"
SH
chmod +x "$suite/calm/test_gate"
for signal in TERM KILL; do
	rm -f "$COUNT" "$work/waits" "$work/open"
	"$galena" conformance --fresh --config mini -o "$work/cut" --only gate "$suite" >"$work/cut.out" 2>"$work/cut.err" &
	pid=$!
	for i in $(seq 100); do [ -e "$work/waits" ] && break; sleep 0.1; done
	kill -$signal $pid
	wait $pid
	status=$?
	if [ $signal = TERM ]; then
		check "a run that is ended says so" [ $status = 3 ]
		check "and that it can go on" grep -q "the same command goes on" "$work/cut.err"
		check "its report says what is left" grep -q "2 runs are still to be made" "$work/cut/report.md"
		check "nothing that it ran is left" gone child
	else
		kill "$(cat "$work/child")" 2>/dev/null
	fi
	touch "$work/open"
	capture "$galena" conformance --config mini -o "$work/cut" --only gate "$suite"
	check "after SIG$signal it goes on" [ $status = 0 ]
	check "with what was not done" [ "$(tr '\n' ' ' <"$COUNT")" = "gate a1 gate a2 gate a2 gate b1 " ]
done

# ---- lists ----
cat >"$work/plain" <<'LIST'
# NAME PROGRAM ARGUMENTS
some calm/test_calm al* extra
none calm/test_none
LIST
rm -f "$COUNT"
run --fresh -b "$suite" "$work/plain"
check "a list: its patterns select, other arguments are handed on" [ "$status $(cat "$COUNT")" = "0 calm extra alpha" ]
check "a program that is not there is named" has "$err" "no program $suite/calm/test_none"
check "in the report, too" grep -q "Not run, as there is no such program: none" "$work/results/report.md"
printf 'A thing,calm/test_calm alpha\nA thing,calm/test_calm all\nCL_DEVICE_TYPE_CPU, A CPU,calm/test_calm alpha\n' >"$work/commas"
touch "$work/mended"
run --fresh -b "$suite" "$work/commas"
check "a list with commas: names with blanks, all sub-tests" [ "$status $(verdict 'A thing' alpha) $(verdict 'A thing 2' beta)" = "0 passed passed" ]
check "a line for another type of device is left out" has "$err" "1 lines of the list are for another type"
run --fresh --device-type cpu -b "$suite" "$work/commas"
check "and is not on one of its type" [ "$(verdict 'A CPU' alpha)" = passed ]
printf 'lonely\n' >"$work/off"
run "$work/off"
check "a line without a program is an error with its place" has "$err" "off:1:"
rm -f "$COUNT" "$work/results/report.md"
run --fresh --report "$suite/calm"
check "--report runs nothing" [ ! -e "$COUNT" ]
check "and reports what is left" grep -q "7 runs are still to be made" "$work/results/report.md"
rm "$work/mended"

# ---- reasons ----
printf '# why\nwh*\ttwo\tit | is like that\ncalm\tnobody\tnever seen\n' >"$work/reasons"
run --fresh --only 'whole' --reasons "$work/reasons" --title 'A <title>' --note 'revision 7' "$suite"
check "a reason does not make a failure pass" [ "$status $(verdict whole two)" = "1 failed" ]
check "but stands beside it" grep -qF '| whole | two | failed | ERROR in two | it \| is like that |' "$work/results/report.md"
check "title and note are there" sh -c 'grep -q "^# A <title>" "$1" && grep -q "^revision 7" "$1"' sh "$work/results/report.md"
touch "$work/mended"
run --fresh --reasons "$work/reasons" "$suite/calm"
check "a reason for nothing is told" has "$err" "calm/nobody"
printf 'whole two\n' >"$work/reasons"
run --reasons "$work/reasons" "$suite"
check "a reason without its tabs is an error with its place" has "$err" "reasons:1:"
finish
