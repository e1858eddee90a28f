#!/bin/sh
# Debian's ffmpeg with its OpenCL filters on the Galena device: every frame equal to PoCL's within one code value a
# sample; tonemap, whose two-channel images PoCL lacks, within two of ffmpeg's own filters on the CPU.
# One line a case. The sources are ffmpeg's own. Run by testbench/run as BUILD/test/clients/ffmpeg.
#   FILTERS=...        only the cases whose name holds this word
#   REFERENCE_VENDORS  directory of the reference's .icd file (/etc/OpenCL/vendors, PoCL)
#   DEVICE_VENDORS     directory of the device's .icd file (BUILD/etc/OpenCL/vendors), DEVICE_NAME its platform
#   DEVICE_PREFIX      a command in front of ffmpeg for the device, such as oclgrind
set -u
. "$(dirname "$0")/tap.sh"
kernels=$build/test/clients/filters.cl
compare=$build/test/clients/frame_compare
reference_vendors=${REFERENCE_VENDORS:-/etc/OpenCL/vendors}
prefix=${DEVICE_PREFIX:-}
only=${FILTERS:-}
# the reference's compiler takes longer than its kernels run, however slow these are
export POCL_CACHE_DIR="$build/test/cache/pocl" POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable GALENA_CACHE_DIR=$shared_cache
mkdir -p "$POCL_CACHE_DIR" || exit 2

run_ffmpeg() { ffmpeg -nostdin -hide_banner -v error "$@"; }
cl_options='-init_hw_device opencl=cl:0.0 -filter_hw_device cl'
on_reference() { OCL_ICD_VENDORS=$reference_vendors run_ffmpeg $cl_options "$@"; }
on_device() { OCL_ICD_VENDORS=$device_vendors client $prefix ffmpeg -nostdin -hide_banner -v error $cl_options "$@"; }

wanted() { case $1 in *"$only"*) return 0 ;; esac; return 1; }

moving=testsrc2=s=160x96:r=5:d=0.6
odd=testsrc2=s=157x93:r=5:d=0.6
fractal='mandelbrot=r=5:s'
# a still picture, a shaking camera
shaken="testsrc2=s=640x480,loop=-1:1,crop=160:96:x='200+6*sin(n*2)':y='150+4*cos(n*3)',trim=end_frame=5"

# To start ffmpeg takes longer than most of these pictures, so cases share a run of it on each side:
#   several_begin; several_add NAME BYTES GRAPH SOURCE...; several_end
# GRAPH ends on the host; @0, @1, ... are the SOURCEs, and labels in it end in #, which is the case's number. NV12 in either
# is nv12 for the device and yuv420p for the reference. A SOURCE is a graph of lavfi, or a file NAME.raw of one HDR frame.
#   several_two NAME OPTIONS REFERENCE-GRAPH DEVICE-GRAPH SOURCE...: another graph on each side; OPTIONS of frame_compare
several_begin() {
	cases=0 inputs=0 reference_graph= device_graph=
	: >arguments
	: >cases
}
several_add() {
	name=$1 judged="-b $2 -t 1" part=$3
	shift 3
	several_two "$name" "$judged" "$part" "$part" "$@"
}
several_two() {
	wanted "$1" || return 0
	printf '%s\n%s\n' "$2" "$1" >>cases
	reference_part=$(printf %s "$3" | sed "s/#/$cases/g") device_part=$(printf %s "$4" | sed "s/#/$cases/g") i=0
	shift 4
	for source in "$@"; do
		case $source in
		*.raw) printf '%s\n' -f rawvideo -pix_fmt yuv420p10le -s 64x48 -i "$source" ;;
		*) printf '%s\n' -f lavfi -i "$source" ;;
		esac >>arguments
		reference_part=$(printf %s "$reference_part" | sed "s/@$i/[$inputs]/g")
		device_part=$(printf %s "$device_part" | sed "s/@$i/[$inputs]/g")
		i=$((i + 1)) inputs=$((inputs + 1))
	done
	reference_graph="$reference_graph${reference_graph:+;}$reference_part[out$cases]"
	device_graph="$device_graph${device_graph:+;}$device_part[out$cases]" cases=$((cases + 1))
}
# several_run SIDE: on_reference or on_device with what was added; an argument a line until then
several_run() {
	case $1 in
	reference) graph=$reference_graph format=yuv420p ;;
	device) graph=$device_graph format=nv12 ;;
	esac
	printf '%s\n' -filter_complex "$graph" | cat arguments - | sed "s/NV12/$format/g" >"arguments.$1"
	i=0
	while [ $i -lt $cases ]; do
		printf '%s\n' -map "[out$i]" -f rawvideo -y "several$i.$1" >>"arguments.$1"
		i=$((i + 1))
	done
	set -f
	before=$IFS
	IFS='
'
	set -- "$1" $(cat "arguments.$1")
	IFS=$before
	set +f
	side=$1
	shift
	"on_$side" "$@"
}
several_end() {
	[ $cases -gt 0 ] || return 0
	several_run reference 2>reference_errors &
	reference=$!
	several_run device 2>errors
	device_status=$? reference_status=0
	wait "$reference" || reference_status=$?
	i=0
	while read -r judged && read -r name; do
		if [ $reference_status != 0 ]; then
			cat reference_errors >errors
			result 1 "$name" 'the reference has no frames'
		elif [ $device_status != 0 ]; then
			result 1 "$name" 'the device has no frames; FILTERS="this name" runs it alone'
		else
			text=$($compare $judged several$i.reference several$i.device 2>errors)
			result $? "$name" "$text"
		fi
		i=$((i + 1))
	done <cases
}

# one FILTER OPTIONS FORMAT...: one input, a case a format; the odd size for the packed ones
one() {
	filter=$1 options=$2
	shift 2
	for format in "$@"; do
		case $format in *rgb* | *bgr*) source=$odd ;; *) source=$moving ;; esac
		case $format in *16le) sample_bytes=2 ;; *) sample_bytes=1 ;; esac
		several_add "$filter $format" $sample_bytes "@0hwupload,${filter}_opencl=$options,hwdownload,format=$format" "$source,format=$format"
	done
}

# two FILTER OPTIONS FORMAT FORMAT2 SIZE2 [NAME]: a second input of another size and format
two() {
	several_add "${6:-$1} $3" 1 "@0hwupload[a#];@1hwupload[b#];[a#][b#]${1}_opencl=$2,hwdownload,format=$3" \
		"$moving,format=$3" "$fractal=$5,trim=duration=0.6,format=$4"
}

# nv12 FILTER OPTIONS: two-channel planes on the device against the reference's three planes
nv12() {
	several_add "$1 nv12" 1 "@0hwupload,${1}_opencl=$2,hwdownload,format=NV12,format=yuv420p" "$moving,format=NV12"
}

# tonemap NAME RAW TRANSFER GAMUT MATRIX FUNCTION PEAK CHROMA FORMAT: HDR to SDR on the device and on the CPU.
# What makes the two comparable:
# - one frame, as the OpenCL filter adapts to the brightness of the frames before; desat 0, as desaturation differs
# - the OpenCL filter reads P010 as 65535 = 255.0 where 65280 is right: the CPU gets the light that it sees; it writes
#   P010 with the same factor
# - it gives all of a two by two the nearest chroma: so does scale=flags=neighbor; its output chroma comes from
#   the top left pixel when the location says so (frame_compare -c), else from the mean of pixels that are equal here
# - colours stay inside the target's gamut: outside of it the two treat negative light differently
# - HLG is grey: with colours the two come to different OOTFs
tonemap() {
	name="tonemap $1 to $9" raw=$2 transfer=$3 gamut=$4 matrix=$5 function=$6 peak=$7 location=$8 format=$9
	cl_matrix=${matrix%nc}
	tags="setparams=range=tv:color_primaries=bt2020:color_trc=$transfer:colorspace=bt2020nc"
	case $format in
	nv12) planar=yuv420p reference="format=yuv444p" bytes=1 ;;
	p010le) planar=yuv420p10le bytes=2
		reference="format=yuv444p16le,lutyuv=y=val*257/256:u=val*257/256:v=val*257/256,format=yuv444p10le" ;;
	esac
	case $location in '') cl_tags=$tags ;; *) cl_tags="$tags,zscale=c=$location:cin=$location" ;; esac
	function="tonemap=$function:peak=$peak:desat=0"
	several_two "$name" "-b $bytes -t 2 -c 64x48" \
		"@0scale=flags=neighbor,format=yuv444p16le,lutyuv=y=val*256/257:u=val*256/257:v=val*256/257,\
$tags,zscale=t=linear:npl=100:p=$gamut,format=gbrpf32le,tonemap=$function,zscale=t=bt709:m=$matrix:r=tv,$reference" \
		"@0$cl_tags,format=p010le,hwupload,\
tonemap_opencl=$function:format=$format:p=$gamut:t=bt709:m=$cl_matrix,hwdownload,format=$format,format=$planar" "$raw"
}

needs ffmpeg ffmpeg
# the figures are worth nothing when both are the same device
OCL_ICD_VENDORS=$device_vendors client $prefix ffmpeg -nostdin -hide_banner -v verbose -init_hw_device opencl=cl:0.0 \
	-f lavfi -i nullsrc -frames:v 1 -f null - >errors 2>&1
text=$(grep -o "0\.0: $platform / .*" errors)
result $? 'ffmpeg opens the device' "${text:-no platform $platform in $device_vendors}"
OCL_ICD_VENDORS=$reference_vendors ffmpeg -nostdin -hide_banner -v verbose -init_hw_device opencl=cl:0.0 \
	-f lavfi -i nullsrc -frames:v 1 -f null - >errors 2>&1
text=$(grep -o '0\.0: Portable Computing Language / .*' errors)
result $? 'ffmpeg opens the reference' "${text:-no PoCL in $reference_vendors (make deps installs pocl-opencl-icd)}"

several_begin
one avgblur sizeX=3:sizeY=2 yuv420p rgba gray16le
one boxblur lr=4:lp=2:cr=2:cp=1:ar=1:ap=1 yuv420p bgra
one unsharp lx=5:ly=5:la=1.5:cx=3:cy=3:ca=0.8 yuv420p rgba
one sobel scale=1.5:delta=10 yuv420p rgba
one prewitt scale=1.5:delta=10 yuv420p rgba
one roberts scale=1.5:delta=10 yuv420p rgba
one convolution "'0 -1 0 -1 5 -1 0 -1 0:1 1 1 1 1 1 1 1 1:1 1 1 1 -8 1 1 1 1:-2 -1 0 -1 1 1 0 1 2':1:1/9:1:1:0:0:0:0" \
	yuv420p bgra
several_end
several_begin
# thresholds between two codes: at a code itself the last bit of v/255.0f would decide
one erosion threshold0=30.5:threshold1=40.5:threshold2=50.5:threshold3=60.5:coordinates=231 yuv420p rgba
one dilation threshold0=90.5:coordinates=180 yuv420p rgba
one transpose dir=clock yuv420p rgba
one transpose dir=cclock_flip gray16le
one pad w=200:h=120:x=20:y=12:color=orange yuv420p rgba
one colorkey color=red:similarity=0.3:blend=0.2 rgba bgra
one program "source=$kernels:kernel=turn" yuv420p rgba
several_end
several_begin
for format in yuv420p rgba; do
	several_add "deshake $format" 1 "@0hwupload,deshake_opencl,hwdownload,format=$format" "$shaken,format=$format"
done
one nlmeans s=4:p=5:r=7 yuv420p
# positions from 1 on: the filter reads outside the picture without an addressing mode else
for interp in near linear; do
	for format in yuv420p rgba; do
		several_add "remap $interp $format" 1 "@0hwupload[a#];@1hwupload[b#];@2hwupload[c#];\
[a#][b#][c#]remap_opencl=interp=$interp:fill=green,hwdownload,format=$format" "$moving,format=$format" \
			"nullsrc=s=128x80:r=5:d=0.6,format=gray16le,geq=lum='max(1,X*1.2+3*sin(Y/5))'" \
			"nullsrc=s=128x80:r=5:d=0.6,format=gray16le,geq=lum='max(1,Y*1.3-2)'"
	done
done
several_add 'openclsrc rgba' 1 "openclsrc=source=$kernels:kernel=plasma:s=157x93:r=5:format=rgba,trim=end_frame=3,hwdownload,format=rgba"
nv12 avgblur sizeX=3:sizeY=2
nv12 unsharp lx=5:ly=5:la=1.5:cx=5:cy=5:ca=1.5
nv12 sobel scale=1.5:delta=10
nv12 transpose dir=clock
nv12 pad w=200:h=120:x=20:y=12:color=orange
several_end
several_begin
two overlay x=20:y=10 yuv420p yuv420p 64x48
two overlay x=20:y=10 yuv420p yuva420p 64x48 'overlay with alpha'
two overlay x=120:y=70 rgba rgba 64x48
for transition in fade wipeleft wiperight wipeup wipedown slideleft slideright slideup slidedown; do
	two xfade transition=$transition:duration=0.4:offset=0.1 yuv420p yuv420p 160x96 "xfade $transition"
done
two xfade transition=fade:duration=0.4:offset=0.1 rgba rgba 160x96 'xfade fade'
two program "inputs=2:source=$kernels:kernel=blend" rgba rgba 64x48 'program of two inputs'
several_end

hdr() { echo "testsrc2=s=$1:r=5,format=yuv420p10le,lutyuv=u=(val-512)*$2+512:v=(val-512)*$2+512"; }
blocks="$(hdr 32x24 0.5),format=yuv444p10le,scale=64:48:flags=neighbor,scale=flags=neighbor,format=yuv420p10le"
one_frame='-frames:v 1 -pix_fmt yuv420p10le -f rawvideo -y'
several_begin
for format in nv12 p010le; do
	for function in hable mobius reinhard gamma; do
		tonemap "PQ $function" colours.raw smpte2084 bt2020 bt2020nc $function 100 topleft $format
	done
	tonemap 'PQ hable, BT.709 gamut' pale.raw smpte2084 bt709 bt709 hable 100 topleft $format
	tonemap 'PQ mobius, mean chroma' blocks.raw smpte2084 bt2020 bt2020nc mobius 100 '' $format
	tonemap 'HLG mobius' grey.raw arib-std-b67 bt709 bt709 mobius 10 topleft $format
done
if [ $cases -gt 0 ]; then
	run_ffmpeg -f lavfi -i "$(hdr 64x48 0.5)" -f lavfi -i "$(hdr 64x48 0.05)" -f lavfi -i "$blocks" \
		-f lavfi -i "$(hdr 64x48 0)" -map 0 $one_frame colours.raw -map 1 $one_frame pale.raw -map 2 $one_frame blocks.raw \
		-map 3 $one_frame grey.raw 2>errors
	result $? 'HDR frames' 'four of them'
fi
several_end

finish
