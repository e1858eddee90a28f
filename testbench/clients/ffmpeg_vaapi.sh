#!/bin/sh
# Debian's ffmpeg with VA-API on the Galena device: what goes up and down comes back bit by bit; scale_vaapi gives frames within two code values
# of ffmpeg's own scale, and MJPEG within one of its own decoder. One run of ffmpeg a side; one line a case.
#   FILTERS=...  only the cases whose name holds this word
#
# scale's own filter is bicubic, which is what scale_vaapi asks for (mode=hq); mode=fast is its bilinear one. Where colours are converted, scale
# needs flags to compute every pixel's own chroma, and scale_vaapi an out_range: ffmpeg gives it that of the input else.
set -u
. "$(dirname "$0")/tap.sh"
needs ffmpeg ffmpeg
compare=$build/test/clients/frame_compare
only=${FILTERS:-}
export GALENA_SPEED=${GALENA_SPEED:-functional} GALENA_DEVICES=1 LIBVA_DRIVERS_PATH="$build/lib" LIBVA_MESSAGING_LEVEL=1
node=$build/share/galena/renderD128
sanitizer=$(ldd "$build/lib/galena_drv_video.so" | awk '/libasan/ { print $3 }')

# add NAME LIMIT FORMAT DEVICE OUTPUT REFERENCE: the device's graph gives frames of format OUTPUT; REFERENCE is what the filters of the CPU do for it
cases=0 device_graph= reference_graph=
: >cases
add() {
	case $1 in *"$only"*) ;; *) return 0 ;; esac
	bytes=1 comparable=$5
	case $5 in p010le) bytes=2 comparable=yuv420p10le ;; bgr0) comparable=rgb24 ;; esac
	device_graph="$device_graph[$cases]format=$3,hwupload,$4,hwdownload,format=$5,format=$comparable[out$cases];"
	reference_graph="$reference_graph[$cases]format=$3,$6,format=$5,format=$comparable[out$cases];"
	printf '%s\n%s\n' "-b $bytes -t $2" "$1" >>cases
	cases=$((cases + 1))
}
for format in nv12 yuv420p p010le yuyv422 uyvy422 yuv422p yuv440p yuv444p yuv411p gray rgba bgra argb abgr rgb0 bgr0; do
	add "up and down $format" 0 $format null $format null
done
for size in 320:192 240:144 200:100 112:64 80:48 50:30; do
	add "scale nv12 to $size" 2 nv12 scale_vaapi=$size nv12 scale=$size
	add "scale nv12 to $size, bilinear" 2 nv12 scale_vaapi=$size:mode=fast nv12 scale=$size:flags=bilinear
done
for format in yuv420p yuv444p yuv422p gray p010le; do
	add "scale $format" 2 $format scale_vaapi=128:72:mode=fast $format scale=128:72:flags=bilinear
done
accurate=accurate_rnd+full_chroma_int+full_chroma_inp
# scale filters RGB as YUV, which clamps elsewhere: bicubic weights are not comparable
add 'scale bgr0' 2 bgr0 scale_vaapi=128:72:mode=fast bgr0 "scale=128:72:flags=bilinear+$accurate"
add 'bgr0 to nv12' 2 bgr0 scale_vaapi=format=nv12:mode=fast:out_range=tv nv12 "scale=flags=bilinear+$accurate"
add 'yuv444p to bgr0' 2 yuv444p scale_vaapi=format=bgr0:out_range=pc bgr0 "scale=flags=bicubic+$accurate"
add 'nv12 to p010le' 2 nv12 scale_vaapi=format=p010le p010le scale
# its alpha is 0 where none is given
add_overlay() {
	case $1 in *"$only"*) ;; *) return 0 ;; esac
	device_graph="$device_graph[$cases]format=nv12,split[m$cases][o$cases];[m$cases]hwupload[n$cases];[o$cases]crop=64:48,hwupload[p$cases];[n$cases][p$cases]overlay_vaapi=x=20:y=10:alpha=1,hwdownload,format=nv12[out$cases];"
	reference_graph="$reference_graph[$cases]format=nv12,split[m$cases][o$cases];[o$cases]crop=64:48[p$cases];[m$cases][p$cases]overlay=x=20:y=10,format=nv12[out$cases];"
	printf '%s\n%s\n' '-t 2' "$1" >>cases
	cases=$((cases + 1))
}
add_overlay overlay
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
	ffmpeg "$@"
}
on_device() { LD_PRELOAD="$sanitizer $build/lib/libgalena-drm.so" ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-} run "$@"; }
run reference "$reference_graph" 2>reference_errors &
reference=$!
on_device device "$device_graph" -init_hw_device "vaapi=va:$node" -filter_hw_device va 2>errors
device_status=$? reference_status=0
wait $reference || reference_status=$?
text=$(grep . errors || true)
[ -z "$text" ]
result $? 'ffmpeg has nothing to tell' "$cases graphs"
i=0
while read -r judged && read -r name; do
	if [ $reference_status != 0 ]; then
		cat reference_errors >errors
		result 1 "$name" 'the reference has no frames'
	elif [ $device_status != 0 ]; then
		result 1 "$name" 'the device has no frames; FILTERS="this name" runs it alone'
	else
		text=$($compare $judged $i.reference $i.device 2>errors)
		result $? "$name" "$text"
	fi
	i=$((i + 1))
done <cases

# mjpeg NAME FORMAT SURFACE: a film that ffmpeg writes, decoded by the media unit and by ffmpeg
mjpeg() {
	case "decode MJPEG $1" in *"$only"*) ;; *) return 0 ;; esac
	ffmpeg -nostdin -hide_banner -v error -f lavfi -i testsrc2=s=158x94:r=5:d=0.6 -pix_fmt "$2" -c:v mjpeg -q:v 3 -y "$1.avi" 2>errors &&
		ffmpeg -nostdin -hide_banner -v error -i "$1.avi" -f rawvideo -y "$1.reference" 2>errors &&
		LD_PRELOAD="$sanitizer $build/lib/libgalena-drm.so" ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-} ffmpeg -nostdin -hide_banner -v error \
			-init_hw_device "vaapi=va:$node" -hwaccel vaapi -hwaccel_device va -hwaccel_output_format vaapi -i "$1.avi" \
			-vf "hwdownload,format=$3" -f rawvideo -y "$1.device" 2>errors
	if [ $? = 0 ]; then
		text=$($compare -t 1 "$1.reference" "$1.device" 2>errors)
		result $? "decode MJPEG $1" "$text"
	else
		result 1 "decode MJPEG $1" 'no frames'
	fi
}
mjpeg 420 yuvj420p yuv420p
mjpeg 422 yuvj422p yuv422p
mjpeg 444 yuvj444p yuv444p
finish
