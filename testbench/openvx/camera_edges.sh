#!/bin/sh
# examples/vx_camera_edges.c as a user meets it: compiled away from the source tree with what pkg-config says, and what it makes of
# a video in which a white rectangle moves: edges along it and nowhere else, on every picture, whichever way frames come and go.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/vx_camera_edges.c
program=$work/vx_camera_edges
width=96 height=64 frames=5

check "ffmpeg is there (make deps)" command -v ffmpeg
check "it includes public headers alone" sh -c "! grep -n '#include \"' '$source'"
# libraries built with a sanitizer want the program to be, too
! ldd "$build/lib/libopenvx.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address
! ldd "$build/lib/libopenvx.so" | grep -q libtsan || SAN_FLAGS=-fsanitize=thread
capture sh -c 'eval "$("$1/bin/galena" env)"; ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$2" -o "$3" \
	$(pkg-config --cflags --libs openvx)' user "$build" "$source" "$program"
check "it compiles with pkg-config's flags alone" [ "$status" = 0 ]
edges() { "$build/bin/galena" run $run_options -- "$program" "$@"; }
run_options=
capture edges --help
check "there is help" has "$out" "usage: vx_camera_edges"

# The rectangle: 32 x 24 at (8 + 6 n, 20) of frame n.
ffmpeg -v error -nostdin -f lavfi -i "color=black:s=${width}x$height:r=5:d=1" -f lavfi -i "color=white:s=32x24:r=5:d=1" \
	-filter_complex "[0][1]overlay=x=8+6*round(5*t):y=20,format=nv12" -f rawvideo "$work/moving.nv12"
check "the video is made" [ "$(wc -c <"$work/moving.nv12")" = $((width * height * 3 / 2 * frames)) ]
raw="-f rawvideo -s ${width}x$height -pix_fmt"
ffmpeg -v error -nostdin $raw nv12 -r 5 -i "$work/moving.nv12" -f rawvideo -pix_fmt yuv420p "$work/moving.yuv420p"
ffmpeg -v error -nostdin $raw nv12 -r 5 -i "$work/moving.nv12" -c:v ffv1 "$work/moving.mkv"

# from a file as standard input, to a file as standard output: edges_of IN OUT OPTIONS
edges_of() {
	in=$1 to=$2
	shift 2
	edges --size ${width}x$height "$@" -o - - <"$in" >"$to"
}

# rows FILE COLUMNS: numbers, a line a row
rows() { od -An -v -tu1 -w"$2" "$1"; }

# Edges lie at most two pixels from the outline, and every pixel of the outline that is not near a corner has one that near.
cat >"$work/outline.awk" <<'END'
function away(a, b) { return a < b ? b - a : a - b }
{
	frame = int((NR - 1) / height); y = (NR - 1) % height; left = 8 + 6 * frame; right = left + 31
	for (x = 0; x < NF; x++) {
		v = $(x + 1)
		if (v != 0 && v != 255) { print "frame " frame " (" x ", " y "): neither edge nor none, but " v; bad = 1 }
		if (!v || x < 3 || y < 3 || x >= NF - 3 || y >= height - 3)
			continue
		sides = (y >= 18 && y <= 45) && (away(x, left) <= 2 || away(x, right) <= 2)
		ends = (x >= left - 2 && x <= right + 2) && (away(y, 20) <= 2 || away(y, 43) <= 2)
		if (!sides && !ends) { print "frame " frame ": an edge at (" x ", " y ")"; bad = 1 }
		if (y >= 23 && y <= 40) { west[frame, y] += away(x, left) <= 2; east[frame, y] += away(x, right) <= 2 }
		if (x >= left + 3 && x <= right - 3) { north[frame, x] += away(y, 20) <= 2; south[frame, x] += away(y, 43) <= 2 }
	}
}
END {
	if (NR != frames * height) { print NR " rows"; bad = 1 }
	for (f = 0; f < frames; f++) {
		for (y = 23; y <= 40; y++)
			if (!west[f, y] || !east[f, y]) { print "frame " f ", row " y ": no edge"; bad = 1 }
		for (x = 8 + 6 * f + 3; x <= 8 + 6 * f + 28; x++)
			if (!north[f, x] || !south[f, x]) { print "frame " f ", column " x ": no edge"; bad = 1 }
	}
	exit bad
}
END
along() { rows "$1" $width >"$work/rows" && awk -v height=$height -v frames=$frames -f "$work/outline.awk" "$work/rows" >"$work/found" || { cat "$work/found"; false; }; }

for config in full mini full,coherent=0 mini,coherent=0; do
	run_options="--check --config $config"
	capture edges_of "$work/moving.nv12" "$work/$config.gray" --edges
	check "$config: it succeeds, and breaks no rule" [ "$status" = 0 ]
	check "$config: it says how many frames and how fast" has "$err" "5 frames of 96x64 in"
	check "$config: edges are along the rectangle, in every frame" along "$work/$config.gray"
	check "$config: as on a coherent device" cmp -s "$work/full.gray" "$work/$config.gray"
done
run_options=
check "the frames differ" sh -c "! cmp -s -n $((width * height)) '$work/full.gray' '$work/full.gray' 0 $((width * height))"

capture edges_of "$work/moving.yuv420p" "$work/planar.gray" --edges --format yuv420p
check "planes of their own: the same edges" cmp -s "$work/full.gray" "$work/planar.gray"
capture edges_of "$work/moving.nv12" "$work/some.gray" --edges --frames 2
check "no more frames than asked for" [ "$(wc -c <"$work/some.gray")" = $((width * height * 2)) ]
check "and the same ones" cmp -s -n $((width * height * 2)) "$work/full.gray" "$work/some.gray"
ffmpeg -v error -nostdin $raw nv12 -i "$work/moving.nv12" -vf "lutyuv=y='16+(val-16)/16'" -f rawvideo -pix_fmt nv12 "$work/faint.nv12"
capture edges_of "$work/faint.nv12" "$work/none.gray" --edges
black() { [ -s "$1" ] && [ "$(tr -d '\0' <"$1" | wc -c)" = 0 ]; }
check "a faint rectangle has no edges" black "$work/none.gray"
capture edges_of "$work/faint.nv12" "$work/faint.gray" --edges --low 5 --high 10
check "but with lower thresholds" along "$work/faint.gray"

# The overlay: green where there is an edge, elsewhere the picture, which is grey here.
capture edges_of "$work/moving.nv12" "$work/moving.rgb"
check "pictures are whole" [ "$(wc -c <"$work/moving.rgb")" = $((width * height * 3 * frames)) ]
for n in 0 1 2 3 4; do tail -c +$((width * height * 3 / 2 * n + 1)) "$work/moving.nv12" | head -c $((width * height)); done >"$work/moving.gray"
rows "$work/moving.rgb" 3 >"$work/rgb.rows"
rows "$work/moving.gray" 1 >"$work/gray.rows"
rows "$work/full.gray" 1 >"$work/edge.rows"
capture sh -c "paste '$work/rgb.rows' '$work/gray.rows' '$work/edge.rows' | awk '
	\$5 { edges++; if (\$1 != 0 || \$2 != 255 || \$3 != 0) bad++ }
	!\$5 && (\$1 != \$4 || \$2 != \$4 || \$3 != \$4) { bad++ }
	END { print edges + 0, bad + 0; exit bad > 0 || !edges }'"
check "edges are green, all else is the picture" [ "$status" = 0 ]

# ffmpeg at both ends
capture edges --edges -o "$work/edges-%d.png" "$work/moving.mkv"
check "a video becomes pictures" [ "$status" = 0 ]
capture ffmpeg -v error -nostdin -i "$work/edges-%d.png" -f rawvideo -pix_fmt gray "$work/pictures.gray"
check "with edges along the rectangle" along "$work/pictures.gray"
for kind in mp4 gif; do
	capture edges -o "$work/edges.$kind" "$work/moving.mkv"
	check "a video becomes $kind" [ "$status" = 0 ]
	capture ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 "$work/edges.$kind"
	check "$kind: as many frames, as large" [ "$out" = "$width,$height,$frames" ]
done
capture edges --edges --size 48x32 -o "$work/small.gif" "$work/moving.mkv"
check "in another size" [ "$(ffprobe -v error -show_entries stream=width,height -of csv=p=0 "$work/small.gif")" = 48,32 ]
# the command that the help gives
command=$(edges --help | sed -n 's/.*: \(ffmpeg -f lavfi .*\) test\.mp4$/\1/p')
check "the help's command is found" has "$command" testsrc2
capture sh -c "$command -v error -nostdin -frames:v 2 '$work/test.mp4'"
check "and makes a video" [ "$status" = 0 ]
capture edges --size 80x60 -o "$work/test.gif" "$work/test.mp4"
check "whose edges can be had" [ "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$work/test.gif")" = 2 ]

# Frames are used where they are: more of them cost no transfer more.
transfers() {
	"$build/bin/galena" run --events="$work/e.events" -- "$program" --size ${width}x$height --frames "$1" -o - - <"$work/moving.nv12" >"$work/e.rgb" 2>"$work/e.err" &&
		"$build/bin/galena" trace dump --kind dma-start "$work/e.events" | grep -c dma-start
}
two=$(transfers 2) five=$(transfers 5)
check "no frame is copied: $two transfers for two frames, $five for five" [ "$two" = "$five" ]

# errors
fails() { # NAME TEXT COMMAND...
	name=$1 text=$2
	shift 2
	capture "$@"
	check "$name: it fails" [ "$status" = 1 ]
	check "$name: it says so" has "$err" "$text"
}
head -c 20000 "$work/moving.nv12" >"$work/short.nv12"
fails "a frame that is short" "frame 3 has 1568 of 9216 bytes: are they nv12, 96x64?" edges_of "$work/short.nv12" "$work/short.gray" --edges
check "a frame that is short: those before it are there" cmp -s -n $((width * height * 2)) "$work/full.gray" "$work/short.gray"
: >"$work/empty"
fails "no frame" "standard input: not one frame" edges_of "$work/empty" "$work/e.gray"
fails "an odd size" "--size 95x64: not WIDTHxHEIGHT, both even" edges --size 95x64 -
fails "no size" "--size WIDTHxHEIGHT" edges -o "$work/e.gif" -
fails "a format that there is not" "--format rgb24: nv12 and yuv420p are known" edges --format rgb24 -
fails "thresholds the wrong way round" "--low 90 is more than --high 20" edges -l 90 -u 20 -
fails "no video" "--help" edges
fails "a video that is not there" "$work/nowhere.mp4" edges "$work/nowhere.mp4"
fails "a video that is none" "ffprobe finds no video in it" edges "$source"
fails "an output that cannot be" "$work/nowhere/e.png" edges -o "$work/nowhere/e.png" "$work/moving.mkv"
fails "no ffmpeg" "ffprobe cannot be started (No such file or directory)" env PATH="$work/nowhere" "$build/bin/galena" run -- "$program" "$work/moving.mkv"
finish
