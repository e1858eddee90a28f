/* Edges in a video: ffmpeg decodes it, OpenVX finds the edges on the device, ffmpeg encodes what comes out.
 *
 *   galena run -- build/examples/vx_camera_edges VIDEO                       edges.mp4
 *   galena run -- build/examples/vx_camera_edges -o edges-%03d.png VIDEO     pictures; or edges.gif, edges.webm ...
 *
 * No video at hand? ffmpeg makes one; and raw frames from anywhere do as well, those of a camera for one:
 *
 *   ffmpeg -f lavfi -i testsrc2=size=320x240:rate=25:duration=2 test.mp4
 *   ffmpeg -f v4l2 -i /dev/video0 -vf scale=320:240 -f rawvideo -pix_fmt nv12 - |
 *           galena run -- build/examples/vx_camera_edges --size 320x240 --frames 100 -o edges.gif -
 *
 * No frame is copied: the memory that a frame is read into is the input image, that which ffmpeg is given is the output image, and
 * each is there twice. While the device works on one pair, this program reads into and writes from the other.
 *
 *   cc vx_camera_edges.c $(pkg-config --cflags --libs openvx) -o vx_camera_edges
 */
#define _GNU_SOURCE
#include <VX/vx.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
	"usage: vx_camera_edges [OPTION]... VIDEO\n"
	"Draws the edges in a video on its pictures. VIDEO is whatever ffmpeg can read; -: raw frames from standard input.\n"
	"  -o, --output=NAME    what ffmpeg makes of the name: edges.mp4 (the default), edges.gif, edges-%03d.png ...;\n"
	"                       -: raw frames to standard output, rgb24 or, of edges alone, gray\n"
	"  -e, --edges          the edges alone, white on black\n"
	"  -s, --size=WxH       of the frames, both even; without it as the video has it, made smaller to at most 640 columns\n"
	"  -f, --format=FORMAT  of the frames that are read: nv12 (the default) or yuv420p\n"
	"  -r, --rate=NUMBER    frames a second of what is made (those of the video; of standard input, 25)\n"
	"  -n, --frames=NUMBER  no more than so many\n"
	"  -l, --low=NUMBER     an edge goes on where the gradient is above this (60) ...\n"
	"  -u, --high=NUMBER    ... and begins where it is above this (120); of 0 to 255\n"
	"  -h, --help           this\n"
	"A video to try it with: ffmpeg -f lavfi -i testsrc2=size=320x240:rate=25:duration=2 test.mp4\n";

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("vx_camera_edges: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

/* ---- frames ---- */
enum { PLANES = 3 };

/* What ffmpeg calls a format, and what OpenVX does. */
static const struct format {
	const char *name;
	vx_df_image image;
	unsigned planes;
	struct {
		unsigned bytes, step; /* of a pixel; columns and rows of the frame that it stands for */
	} plane[PLANES];
} formats[] = {
	{"nv12", VX_DF_IMAGE_NV12, 2, {{1, 1}, {2, 2}}},
	{"yuv420p", VX_DF_IMAGE_IYUV, 3, {{1, 1}, {1, 2}, {1, 2}}},
	{"rgb24", VX_DF_IMAGE_RGB, 1, {{3, 1}}}, /* what comes out: pictures ... */
	{"gray", VX_DF_IMAGE_U8, 1, {{1, 1}}},   /* ... or edges alone */
};

static const struct format *format_find(const char *name)
{
	size_t i = 0;
	while (i < sizeof formats / sizeof *formats && strcmp(formats[i].name, name))
		i++;
	return i < sizeof formats / sizeof *formats ? &formats[i] : NULL;
}

struct frame {
	void *plane[PLANES]; /* densely packed */
};

/* A stream of frames, and who is at its other end. */
struct stream {
	const char *name;
	const struct format *format;
	unsigned width, height;
	int fd;
	pid_t ffmpeg;   /* 0: there is no child */
	struct frame frames[2];
	long count;     /* whole frames that went through */
	size_t partial; /* bytes of the one that did not */
	int error;      /* errno of what went wrong, or 0 */
};

static size_t plane_bytes(const struct stream *s, unsigned i)
{
	const unsigned step = s->format->plane[i].step;
	return (size_t)(s->width / step) * s->format->plane[i].bytes * (s->height / step);
}

static size_t frame_bytes(const struct stream *s)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < s->format->planes; i++)
		bytes += plane_bytes(s, i);
	return bytes;
}

static void frames_make(struct stream *s)
{
	enum { PAGE = 4096 }; /* the device is shown whole pages */
	for (unsigned i = 0; i < 2 * s->format->planes; i++) {
		const size_t bytes = plane_bytes(s, i / 2);
		void *plane = s->frames[i % 2].plane[i / 2] = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
		if (!plane)
			die("no memory for a frame of %ux%u", s->width, s->height);
	}
}

static void frames_free(struct stream *s)
{
	for (unsigned i = 0; i < 2 * PLANES; i++)
		free(s->frames[i % 2].plane[i / 2]);
}

/* The next frame, whole. false: there is none, or something is wrong with it, which stream_check() says. */
static bool frame_read(struct stream *s, const struct frame *f)
{
	s->partial = 0;
	for (unsigned i = 0; i < s->format->planes; i++) {
		const size_t bytes = plane_bytes(s, i);
		for (size_t at = 0; at < bytes;) {
			const ssize_t n = read(s->fd, (char *)f->plane[i] + at, bytes - at);
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				s->error = errno;
			if (n <= 0)
				return false;
			at += (size_t)n;
			s->partial += (size_t)n;
		}
	}
	s->partial = 0;
	s->count++;
	return true;
}

static void frame_write(struct stream *s, const struct frame *f)
{
	for (unsigned i = 0; i < s->format->planes; i++) {
		const size_t bytes = plane_bytes(s, i);
		for (size_t at = 0; at < bytes && !s->error;) {
			const ssize_t n = write(s->fd, (char *)f->plane[i] + at, bytes - at);
			if (n < 0 && errno != EINTR)
				s->error = errno;
			at += n < 0 ? 0 : (size_t)n;
		}
	}
	s->count += !s->error;
}

static void stream_check(const struct stream *s)
{
	if (s->error)
		die("%s: after %ld frames: %s%s", s->name, s->count, strerror(s->error),
		    s->error == EPIPE ? "; who takes them has ended, and may have said why" : "");
	if (s->partial)
		die("%s: frame %ld has %zu of %zu bytes: are they %s, %ux%u?", s->name, s->count + 1, s->partial, frame_bytes(s), s->format->name,
		    s->width, s->height);
}

/* ---- ffmpeg ---- */
/* Starts a program with a pipe from its standard output (from = 1) or to its standard input (0); returns the other end. */
static int start(const char *const argv[], int from, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t broken_pipe;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		die("no pipe to %s: %s", argv[0], strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[from], from);
	/* this program ignores the signal, others know what to do with it */
	sigemptyset(&broken_pipe);
	sigaddset(&broken_pipe, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	const int error = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(ends[from]);
	if (error)
		die("%s cannot be started (%s): Debian's package ffmpeg has it, and `make deps` installs that", argv[0], strerror(error));
	return ends[!from];
}

/* Closes this end; whether the program at the other one has ended well. */
static bool finish(struct stream *s)
{
	int status = 0;
	if (!s->ffmpeg)
		return true;
	close(s->fd);
	while (waitpid(s->ffmpeg, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct facts {
	unsigned width, height;
	double rate;
	long frames; /* 0: it does not say */
};

static struct facts facts_of(const char *video)
{
	struct facts f = {.rate = 25};
	struct stream probe = {.name = video};
	char line[256];
	double above, below, duration = 0;
	probe.fd = start((const char *[]){"ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
					  "stream=width,height,avg_frame_rate,nb_frames:format=duration", "-of", "default=nw=1", "-i", video, NULL},
			 1, &probe.ffmpeg);
	FILE *answer = fdopen(dup(probe.fd), "r");
	while (answer && fgets(line, sizeof line, answer)) {
		sscanf(line, "width=%u", &f.width);
		sscanf(line, "height=%u", &f.height);
		sscanf(line, "nb_frames=%ld", &f.frames);
		sscanf(line, "duration=%lf", &duration);
		if (sscanf(line, "avg_frame_rate=%lf/%lf", &above, &below) == 2 && above > 0 && below > 0)
			f.rate = above / below;
	}
	if (answer)
		fclose(answer);
	if (!finish(&probe) || !f.width || !f.height)
		die("%s: ffprobe finds no video in it", video);
	if (!f.frames)
		f.frames = (long)(duration * f.rate + 0.5);
	return f;
}

static void decode(struct stream *s, long frames)
{
	char filter[128], most[32];
	/* the colours that OpenVX has: all of 0 to 255, by BT.601 */
	snprintf(filter, sizeof filter, "scale=%u:%u:out_range=full:out_color_matrix=bt601", s->width, s->height);
	snprintf(most, sizeof most, "%ld", frames ? frames : INT_MAX);
	s->fd = start((const char *[]){"ffmpeg", "-v", "error", "-nostdin", "-noautorotate", "-i", s->name, "-map", "0:v:0", "-vf", filter,
				       "-frames:v", most, "-f", "rawvideo", "-pix_fmt", s->format->name, "-", NULL},
		      1, &s->ffmpeg);
}

static void encode(struct stream *s, double rate)
{
	char size[32], per_second[32];
	snprintf(size, sizeof size, "%ux%u", s->width, s->height);
	snprintf(per_second, sizeof per_second, "%g", rate);
	/* of these formats one that the file can have, and that players know */
	s->fd = start((const char *[]){"ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", s->format->name, "-s", size, "-r", per_second,
				       "-i", "-", "-vf", "format=yuv420p|rgb24|gray|rgb8|pal8", s->name, NULL},
		      0, &s->ffmpeg);
}

/* ---- OpenVX ---- */
static void VX_CALLBACK print_log(vx_context context, vx_reference ref, vx_status status, const vx_char text[])
{
	(void)context;
	(void)ref;
	fprintf(stderr, "vx_camera_edges: OpenVX says: %s (%d)\n", text, status);
}

static void check(vx_status status, const char *what)
{
	if (status != VX_SUCCESS)
		die("%s failed with %d", what, status);
}
#define MADE(object) check(vxGetStatus((vx_reference)(object)), #object)

/* An image in the memory of a stream's first frame. */
static vx_image image_of(vx_context context, const struct stream *s)
{
	vx_imagepatch_addressing_t planes[PLANES];
	for (unsigned i = 0; i < s->format->planes; i++) {
		const unsigned bytes = s->format->plane[i].bytes, step = s->format->plane[i].step;
		planes[i] = (vx_imagepatch_addressing_t){
			.dim_x = s->width / step, .dim_y = s->height / step,
			.stride_x = (vx_int32)bytes, .stride_y = (vx_int32)(s->width / step * bytes),
			.scale_x = VX_SCALE_UNITY / step, .scale_y = VX_SCALE_UNITY / step,
			.step_x = step, .step_y = (vx_uint16)step,
		};
	}
	vx_image image = vxCreateImageFromHandle(context, s->format->image, planes, s->frames[0].plane, VX_MEMORY_TYPE_HOST);
	MADE(image);
	return image;
}

/* Its memory becomes another frame; the one before is this program's again. */
static void swap(vx_image image, const struct stream *s, unsigned to)
{
	void *before[PLANES];
	check(vxSwapImageHandle(image, s->frames[to].plane, before, s->format->planes), "vxSwapImageHandle");
}

struct thresholds {
	unsigned low, high;
};

/* luma -> Gaussian -> Canny */
static void find_edges(vx_context context, vx_graph graph, vx_image picture, struct thresholds t, vx_image edges)
{
	vx_pixel_value_t low = {.U8 = (vx_uint8)t.low}, high = {.U8 = (vx_uint8)t.high};
	const vx_border_t replicate = {.mode = VX_BORDER_REPLICATE};
	vx_image luma = vxCreateImageFromChannel(picture, VX_CHANNEL_Y); /* a part of the picture */
	vx_image smooth = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_threshold hysteresis = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	MADE(luma);
	MADE(smooth);
	MADE(hysteresis);
	check(vxCopyThresholdRange(hysteresis, &low, &high, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST), "vxCopyThresholdRange");
	vx_node gaussian = vxGaussian3x3Node(graph, luma, smooth);
	MADE(gaussian);
	check(vxSetNodeAttribute(gaussian, VX_NODE_BORDER, &replicate, sizeof replicate), "VX_NODE_BORDER");
	MADE(vxCannyEdgeDetectorNode(graph, smooth, hysteresis, 3, VX_NORM_L1, edges));
}

/* Green where there is an edge: 255 more green, 255 less red and blue, as far as that goes. */
static void draw_edges(vx_graph graph, vx_image picture, vx_image edges, vx_uint32 width, vx_uint32 height, vx_image out)
{
	static const vx_enum channels[3] = {VX_CHANNEL_R, VX_CHANNEL_G, VX_CHANNEL_B};
	vx_image rgb = vxCreateVirtualImage(graph, width, height, VX_DF_IMAGE_RGB), drawn[3];
	MADE(rgb);
	MADE(vxColorConvertNode(graph, picture, rgb));
	for (int i = 0; i < 3; i++) {
		vx_image channel = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
		drawn[i] = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_U8);
		MADE(channel);
		MADE(drawn[i]);
		MADE(vxChannelExtractNode(graph, rgb, channels[i], channel));
		if (channels[i] == VX_CHANNEL_G)
			MADE(vxAddNode(graph, channel, edges, VX_CONVERT_POLICY_SATURATE, drawn[i]));
		else
			MADE(vxSubtractNode(graph, channel, edges, VX_CONVERT_POLICY_SATURATE, drawn[i]));
	}
	MADE(vxChannelCombineNode(graph, drawn[0], drawn[1], drawn[2], NULL, out));
}

/* ---- options ---- */
struct options {
	const char *video, *output;
	const struct format *format;
	unsigned width, height; /* 0: as the video has them */
	double rate;            /* 0: as the video has it */
	long frames;            /* 0: all */
	struct thresholds thresholds;
	bool edges_alone;
};

static double number(const char *option, const char *text, double least, double most)
{
	char *end;
	const double n = strtod(text, &end);
	if (end == text || *end || !(n >= least && n <= most))
		die("%s %s: not a number from %g to %g", option, text, least, most);
	return n;
}

static void size_parse(struct options *o, const char *text)
{
	char rest;
	if (sscanf(text, "%ux%u%c", &o->width, &o->height, &rest) != 2 || !o->width || !o->height || o->width % 2 || o->height % 2 ||
	    o->width > 16384 || o->height > 16384)
		die("--size %s: not WIDTHxHEIGHT, both even, up to 16384", text);
}

static struct options options_parse(int argc, char **argv)
{
	static const struct option names[] = {
		{"output", 1, NULL, 'o'}, {"edges", 0, NULL, 'e'}, {"size", 1, NULL, 's'}, {"format", 1, NULL, 'f'}, {"rate", 1, NULL, 'r'},
		{"frames", 1, NULL, 'n'}, {"low", 1, NULL, 'l'}, {"high", 1, NULL, 'u'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0},
	};
	struct options o = {.output = "edges.mp4", .format = format_find("nv12"), .thresholds = {60, 120}};
	for (int c; (c = getopt_long(argc, argv, "o:es:f:r:n:l:u:h", names, NULL)) != -1;) {
		switch (c) {
		case 'o': o.output = optarg; break;
		case 'e': o.edges_alone = true; break;
		case 's': size_parse(&o, optarg); break;
		case 'r': o.rate = number("--rate", optarg, 0.001, 1000); break;
		case 'n': o.frames = (long)number("--frames", optarg, 1, 1e9); break;
		case 'l': o.thresholds.low = (unsigned)number("--low", optarg, 0, 255); break;
		case 'u': o.thresholds.high = (unsigned)number("--high", optarg, 0, 255); break;
		case 'f':
			o.format = format_find(optarg);
			if (!o.format || o.format->planes < 2)
				die("--format %s: nv12 and yuv420p are known", optarg);
			break;
		case 'h': fputs(help, stdout); exit(0);
		default: die("--help says what there is");
		}
	}
	if (argc - optind != 1)
		die("no video, or more than one; --help says what there is, and how to make a video to try it with");
	o.video = argv[optind];
	if (o.thresholds.low > o.thresholds.high)
		die("--low %u is more than --high %u", o.thresholds.low, o.thresholds.high);
	if (!strcmp(o.video, "-") && !o.width)
		die("raw frames do not say how large they are: --size WIDTHxHEIGHT");
	if (!strcmp(o.output, "-") && isatty(STDOUT_FILENO))
		die("raw frames are not for a terminal: --output NAME, or a pipe");
	return o;
}

/* What the options leave open is as the video has it. */
static void options_complete(struct options *o, const struct facts *f)
{
	enum { WIDE = 640 }; /* a simulated device takes its time */
	if (!o->width) {
		o->width = (f->width < WIDE ? f->width : WIDE) & ~1u;
		o->height = (unsigned)((unsigned long)f->height * o->width / f->width) & ~1u;
	}
	if (!o->width || !o->height)
		die("%s: pictures of %ux%u are too small", o->video, f->width, f->height);
	if (o->rate <= 0)
		o->rate = f->rate;
}

/* ---- all of it ---- */
static vx_graph graph_make(vx_context context, const struct options *o, vx_image picture, vx_image out)
{
	const vx_enum space = VX_COLOR_SPACE_BT601_625;
	vx_graph graph = vxCreateGraph(context);
	vx_image edges = o->edges_alone ? out : vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_U8);
	MADE(graph);
	MADE(edges);
	check(vxSetImageAttribute(picture, VX_IMAGE_SPACE, &space, sizeof space), "VX_IMAGE_SPACE");
	find_edges(context, graph, picture, o->thresholds, edges);
	if (!o->edges_alone)
		draw_edges(graph, picture, edges, o->width, o->height, out);
	check(vxVerifyGraph(graph), "vxVerifyGraph");
	return graph;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line that is written over on a terminal; elsewhere one every five seconds. total: 0 if it is not known. */
static void progress(long done, long total, double begin)
{
	static double last;
	const bool terminal = isatty(STDERR_FILENO);
	const double time = now(), rate = (double)done / (time - begin);
	if (time - (last > 0 ? last : begin) < (terminal ? 0.1 : 5))
		return;
	last = time;
	fprintf(stderr, "%s%ld", terminal ? "\r" : "", done);
	if (total)
		fprintf(stderr, " of %ld", total);
	fprintf(stderr, " frames, %.1f a second", rate);
	if (total)
		fprintf(stderr, ", %.0f s left", total > done ? (double)(total - done) / rate : 0.0);
	fputs(terminal ? "   " : "\n", stderr);
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv);
	struct facts f = {.rate = 25};
	const bool piped = !strcmp(o.video, "-");
	signal(SIGPIPE, SIG_IGN); /* a write says it */
	if (!piped)
		f = facts_of(o.video);
	options_complete(&o, &f);
	const long total = o.frames && (!f.frames || o.frames < f.frames) ? o.frames : f.frames;
	struct stream in = {.name = piped ? "standard input" : o.video, .format = o.format, .width = o.width, .height = o.height, .fd = STDIN_FILENO},
		      out = {.name = o.output, .format = format_find(o.edges_alone ? "gray" : "rgb24"), .width = o.width, .height = o.height, .fd = STDOUT_FILENO};
	frames_make(&in);
	frames_make(&out);
	vx_context context = vxCreateContext();
	MADE(context);
	vxRegisterLogCallback(context, print_log, vx_false_e);
	vx_image picture = image_of(context, &in), result = image_of(context, &out);
	vx_graph graph = graph_make(context, &o, picture, result);
	if (!piped)
		decode(&in, o.frames);
	bool more = frame_read(&in, &in.frames[0]);
	if (!more) {
		stream_check(&in);
		die("%s: not one frame", in.name);
	}
	if (strcmp(o.output, "-"))
		encode(&out, o.rate);
	const double begin = now();
	long done = 0;
	unsigned next = 1;
	for (; more; next = !next) {
		check(vxScheduleGraph(graph), "vxScheduleGraph");
		/* while the device works: the frame that comes, and what became of the one before */
		more = (!o.frames || in.count < o.frames) && frame_read(&in, &in.frames[next]);
		if (done)
			frame_write(&out, &out.frames[next]);
		check(vxWaitGraph(graph), "vxWaitGraph");
		stream_check(&out);
		swap(picture, &in, next);
		swap(result, &out, next);
		progress(++done, total, begin);
	}
	frame_write(&out, &out.frames[next]);
	const double seconds = now() - begin;
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
	stream_check(&out);
	if (!finish(&out))
		die("%s: ffmpeg could not make it", out.name);
	stream_check(&in);
	if (!finish(&in))
		die("%s: ffmpeg could not decode all of it, only %ld frames", in.name, in.count);
	fprintf(stderr, "%ld frames of %ux%u in %.1f s, %.1f a second: %s\n", out.count, out.width, out.height, seconds, (double)out.count / seconds,
		out.name);
	check(vxReleaseContext(&context), "vxReleaseContext"); /* and all that is in it */
	frames_free(&in);
	frames_free(&out);
	return 0;
}
