#!/bin/sh
# Debian's ffmpeg with its Vulkan filters on the Galena device: every frame within one code value of ffmpeg's own filters on the
# CPU. Formats that go up and down come back bit by bit. One run of ffmpeg a side; one line a case.
#   FILTERS=...  only the cases whose name holds this word
#
# The shaders read between texels: their samplers are linear and their coordinates whole numbers. So the CPU's side has the mean of
# two by two texels after each pass, with the edge's texels beyond the edge.
# An upload of ffmpeg reads the frame after ffmpeg has freed it. loop keeps the frames.
# Not here: chromaber, overlay, scale and blend ask for work-groups of 1,024 invocations without looking at the device's limit;
# avgblur writes beyond its shared array, and flips of four planes beyond an array on the host.
set -u
. "$(dirname "$0")/tap.sh"
needs ffmpeg ffmpeg
compare=$build/test/clients/frame_compare
only=${FILTERS:-}
export GALENA_CACHE_DIR=$shared_cache GALENA_SPEED=${GALENA_SPEED:-functional} GALENA_DEVICES=1
export VK_DRIVER_FILES="$build/share/vulkan/icd.d/galena.json" VK_ICD_FILENAMES="$build/share/vulkan/icd.d/galena.json"

# around GRAPH: the frame with edges of four more texels, GRAPH, and the edges off again
around() { echo "pad=iw+8:ih+8:4:4,fillborders=4:4:4:4:smear,$1,crop=iw-8:ih-8:4:4"; }
# matrix NUMBERS DIVISOR: a convolution of all planes
matrix() { echo "convolution='$1:$1:$1:$1:1/$2:1/$2:1/$2:1/$2'"; }
mean=$(around "$(matrix '1 1 0 1 1 0 0 0 0' 4)")
# gblur of sigma 1 and size 5: the mean and the five taps that the filter computes, 613 2446 3882 2446 613, as one matrix for each of its passes
none='0 0 0 0 0 0 0' taps='613 3059 6328 6328 3059 613 0'
across="$none $none $taps $taps $none $none $none"
down=$(for t in $taps; do printf '0 0 %s %s 0 0 0 ' $t $t; done)
blurred="$(around "$(matrix "$across" 40000)"),$(around "$(matrix "${down% }" 40000)")"

# add NAME LIMIT FORMAT DEVICE REFERENCE: REFERENCE is what the filters of the CPU do for DEVICE; the frames are FORMAT in the end
cases=0 device_graph= reference_graph=
: >cases
set --
add() {
	case $1 in *"$only"*) ;; *) return 0 ;; esac
	device_graph="$device_graph[$cases]format=$3,loop=1:2,hwupload,$4,hwdownload,format=$3[out$cases];"
	reference_graph="$reference_graph[$cases]format=$3,loop=1:2,$5,format=$3[out$cases];"
	printf '%s\n%s\n' "$2" "$1" >>cases
	cases=$((cases + 1))
}
for format in gray yuv444p gbrap nv12 yuv420p rgba p010le gray16le; do
	add "up and down $format" 0 $format null null
done
add 'hflip yuv444p' 1 yuv444p hflip_vulkan "hflip,$mean"
add 'vflip yuv444p' 1 yuv444p vflip_vulkan "vflip,$mean"
add 'flip gray' 1 gray flip_vulkan "hflip,vflip,$mean"
add 'hflip nv12' 1 nv12 hflip_vulkan "format=yuv420p,hflip,$mean"
add 'transpose cclock' 1 yuv444p transpose_vulkan=dir=cclock "transpose=dir=cclock,$mean"
add 'transpose cclock_flip' 1 gray transpose_vulkan=dir=cclock_flip "transpose=dir=cclock_flip,$mean"
add 'transpose clock_flip' 1 gray transpose_vulkan=dir=clock_flip "transpose=dir=clock_flip,$mean"
add 'gblur gray' 1 gray gblur_vulkan=sigma=1:size=5 "$blurred"
add 'gblur of halves' 2 yuv444p gblur_vulkan=sigma=1:size=5,hflip_vulkan "$blurred,hflip,$mean"
[ $cases -gt 0 ] || exit 2

# run SIDE GRAPH OPTION...: the frames of all cases, in N.SIDE
run() {
	side=$1 graph=${2%;}
	shift 2
	set -- "$@" -nostdin -hide_banner -v error
	i=0
	while [ $i -lt $cases ]; do
		set -- "$@" -f lavfi -i testsrc2=s=160x96:r=5:d=0.4
		i=$((i + 1))
	done
	set -- "$@" -filter_complex "$graph"
	i=0
	while [ $i -lt $cases ]; do
		set -- "$@" -map "[out$i]" -f rawvideo -y "$i.$side"
		i=$((i + 1))
	done
	client ffmpeg "$@"
}
run reference "$reference_graph" 2>reference_errors &
reference=$!
run device "$device_graph" -init_hw_device vulkan=vk:0 -filter_hw_device vk 2>errors
device_status=$?
wait $reference
[ $? = 0 ] && [ ! -s reference_errors ]
result $? 'the reference has frames' "$(head -c 200 reference_errors)"
[ $device_status = 0 ]
result $? 'the device has frames' "exit status $device_status"
i=0
while read -r limit && read -r name; do
	text=$($compare -b 1 -t "$limit" $i.reference $i.device 2>errors)
	result $? "$name" "$text"
	i=$((i + 1))
done <cases
finish
