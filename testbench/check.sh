# For tests that are shell scripts: . testbench/check.sh, then `check NAME COMMAND...` for each
# assertion, `finish` at the end. $out and $err hold what `capture COMMAND...` printed, $status its
# exit status.
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capture() {
	status=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	out=$(cat "$work/out") err=$(cat "$work/err")
}
check() {
	name=$1; shift
	if "$@"; then
		passed=$((passed + 1)); echo "[       OK ] $name"
	else
		failed=$((failed + 1)); echo "[  FAILED  ] $name: $*"
		printf 'status %s\nstdout: %s\nstderr: %s\n' "${status:-}" "$(printf %s "${out:-}" | tail -n 20)" "$(printf %s "${err:-}" | tail -n 20)"
	fi
}
has() { case $1 in *"$2"*) return 0 ;; esac; return 1; }
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
	exit
}
