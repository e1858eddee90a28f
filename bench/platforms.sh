# What the scripts that measure share: sourced with `build` (a build directory, absolute) and `work` (a
# directory for caches and output) set. `run_on CONFIGURATION PROGRAM ARGS` runs clbench, paths or engine:
#   pocl, oclgrind              the platforms to compare with, on $threads host threads
#   functional, timed           Galena on $threads host threads
#   functional_N, timed_N       the same on N
#   small                       functional, where it is compared with Oclgrind
#   alone                       engine, which runs no platform; one host thread
#   short                       short, which chooses the engine itself; on $threads host threads
#   events, bare                functional on one host thread, by the model as it is and by one without events
# Variables of the caller's that change Galena (GALENA_CONFIG, GALENA_SIMD, ...) stay as they are.
here=$(cd "$(dirname "$0")" && pwd)

# As many host threads as CPUs, but no more than the device has compute units to run on them.
units=$("$build/bin/galena" info 2>/dev/null | awk '/^compute units/ { print $3 + 0 }')
cpus=$(nproc)
threads=$cpus
[ "$threads" -le "${units:-$threads}" ] || threads=$units

say() { printf '%s\n' "$*" >&2; }
# minutes:seconds
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# galena_on DIRECTORY SPEED THREADS PROGRAM ARGS: on the Galena that was built there
galena_on() {
	directory=$1 speed=$2 count=$3
	shift 3
	env OCL_ICD_VENDORS="$directory/etc/OpenCL/vendors" VK_DRIVER_FILES="$directory/share/vulkan/icd.d/galena.json" \
		VK_ICD_FILENAMES="$directory/share/vulkan/icd.d/galena.json" GALENA_SPEED="$speed" GALENA_HOST_THREADS="$count" \
		"$@" --platform Galena
}

# placed DIRECTORY PROGRAM ARGS: on a fresh copy of that directory's device library. Which pages of memory a file lies in makes
# a launch up to 2 % slower or faster, the same in every run: so each run draws anew.
placed() {
	rm -rf "$work/placed"
	mkdir "$work/placed"
	cp "$1"/libgalena-device.so* "$work/placed"
	shift
	galena_on "$build" functional 1 env LD_LIBRARY_PATH="$work/placed" GALENA_TRANSLATE="$build/libexec/galena-translate" "$@"
}

run_on() {
	config=$1 program=$2
	shift 2
	# one for all numbers of threads: what was built and translated is the same
	cache=$work/cache/${config%_*}
	mkdir -p "$cache"
	export GALENA_CACHE_DIR="$cache" POCL_CACHE_DIR="$cache"
	case $config:$program in
	bare:engine) GALENA_HOST_THREADS=1 "$build/no-events/bench/engine" "$@" ; return ;;
	*:engine) GALENA_HOST_THREADS=1 "$build/bench/engine" "$@" ; return ;;
	*:clbench) set -- "$build/bench/clbench" --kernels "$here/kernels" "$@" ;;
	*:paths) set -- "$build/bench/paths" "$@" ;;
	*:short) set -- "$build/bench/short" --kernels "$here/kernels" "$@" ;;
	esac
	case $config in
	pocl)
		OCL_ICD_VENDORS=/etc/OpenCL/vendors POCL_MAX_PTHREAD_COUNT=$threads \
			"$@" --platform 'Portable Computing Language' ;;
	oclgrind) oclgrind --num-threads "$threads" "$@" --platform Oclgrind ;;
	functional | timed) galena_on "$build" "$config" "$threads" "$@" ;;
	functional_* | timed_*) galena_on "$build" "${config%_*}" "${config#*_}" "$@" ;;
	small | short) galena_on "$build" functional "$threads" "$@" ;;
	events) placed "$build/lib" "$@" ;;
	bare) placed "$build/no-events/lib" "$@" ;;
	esac
}

# The workloads that clbench has, but for the launch that does nothing.
workloads_all() { "$build/bench/clbench" --help | sed -n 's/^Workloads: null //p'; }
