#!/bin/sh
# Profiles: every instruction and cycle that the device counts is some instruction's of some kernel, and a device
# that is profiled does what it does otherwise.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_DEVICES=1

steps() { printf 'light 5\nheavy 3\nlight 2\nheavy 1\n' | "$galena" run "$@" -- "$build/test/tools/steps"; }
# sum of the counts whose names match PATTERN in the files of a profile
sum() { awk -v p="$1" '$1 == "counts" { for (i = 2; i <= NF; i++) key[i - 1] = $i }
	$1 == "at" { for (i = 5; i <= NF; i++) if (key[i - 4] ~ p) n += $i }
	$1 == "sum" { for (i = 3; i <= NF; i++) if (key[i - 2] ~ p) n += $i }
	END { print n + 0 }' "$work"/raw/*.counts; }
counter() { awk -v c="$1" '$1 == "counter" && $2 == c { print $3 }' "$work"/raw/*.counts; }

for speed in timed functional; do
	rm -rf "$work/raw"
	mkdir "$work/raw"
	capture steps --speed $speed --hash="$work/plain.hash"
	check "$speed: it runs" [ $status = 0 ]
	export GALENA_PROFILE="$work/raw"
	capture steps --speed $speed --hash="$work/profiled.hash"
	unset GALENA_PROFILE
	check "$speed: it runs while it is profiled" [ $status = 0 ]
	check "$speed: nothing on the bus is different, no cycle either" cmp -s "$work/plain.hash" "$work/profiled.hash"
	check "$speed: one file for the device" [ "$(ls "$work/raw" | grep -c 'device0.counts$')" = 1 ]
	check "$speed: every warp instruction" [ "$(sum '^insns$')" = "$(counter WARP_INSNS)" ]
	check "$speed: there were some" [ "$(counter WARP_INSNS)" -gt 1000 ]
	check "$speed: every lane's" [ "$(sum '^lane_insns$')" = "$(counter LANE_INSNS)" ]
	check "$speed: launches" [ "$(awk '$1 == "kernel" { n += $5 } END { print n }' "$work"/raw/*.counts)" = 11 ]
	if [ $speed = timed ]; then
		check "every cycle of the units" [ "$(sum '^cu_')" = "$(counter CU_BUSY)" ]
		check "every cycle of the warps" [ "$(sum '^warp_')" = "$(counter WARP_CYCLES)" ]
		check "an instruction issues in a cycle" [ "$(sum '^cu_issue$')" = "$(counter WARP_INSNS)" ]
		check "every look-up in the L1" [ "$(sum '^l1_hit$') $(sum '^l1_miss$')" = "$(counter L1_HIT) $(counter L1_MISS)" ]
	else
		check "no time without timing" [ "$(sum '^warp_')" = 0 ]
	fi
done

# ---- reports ----

hot() { "$galena" run "$@" -- "$build/test/tools/hot" "$work/hot.cl"; }
# every element that is opened is closed, in the right order, and no bare & or < is left in a text
well_formed() { awk '
	{ text = text $0 "\n" }
	END {
		while ((i = index(text, "<![CDATA[")) && (n = index(text, "]]>"))) text = substr(text, 1, i - 1) substr(text, n + 3)
		while (match(text, /<[^>]*>/)) {
			between = substr(text, 1, RSTART - 1)
			tag = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			gsub(/&(lt|gt|amp|quot|#10);/, "", between)
			if (between ~ /&/ || tag ~ /<[^a-z\/?]/) exit 1
			seen++
			name = tag
			gsub(/^<\/?|[ \t\n\/>].*$/, "", name)
			if (tag ~ /^<\?/ || tag ~ /\/>$/) continue
			if (tag ~ /^<\//) { if (!depth || open[depth--] != name) exit 1 }
			else open[++depth] = name
		}
		exit depth || seen < 5
	}' "$1"; }
# without its strings, brackets match and nothing but numbers, commas and colons is left
well_formed_json() { awk '
	{ gsub(/"(\\.|[^"\\])*"/, "s"); text = text $0 }
	END {
		gsub(/[ \t]/, "", text)
		while (gsub(/\[((s|[0-9]+|v)(,(s|[0-9]+|v))*)?\]|\{(s:(s|[0-9]+|v)(,s:(s|[0-9]+|v))*)?\}/, "v", text)) ;
		exit text != "v"
	}' "$1"; }
# the N-th word of the first row of the table that begins with a line "NAME:"
first_row() { awk -v t="$1:" -v n="$2" 'on && ++rows == 2 { print $n; exit } index($0, t) == 1 { on = 1 }' "$work/p/profile.txt"; }

cat >"$work/hot.cl" <<'END'
float step(float x, float y)
{
	return x * 0.5f + y;
}

kernel void busy(global float *a)
{
	float x = a[get_global_id(0)];
	for (int i = 0; i < 500; i++) {
		x = native_sqrt(x < 1 ? x / 3.1f / (x + 5) : x);
	}
	a[get_global_id(0)] = x;
}

kernel void idle(global float *a)
{
	a[get_global_id(0)] = step(a[get_global_id(0)], 1);
}
END
for speed in timed functional; do
	rm -rf "$work/p"
	capture hot --speed $speed --profile="$work/p"
	cp "$work/err" "$work/tables"
	check "$speed: it runs" [ $status = 0 ]
	check "$speed: standard output is the program's" [ -z "$out" ]
	check "$speed: the kernel that takes longest is first" [ "$(first_row kernels 1)" = busy ]
	check "$speed: it is most of it" sh -c "[ \"\${1%%.*}\" -ge 90 ]" - "$(first_row kernels $([ $speed = timed ] && echo 5 || echo 4))"
	check "$speed: the hot line is first" has "$(first_row lines 1)" "cl:10"
	check "$speed: its source beside it" has "$(grep 'cl:10 ' "$work/p/profile.txt")" "x = native_sqrt(x < 1"
	check "$speed: and in the listing" sh -c "grep -q '% .* 10  .*x = native_sqrt' '$work/p/listing.txt'"
	check "$speed: a line that nothing ran in has no cost in the listing" sh -c "grep -q '^ *2  {$' '$work/p/listing.txt'"
	check "$speed: the tables are shown and kept" sh -c "grep -v '^$' '$work/tables' | grep -v '^in ' | cmp -s - '$work/p/profile.txt.dense'" \
		"$(grep -v '^$' "$work/p/profile.txt" >"$work/p/profile.txt.dense")"
	check "$speed: a function that was inlined is a frame" grep -q '^idle;hot\|^idle;program-[0-9a-f]*.cl:[0-9]*;step;program-[0-9a-f]*.cl:3;' "$work/p/flame-device.folded"
	for flame in device host; do
		check "$speed: the $flame's flame graph is well-formed" well_formed "$work/p/flame-$flame.svg"
	done
	check "$speed: stacks of the host" grep -q '^main;build [0-9]*$' "$work/p/flame-host.folded"
	total=$(awk '{ n += $NF } END { print n + 0 }' "$work/p/flame-device.folded")
	wanted=$([ $speed = timed ] && echo CU_BUSY || echo WARP_INSNS)
	check "$speed: the stacks add up to the device's $wanted" \
		[ "$total" = "$(sed -n "s/.*\"$wanted\": \([0-9]*\).*/\1/p" "$work/p/profile.json")" ]
	check "$speed: the JSON is well-formed" well_formed_json "$work/p/profile.json"
	check "$speed: blocks" grep -q '^  compute units .*% ' "$work/p/profile.txt"
	check "$speed: time of the host" grep -q '^    compute  *[0-9.]* ' "$work/p/profile.txt"
done
hot --profile="$work/p" 2>/dev/null
capture "$galena" profile "$work/p"
check "the report can be made again" [ $status = 0 ]
check "and says the same" sh -c "tail -n +2 '$work/out' | grep -v '^in ' | cmp -s - '$work/p/rest'" "$(tail -n +2 "$work/p/profile.txt" >"$work/p/rest"; echo >>"$work/p/rest")"

capture hot --profile
check "without a directory: the tables alone" sh -c "[ $status = 0 ] && grep -q '^lines: ' '$work/err' && ! grep -q '^in ' '$work/err'"
capture "$galena" run --profile="$work/p" -- sh -c "'$build/test/tools/hot' '$work/hot.cl'; '$build/test/tools/hot' '$work/hot.cl'"
check "two programs at once: their kernels are added up" [ "$(first_row kernels 2)" = 2 ]

mkdir "$work/here" "$work/here/q"
capture sh -c "cd '$work/here' && GALENA_PROFILE=q '$galena' run -- sh -c 'exec '\''$build/test/tools/hot'\'' '\''$work/hot.cl'\''' && '$galena' profile q"
check "a program that is started without the tool, its directory relative" sh -c "[ $status = 0 ] && grep -q '^  busy  *1 ' '$work/here/q/profile.txt'"

capture "$galena" run --profile="$work/p" -- true
check "a program without a device is no error" [ $status = 0 ]
check "it is told" has "$err" "no device was opened"
check "nothing of the profile before is left" [ "$(grep -c busy "$work/p/profile.txt")" = 0 ]
check "an empty flame graph is well-formed, too" well_formed "$work/p/flame-device.svg"
capture "$galena" run --profile="$work/p" -- "$build/bin/galena" info
check "no kernel ran: told" has "$err" "no kernel ran"
capture "$galena" run --profile="$work/p" -- sh -c 'exit 7'
check "the exit status is the program's" [ $status = 7 ]
capture "$galena" run --profile="$work/p" -- sh -c 'kill -USR1 $$'
check "a signal's as a shell tells it" [ "$(kill -l $status)" = USR1 ]
capture "$galena" run --profile="$work/p" -- /nonexistent/program
check "no program: 127 and one line" sh -c "[ $status = 127 ] && [ \$(wc -l <'$work/err') = 1 ]"
capture "$galena" run --profile=/nonexistent/directory -- true
check "no directory: one clear line" has "$err" "--profile=/nonexistent/directory: cannot make the directory"
capture "$galena" profile /nonexistent
check "nothing to report on: one clear line" sh -c "[ $status = 3 ] && [ \$(wc -l <'$work/err') = 1 ]"
echo nonsense >"$work/p/1-device0.counts"
capture "$galena" profile "$work/p"
check "a file that is no profile is refused" has "$err" "is no profile of this version"

printf 'kernel void wild(global float *a) { a[get_global_id(0) << 40] = 1; }\n' >"$work/hot.cl"
capture hot --profile="$work/p"
check "a kernel that faults: the program's status" [ $status = 5 ]
check "and its launch is there as one that failed" grep -q '^  wild .*failed' "$work/p/profile.txt"
finish
