#!/bin/sh
# Debian's ffmpeg with surfaces of VA-API that OpenCL maps (cl_intel_va_api_media_sharing): frames go up to surfaces, OpenCL's filters read
# these and write others, and VA-API brings them down. Every frame is what the same filters make of frames without VA-API: within one code value
# of PoCL's, which computes on the CPU, and bit by bit what the device makes of frames that are uploaded to OpenCL. One line a case.
#   FILTERS=...  only the cases whose name holds this word
set -u
. "$(dirname "$0")/tap.sh"
needs ffmpeg ffmpeg
compare=$build/test/clients/frame_compare
only=${FILTERS:-}
export POCL_CACHE_DIR="$build/test/cache/pocl" POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable GALENA_CACHE_DIR=$shared_cache
mkdir -p "$POCL_CACHE_DIR" || exit 2
# VA-API's displays are of device 0, and OpenCL's devices of a display are that one
export LIBVA_DRIVERS_PATH="$build/lib" LIBVA_MESSAGING_LEVEL=1
node=$build/share/galena/renderD128

ff() { ffmpeg -nostdin -hide_banner -v error "$@"; }
on_reference() { OCL_ICD_VENDORS=/etc/OpenCL/vendors ff -init_hw_device opencl=cl:0.0 -filter_hw_device cl "$@"; }
on_opencl() { OCL_ICD_VENDORS=$device_vendors client ffmpeg -nostdin -hide_banner -v error -init_hw_device opencl=cl:0.0 -filter_hw_device cl "$@"; }
on_va() {
	OCL_ICD_VENDORS=$device_vendors LD_PRELOAD="${sanitizer:+$sanitizer }$build/lib/libgalena-drm.so" ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}" \
		ffmpeg -nostdin -hide_banner -v "${verbosity:-error}" -init_hw_device "vaapi=va:$node" -filter_hw_device va "$@"
}

cases=0 va_graph= opencl_graph= reference_graph=
: >cases
inputs=
# add NAME SOURCE FILTERS DOWN: DOWN is how frames come down: back in a surface, or from OpenCL's images. AGAIN in FILTERS: to a surface and back,
# which is left out without VA-API
again=,hwmap=derive_device=vaapi:reverse=1,format=vaapi,hwmap=derive_device=opencl,
back=hwmap=derive_device=vaapi:reverse=1,format=vaapi,hwdownload
straight=hwdownload
add() {
	case $1 in *"$only"*) ;; *) return 0 ;; esac
	there=$(echo "$3" | sed "s/,AGAIN,/$again/") plain=$(echo "$3" | sed 's/,AGAIN,/,/')
	va_graph="$va_graph[$cases]format=nv12,hwupload,hwmap=derive_device=opencl,$there,$4,format=nv12,format=yuv420p[out$cases];"
	opencl_graph="$opencl_graph[$cases]format=nv12,hwupload,$plain,hwdownload,format=nv12,format=yuv420p[out$cases];"
	reference_graph="$reference_graph[$cases]format=yuv420p,hwupload,$plain,hwdownload,format=yuv420p[out$cases];"
	inputs="$inputs -f lavfi -i $2"
	echo "$1" >>cases
	cases=$((cases + 1))
}
run() {
	side=$1 graph=${2%;}
	set --
	i=0
	while [ $i -lt $cases ]; do
		set -- "$@" -map "[out$i]" -f rawvideo -y "$i.$side"
		i=$((i + 1))
	done
	# shellcheck disable=SC2086
	"on_$side" $inputs -filter_complex "$graph" "$@" 2>"errors.$side"
}

moving=testsrc2=s=160x96:r=5:d=0.6 odd=testsrc2=s=142x94:r=5:d=0.6
add avgblur $moving avgblur_opencl=sizeX=3:sizeY=2 $back
add unsharp $moving unsharp_opencl=lx=5:ly=5:la=1.5:cx=5:cy=5:ca=1.5 $back
add 'sobel, straight down' $moving sobel_opencl=scale=1.5:delta=10 $straight
add 'transpose of rows with padding' $odd transpose_opencl=dir=clock $back
add 'pad, of another size' $moving pad_opencl=w=200:h=120:x=20:y=12:color=orange $back
add 'two filters' $odd avgblur_opencl=sizeX=2,transpose_opencl=dir=cclock $back
add 'twice to surfaces and back' $moving transpose_opencl=dir=clock,AGAIN,avgblur_opencl=sizeX=2 $back

# the figures are worth nothing without the extension
verbosity=verbose on_va -f lavfi -i "$moving,format=nv12" -vf hwupload,hwmap=derive_device=opencl,avgblur_opencl,hwdownload,format=nv12 -frames:v 1 -f null - >errors 2>&1
text=$(grep -o 'VAAPI driver: Galena.*' errors | head -n 1)
grep -q 'OpenCL mapping function found (clCreateFromVA_APIMediaSurfaceINTEL)' errors && [ -n "$text" ]
result $? 'ffmpeg maps surfaces of VA-API to OpenCL' "${text:-no Galena driver in $LIBVA_DRIVERS_PATH}"

# VA-API scales a frame before and after OpenCL filters it: nothing but the surfaces orders the two. Bit by bit what they make when each step's
# frames go down and up again.
text=
name='scaled by VA-API before and after'
case $name in
*"$only"*)
	up=hwupload filter=avgblur_opencl=sizeX=2 down=hwdownload,format=nv12
	on_va -f lavfi -i "$moving" -filter_complex "[0]format=nv12,split[a][b];\
[a]$up,scale_vaapi=w=120:h=72,hwmap=derive_device=opencl,$filter,hwmap=derive_device=vaapi:reverse=1,format=vaapi,scale_vaapi=w=80:h=48,$down[shared];\
[b]$up,scale_vaapi=w=120:h=72,$down,$up,hwmap=derive_device=opencl,$filter,$down,$up,scale_vaapi=w=80:h=48,$down[apart]" \
		-map '[shared]' -f rawvideo -y shared -map '[apart]' -f rawvideo -y apart 2>errors &&
		text=$($compare -t 0 apart shared 2>errors)
	result $? "$name" "${text:-no frames}"
	;;
esac

# MJPEG that the media unit decodes, and VA-API makes NV12 of, for OpenCL: against ffmpeg's decoder and PoCL
text=
name='MJPEG decoded by VA-API'
case $name in
*"$only"*)
	filter=avgblur_opencl=sizeX=2
	ff -f lavfi -i "$moving" -c:v mjpeg -q:v 2 -pix_fmt yuvj420p -y clip.avi 2>errors &&
		on_reference -i clip.avi -vf "format=yuvj420p,hwupload,$filter,hwdownload,format=yuvj420p" -f rawvideo -y decoded.reference 2>errors &&
		on_va -hwaccel vaapi -hwaccel_device va -hwaccel_output_format vaapi -i clip.avi -vf "scale_vaapi=format=nv12,hwmap=derive_device=opencl,$filter,\
hwdownload,format=nv12,setparams=range=pc,format=yuvj420p" -f rawvideo -y decoded.va 2>errors &&
		text=$($compare -t 1 decoded.reference decoded.va 2>errors)
	result $? "$name" "${text:-no frames}"
	;;
esac

[ $cases -gt 0 ] || finish
run reference "$reference_graph" &
reference=$!
run opencl "$opencl_graph"
opencl_status=$?
run va "$va_graph"
va_status=$?
wait "$reference"
reference_status=$?
i=0
while read -r name; do
	for side in va opencl reference; do
		eval "status=\$${side}_status"
		[ "$status" = 0 ] || break
	done
	if [ "$status" != 0 ]; then
		cp "errors.$side" errors
		result 1 "$name" "ffmpeg has no frames with $side"
	elif ! cmp $i.opencl $i.va >errors 2>&1; then
		result 1 "$name" 'not what the device makes of frames that are uploaded to OpenCL'
	else
		text=$($compare -t 1 $i.reference $i.va 2>errors)
		result $? "$name" "$text"
	fi
	i=$((i + 1))
done <cases
finish
