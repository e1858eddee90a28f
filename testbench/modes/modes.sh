#!/bin/sh
# modes.sh BUILD [PROGRAM...]: the test programs that use a device leave the same memory behind, at the same cycle, in every way
# of running them: with timing and without, whatever the host's vectors, threads and engine are. Memory is
# each device's DRAM when it ends, with the cycle (GALENA_DRAM_HASH); a program's own checks look at what it read besides.
#
# Compared are ways of the same speed. With timing and without, work-groups run in another order, so that private memory,
# which they leave behind, differs: it is left out of that comparison. A program whose other memory differs is run with other
# latencies: where these change its memory, too, the order of work-groups decides it, and it is named; else it fails, and with
# SPEEDS_AGREE set it fails anyhow.
# A program whose hash is not its own from run to run, because its threads race for addresses, only has to succeed.
#
# Translated code: a run asks for every superblock that a warp comes to (GALENA_TRANSLATE_HOT=0, and ask.sh for
# galena-translate, which keeps the requests); then they are translated on all CPUs, so long as MODES_SECONDS (600) last;
# and again, since what runs translated leaves other forms. Then runs take from the cache what is there, from the first
# arrival on. So nothing waits, and how long it takes has a bound. The share of instructions that ran translated stands in the table. The
# benchmark's workloads also run with the translator itself, each from an empty cache and waiting for all that it
# makes, and with both engines compared.
#
# MODES: which ways beside the first, names of modes() below (all). JOBS: how many run at a time (CPUs).
# Exit status 1: a program failed or differs, or a translator broke.
build=${1:-${GALENA_BUILD:-build}}
build=$(cd "$build" && pwd) || exit 2
[ $# -gt 0 ] && shift
here=testbench/modes jobs=${JOBS:-$(nproc)} started=$(date +%s)
. testbench/check.sh
. $here/table.sh
mkdir "$work/runs" "$work/cache" "$work/asked"
export GALENA_CACHE_DIR="$work/cache" GALENA_SEED=${GALENA_SEED:-1} GALENA_TOP=0 OCL_ICD_VENDORS="$build/etc/OpenCL/vendors"
export GALENA_BUILD="$build" GALENA_MODES_ASKED="$work/asked"
unset GALENA_SPEED GALENA_SIMD GALENA_HOST_THREADS GALENA_ENGINE GALENA_TRANSLATE GALENA_TRANSLATE_HOT

# Vectors of this host, the widest first.
vectors() {
	flags=" $(grep -m 1 '^flags' /proc/cpuinfo) "
	has_all() { for f; do case $flags in *" $f "*) ;; *) return 1 ;; esac; done; }
	has_all avx512f avx512vl avx512dq avx512bw && echo avx512
	has_all avx2 fma bmi2 && echo avx2
	echo portable
}
simds=$(vectors | tr '\n' ' ')
widest=${simds%% *}

# NAME COMPARED-WITH VARIABLES...; what is compared with - is what others are compared with
modes() {
	timed="GALENA_SPEED=timed GALENA_HOST_THREADS=1 GALENA_SIMD"
	threads="GALENA_SPEED=timed GALENA_HOST_THREADS=2 GALENA_SIMD"
	functional="GALENA_SPEED=functional GALENA_HOST_THREADS=1 GALENA_ENGINE=interp GALENA_SIMD"
	functional2="GALENA_SPEED=functional GALENA_HOST_THREADS=2 GALENA_ENGINE=interp GALENA_SIMD"
	translate="GALENA_SPEED=functional GALENA_ENGINE=translate GALENA_TRANSLATE_HOT=0 GALENA_SIMD"
	echo "timed - $timed=$widest"
	echo "timed-again timed $timed=$widest"
	echo "timed-threads timed $threads=$widest"
	for s in ${simds#* }; do echo "timed-$s timed $threads=$s"; done
	echo "functional - $functional=$widest"
	echo "functional-again functional $functional=$widest"
	echo "functional-threads functional $functional2=$widest"
	for s in ${simds#* }; do echo "functional-$s functional $functional2=$s"; done
	ask="$translate=$widest GALENA_TRANSLATE=$PWD/$here/ask.sh"
	echo "translated-asking functional $ask GALENA_HOST_THREADS=1"
	echo "translated functional $ask GALENA_HOST_THREADS=1"
	echo "translated-threads functional $ask GALENA_HOST_THREADS=2"
	for s in $simds; do
		echo "waiting-$s functional $translate=$s GALENA_HOST_THREADS=2 GALENA_CACHE_DIR=$work/cache-$s"
	done
	echo "waiting-checked functional GALENA_SPEED=functional GALENA_SIMD=$widest GALENA_ENGINE=check GALENA_CACHE_DIR=$work/cache-checked"
}

# Programs, and what is left out and why.
programs() {
	for p in "$build"/test/opencl/* "$build"/test/spec/* "$build"/test/builtins/* "$build"/test/math/* "$build"/test/compiler/* "$build"/test/driver/* \
		"$build"/test/examples/* "$build"/test/clients/* "$build"/examples/*; do
		why=
		case $p in
		*/determinism | */coherency | */engines) why="runs others of these, in modes of its own" ;;
		*/clients/clpeak | */clients/ffmpeg) why="takes minutes a run; make check has it" ;;
		*/clients/clblast | */clients/hashcat | */clients/pyopencl) why="run at functional speed, in one directory; make check has them" ;;
		*/builtins/checks | */builtins/images_calc | */clients/frame_compare) why="parts of other tests, which run them with arguments" ;;
		*/clients/clinfo | */clients/libraries) why="runs no kernels, and nothing beside itself" ;;
		esac
		if [ ! -f "$p" ] || [ ! -x "$p" ]; then
			continue
		elif [ "$why" ]; then
			echo "${p#"$build"/}: $why" >>"$work/left-out"
		elif [ "${p##*/}" = memory_random ]; then
			echo "$p $GALENA_SEED 3000" # of its 60000 rounds
		else
			echo "$p"
		fi
	done
	echo "test/{model,oracle,translate,fuzz}: blocks alone, in modes that each test names itself" >>"$work/left-out"
	echo "test/{tools,traces,rules,bench,modes}: run programs that are recorded, observed or measured, in modes of their own" >>"$work/left-out"
	for w in $("$build/bench/clbench" --help | sed -n "s/^Workloads: //p"); do
		echo "$build/bench/clbench --kernels bench/kernels --small --runs 1 --budget 1 $w"
	done
}

label_of() {
	sed -n "$1p" "$work/programs" | sed "s|^$build/||; s|^test/||; s|^bench/clbench .* |clbench |"
}

# ---- runs ----

# watch WHAT EXPECTED DIRECTORY PID: waits for the process, and says how far it is meanwhile. EXPECTED: lines WEIGHT FILE; what
# is done has its file in the directory.
watch() {
	begin=$(date +%s) said=$begin end=.
	[ -t 1 ] && end=
	while sleep 1; do
		now=$(date +%s)
		[ -t 1 ] || [ $((now - said)) -ge 20 ] || continue
		said=$now
		[ -t 1 ] && printf '\r'
		ls "$3" | awk -v what="$1" -v seconds=$((now - begin)) -v end="$end" '
			NR == FNR { weight[$2] = $1; all += $1; n++; next }
			$1 in weight { done += weight[$1]; count++ }
			END {
				printf "# %s: %d of %d, %.1f a second, ", what, count, n, count / (seconds ? seconds : 1)
				left = done ? seconds * (all - done) / done : 0
				if (done) printf "%d:%02d left%s", left / 60, left % 60, end; else printf "time left unknown%s", end
			}' "$2" -
		[ -t 1 ] || echo
	done &
	watcher=$!
	wait "$4"
	kill $watcher
	wait $watcher 2>/dev/null
	[ -t 1 ] && printf '\r%78s\r' ''
	echo "# $1: $(wc -l <"$2") in $(($(date +%s) - begin)) s"
}

wanted() { case " timed functional ${MODES:-$1} " in *" $1 "*) return 0 ;; esac; return 1; }

# run_modes WHAT MODE...: each program that uses a device in each of the modes, what takes longest first
run_modes() {
	what=$1; shift
	for mode; do
		wanted "$mode" || continue
		while read -r n; do
			case $mode in
			waiting-*) case $(label_of "$n") in clbench*) ;; *) continue ;; esac ;;
			esac
			cost=$(cut -d' ' -f2 "$work/runs/$n.functional.end" 2>/dev/null || echo 1)
			echo "$cost $n $mode"
		done <"$work/numbers"
	done | sort -rn -s -k1,1 >"$work/tasks"
	[ -s "$work/tasks" ] || return 0
	awk '{ print $1, $2 "." $3 ".end" }' "$work/tasks" >"$work/expected"
	cut -d' ' -f2 "$work/expected" | (cd "$work/runs" && xargs rm -f)
	cut -d' ' -f2- "$work/tasks" | xargs -n 2 -P "$jobs" $here/one.sh "$work" &
	watch "$what" "$work/expected" "$work/runs" $!
}

# Makes what was asked for, in any order: the names are hashes, so whatever there is no time for is a sample.
translate_asked() {
	ls "$work/asked" | grep '\.region$' | while read -r name; do
		[ -e "$work/asked/$name.done" ] || echo "$work/asked/$name"
	done >"$work/requests"
	[ -s "$work/requests" ] || return 0
	sed 's|.*/|1 |; s|$|.done|' "$work/requests" >"$work/expected"
	xargs -n 1 -P "$jobs" $here/translate.sh "$work" "$build/libexec/galena-translate" "$deadline" <"$work/requests" &
	watch "superblocks translated" "$work/expected" "$work/asked" $!
}

# Programs whose last run has asked for something new: code leaves other forms of registers than the interpreter.
still_asking() {
	for n in $(cat "$work/all"); do
		[ -e "$work/runs/$n.asked" ] && echo "$n"
		rm -f "$work/runs/$n.asked"
	done
}

modes >"$work/modes"
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else programs; fi >"$work/programs"
seq "$(wc -l <"$work/programs")" >"$work/numbers"
echo "# host vectors: $simds; $jobs runs at a time; seed $GALENA_SEED"
run_modes "programs" functional
for n in $(cat "$work/numbers"); do
	# what failed before it came to a device is not forgotten: it stands in the table
	if [ -s "$work/runs/$n.functional.hash" ] || ! grep -q "^0 " "$work/runs/$n.functional.end"; then
		echo "$n"
	else
		label_of "$n" >>"$work/no-device"
	fi
done >"$work/users"
mv "$work/users" "$work/numbers"
set -- $(cut -d' ' -f1 "$work/modes" | grep '^timed\|^functional.')
run_modes "runs of the interpreter" "$@"
deadline=$(($(date +%s) + ${MODES_SECONDS:-600}))
if wanted translated; then
	cp "$work/numbers" "$work/all"
	run_modes "runs that ask for superblocks" translated-asking
	for round in 1 2 3; do
		translate_asked
		still_asking >"$work/numbers"
		run_modes "runs that ask for what is left" translated-asking
	done
	translate_asked
	mv "$work/all" "$work/numbers"
	run_modes "runs of translated code" translated translated-threads
fi
set -- $(cut -d' ' -f1 "$work/modes" | grep '^waiting')
run_modes "runs that wait for the translator" "$@"
compare_all
finish
