#!/bin/sh
# A runtime that leaves out one maintenance of caches around commands that use imports: a test that passes with the real one
# fails, for the bytes are stale, and the rule is named.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
export GALENA_BUILD="$build/variants/forgetful" GALENA_CONFIG=mini,coherent=0 TEST_FILTER=pages_are_shared
test=$build/test/opencl/import_dmabuf
report=$work/report

run() {
	: >"$report"
	capture env FORGET="$1" GALENA_CHECK="$report" "$test"
	rules=$(sed -n 's/^galena: check: \([A-Z_]*\): broken .*/\1/p' "$report" | tr '\n' ' ')
}

run nothing
check "a runtime that forgets nothing passes" [ "$status" = 0 ]
check "and breaks no rule" [ -z "$rules" ]
run before
check "without the maintenance before a command the bytes are stale" [ "$status" -gt 0 ]
check "the test says so" has "$err$out" "[  FAILED  ] pages_are_shared"
check "and the rule is told" [ "$rules" = "CACHE_STALE " ]
run after
check "without the maintenance after a command the bytes are stale" [ "$status" -gt 0 ]
check "the test says so" has "$err$out" "[  FAILED  ] pages_are_shared"
check "and the rule is told" [ "$rules" = "IMPORT_DIRTY " ]
finish
