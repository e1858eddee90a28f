/* vx_khr_pipelining, 2.2 and 3.1: queues at the parameters of graphs, executions in flight, and what each function refuses. */
#include "testbench/openvx/pipelines.h"


static vx_enum mode_of(vx_graph graph)
{
	vx_enum mode = 0;
	RAN(vxQueryGraph(graph, VX_GRAPH_SCHEDULE_MODE, &mode, sizeof mode));
	return mode;
}

/* ---- vxSetGraphScheduleConfig ---- */
static void configurations(void **state)
{
	(void)state;
	now_testing("vxSetGraphScheduleConfig");
	struct pipe p = pipe_make(2);
	vx_context elsewhere = vxCreateContext();
	vx_image foreign = vxCreateImage(elsewhere, WIDTH, HEIGHT, VX_DF_IMAGE_U8), small = image_u8(WIDTH - 1, HEIGHT), gone = new_image();
	vx_image dead[] = {gone};
	vx_scalar scalar = vxCreateScalar(context, VX_TYPE_UINT8, &(vx_uint8){1});
	vx_reference none[] = {(vx_reference)p.in[0], NULL}, strange[] = {(vx_reference)p.in[0], (vx_reference)scalar},
		     unlike[] = {(vx_reference)p.in[0], (vx_reference)small}, from_elsewhere[] = {(vx_reference)foreign};
	const vx_graph_parameter_queue_params_t good = {0, 2, (vx_reference *)p.in}, both[] = {good, {1, 2, (vx_reference *)p.out}};
	assert_int_equal(mode_of(p.graph), NORMAL);
	RAN(vxReleaseImage(&gone));
	RAN(vxAddParameterToGraph(p.graph, NULL)); /* place 2 is left empty */
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSetGraphScheduleConfig(NULL, AUTO, 1, &good));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSetGraphScheduleConfig((vx_graph)p.key, AUTO, 1, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, NORMAL - 1, 1, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, MANUAL + 1, 1, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, NORMAL, 1, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, NORMAL, 0, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, NORMAL, 1, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, AUTO, 0, &good));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, MANUAL, 1, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 2, 2, p.in));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 3, 2, p.in));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 0, p.in));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 0, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 2, none));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 2, strange));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 2, unlike));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 1, from_elsewhere));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(p.graph, AUTO, 0, 1, dead));
	/* an index that is listed again is taken for the entry's own place: 0 and 1, but not 0 and an empty one, or one that is listed */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, AUTO, 3, (const vx_graph_parameter_queue_params_t[]){both[0], both[1], good}));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, AUTO, 2, (const vx_graph_parameter_queue_params_t[]){both[1], both[1]}));
	assert_int_equal(mode_of(p.graph), NORMAL);
	/* lists can be left out, but not their sizes; the last configuration is the one that is so */
	RAN(configure(p.graph, MANUAL, 0, 2, NULL));
	assert_int_equal(mode_of(p.graph), MANUAL);
	RAN(vxSetGraphScheduleConfig(p.graph, NORMAL, 0, NULL));
	assert_int_equal(mode_of(p.graph), NORMAL);
	RAN(vxSetGraphScheduleConfig(p.graph, AUTO, 2, (const vx_graph_parameter_queue_params_t[]){{0, 2, NULL}, {1, 2, NULL}}));
	assert_int_equal(mode_of(p.graph), AUTO);
	RAN(vxVerifyGraph(p.graph));
	/* after verification only lists are set */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, MANUAL, 2, both));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, NORMAL, 0, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, AUTO, 1, both));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(p.graph, AUTO, 2, (const vx_graph_parameter_queue_params_t[]){both[0], {1, 1, NULL}}));
	RAN(vxSetGraphScheduleConfig(p.graph, AUTO, 2, both));
	assert_int_equal(vxIsGraphVerified(p.graph), vx_true_e);
	RAN(vxReleaseImage(&foreign));
	RAN(vxReleaseContext(&elsewhere));
	RAN(vxReleaseImage(&small));
	RAN(vxReleaseScalar(&scalar));
	pipe_close(&p);
}

/* What each mode has of vxProcessGraph, vxScheduleGraph, vxWaitGraph, and of other ways to set a parameter. */
static void modes(void **state)
{
	(void)state;
	now_testing("modes");
	struct pipe p = pipe_make(2);
	vx_reference ref = (vx_reference)p.in[0];
	vx_uint32 count = 0;
	/* without queues */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 0, &ref, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterDequeueDoneRef(p.graph, 0, &ref, 1, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterCheckDoneRef(p.graph, 0, &count));
	REFUSED(VX_FAILURE, vxWaitGraph(p.graph));
	RAN(vxProcessGraph(p.graph));
	RAN(vxScheduleGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxScheduleGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxProcessGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(p.graph));
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_RUNNING);
	RAN(vxWaitGraph(p.graph));
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_COMPLETED);
	REFUSED(VX_FAILURE, vxWaitGraph(p.graph));
	RAN(vxSetParameterByIndex(p.second, 1, (vx_reference)p.key)); /* no longer verified */
	/* the automatic mode */
	pipe_queues(&p, AUTO);
	REFUSED(VX_FAILURE, vxGraphParameterEnqueueReadyRef(p.graph, 0, &ref, 1));
	RAN(vxVerifyGraph(p.graph));
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_VERIFIED);
	REFUSED(VX_FAILURE, vxProcessGraph(p.graph));
	REFUSED(VX_FAILURE, vxScheduleGraph(p.graph));
	RAN(vxWaitGraph(p.graph));
	/* what has a queue is set by it alone; what has none as ever */
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetGraphParameterByIndex(p.graph, 0, ref));
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetParameterByIndex(p.first, 0, ref));
	add_parameter(p.graph, p.second, 1);
	RAN(vxSetGraphParameterByIndex(p.graph, 2, (vx_reference)p.key));
	/* the manual mode */
	pipe_queues(&p, MANUAL);
	REFUSED(VX_FAILURE, vxWaitGraph(p.graph));
	REFUSED(VX_FAILURE, vxProcessGraph(p.graph));
	enqueue(p.graph, 0, p.in[0]); /* before verification, too */
	REFUSED(VX_FAILURE, vxScheduleGraph(p.graph));
	enqueue(p.graph, 1, p.out[0]);
	RAN(vxScheduleGraph(p.graph));
	RAN(vxWaitGraph(p.graph));
	RAN(vxWaitGraph(p.graph));
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_COMPLETED);
	assert_ptr_equal(dequeue(p.graph, 0), p.in[0]);
	assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	pipe_close(&p);
}

/* What the functions of queues refuse. */
static void refused(void **state)
{
	(void)state;
	now_testing("refused");
	struct pipe p = pipe_open(2, AUTO);
	vx_image stranger = new_image(), small = image_u8(WIDTH, HEIGHT - 1);
	vx_scalar scalar = vxCreateScalar(context, VX_TYPE_UINT8, &(vx_uint8){1});
	vx_delay delay = vxCreateDelay(context, (vx_reference)stranger, 2);
	vx_reference refs[] = {(vx_reference)p.out[0], (vx_reference)p.out[0]}, room[2], bad = NULL;
	vx_uint32 count = 5;
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxGraphParameterEnqueueReadyRef(NULL, 0, refs, 1));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxGraphParameterDequeueDoneRef(NULL, 0, room, 1, &count));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxGraphParameterCheckDoneRef((vx_graph)context, 0, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 2, refs, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterDequeueDoneRef(p.graph, 2, room, 1, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterCheckDoneRef(p.graph, 2, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 1, NULL, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 1, refs, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterDequeueDoneRef(p.graph, 1, NULL, 1, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterDequeueDoneRef(p.graph, 1, room, 0, &count));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterDequeueDoneRef(p.graph, 1, room, 1, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterCheckDoneRef(p.graph, 1, NULL));
	const vx_reference wrong[] = {NULL, (vx_reference)p.graph, (vx_reference)delay};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bad = wrong[i];
		REFUSED(VX_ERROR_INVALID_REFERENCE, vxGraphParameterEnqueueReadyRef(p.graph, 1, &bad, 1));
	}
	bad = (vx_reference)scalar;
	REFUSED(VX_ERROR_INVALID_TYPE, vxGraphParameterEnqueueReadyRef(p.graph, 1, &bad, 1));
	bad = (vx_reference)stranger; /* not listed */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 1, &bad, 1));
	/* what is written is enqueued once, and all of a call or nothing */
	REFUSED(VX_FAILURE, vxGraphParameterEnqueueReadyRef(p.graph, 1, refs, 2));
	refs[1] = (vx_reference)stranger;
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(p.graph, 1, refs, 2));
	enqueue(p.graph, 1, p.out[0]);
	REFUSED(VX_FAILURE, vxGraphParameterEnqueueReadyRef(p.graph, 1, refs, 1));
	assert_int_equal(done_at(p.graph, 1), 0);
	/* without a list, what is enqueued is like what was verified */
	struct pipe q = pipe_make(1);
	RAN(vxSetGraphScheduleConfig(q.graph, AUTO, 2, (const vx_graph_parameter_queue_params_t[]){{0, 1, NULL}, {1, 1, NULL}}));
	RAN(vxVerifyGraph(q.graph));
	bad = (vx_reference)small;
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGraphParameterEnqueueReadyRef(q.graph, 0, &bad, 1));
	enqueue(q.graph, 0, stranger);
	enqueue(q.graph, 1, q.out[0]);
	assert_ptr_equal(dequeue(q.graph, 0), stranger);
	RAN(vxReleaseImage(&stranger));
	RAN(vxReleaseImage(&small));
	RAN(vxReleaseScalar(&scalar));
	RAN(vxReleaseDelay(&delay));
	pipe_close(&q);
	pipe_close(&p);
}

/* ---- whose an object is ---- */
static void ownership(void **state)
{
	(void)state;
	uint8_t bytes[PIXELS] = {0};
	const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT};
	vx_imagepatch_addressing_t addressing;
	vx_map_id id;
	void *ptr = NULL;
	now_testing("ownership");
	struct pipe p = pipe_open(2, AUTO);
	enqueue(p.graph, 0, p.in[0]);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(p.in[0], bytes, VX_READ_ONLY));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(p.in[0], bytes, VX_WRITE_ONLY));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxMapImagePatch(p.in[0], &all, 0, &id, &addressing, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	RAN(copy_frame(p.in[1], bytes, VX_WRITE_ONLY));
	enqueue(p.graph, 1, p.out[0]);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(p.out[0], bytes, VX_READ_ONLY));
	RAN(vxWaitGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(p.out[0], bytes, VX_READ_ONLY)); /* done, and not yet dequeued */
	assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	RAN(copy_frame(p.out[0], bytes, VX_READ_ONLY));
	/* a graph has what it was given until it ends; then it is the application's */
	enqueue(p.graph, 0, p.in[1]);
	vx_image mine = p.in[1], done = p.in[0];
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(done, bytes, VX_READ_ONLY));
	RAN(vxReleaseNode(&p.first));
	RAN(vxReleaseNode(&p.second));
	RAN(vxReleaseGraph(&p.graph));
	RAN(copy_frame(mine, bytes, VX_READ_ONLY));
	RAN(copy_frame(done, bytes, VX_READ_ONLY));
	pipe_release_images(&p);
	/* what is read can be with two graphs; what either writes cannot */
	struct pipe a = pipe_open(1, AUTO), b = pipe_make(1);
	const vx_graph_parameter_queue_params_t list[] = {{0, 1, (vx_reference *)a.in}, {1, 1, (vx_reference *)b.out}};
	RAN(vxSetGraphScheduleConfig(b.graph, AUTO, 2, list));
	RAN(vxVerifyGraph(b.graph));
	vx_reference shared = (vx_reference)a.in[0];
	enqueue(a.graph, 0, shared);
	enqueue(b.graph, 0, shared);
	enqueue(a.graph, 1, a.out[0]);
	enqueue(b.graph, 1, b.out[0]);
	assert_ptr_equal(dequeue(a.graph, 0), shared);
	RAN(vxWaitGraph(b.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(a.in[0], bytes, VX_READ_ONLY));
	assert_ptr_equal(dequeue(b.graph, 0), shared);
	RAN(copy_frame(a.in[0], bytes, VX_READ_ONLY));
	pipe_close(&a);
	pipe_close(&b);
}

/* ---- frames ---- */
/* What the queues of a pipe have to give, by what has been enqueued: the k-th input and the k-th output are one execution's. */
struct model {
	uint8_t expected[64][PIXELS];
	vx_image in[64], out[64];
	unsigned ins, outs, ins_back, outs_back; /* enqueued and dequeued */
	unsigned free_in, free_out;              /* images of the pipe that are the application's: a bit each */
};

static vx_uint32 pick(unsigned bits)
{
	vx_uint32 at = random_below(REFS_MAX);
	while (!(bits >> at & 1))
		at = (at + 1) % REFS_MAX;
	return at;
}

static vx_uint32 place_of(const vx_image *images, vx_image image)
{
	vx_uint32 at = 0;
	while (at < REFS_MAX && images[at] != image)
		at++;
	assert_true(at < REFS_MAX);
	return at;
}

static void put_in(struct pipe *p, struct model *m, vx_uint32 count)
{
	vx_reference refs[REFS_MAX];
	uint8_t bytes[PIXELS];
	vx_uint32 n = 0;
	for (; n < count && m->free_in && m->ins < 64; n++) {
		const vx_uint32 at = pick(m->free_in);
		m->free_in &= ~(1u << at);
		random_frame(bytes);
		RAN(copy_frame(p->in[at], bytes, VX_WRITE_ONLY));
		predict(p, bytes, m->expected[m->ins]);
		refs[n] = (vx_reference)p->in[at];
		m->in[m->ins++] = p->in[at];
	}
	if (n)
		RAN(vxGraphParameterEnqueueReadyRef(p->graph, 0, refs, n));
}

static void put_out(struct pipe *p, struct model *m, vx_uint32 count)
{
	vx_reference refs[REFS_MAX];
	vx_uint32 n = 0;
	for (; n < count && m->free_out && m->outs < 64; n++) {
		const vx_uint32 at = pick(m->free_out);
		m->free_out &= ~(1u << at);
		refs[n] = (vx_reference)p->out[at];
		m->out[m->outs++] = p->out[at];
	}
	if (n)
		RAN(vxGraphParameterEnqueueReadyRef(p->graph, 1, refs, n));
}

/* At most so many, in the order in which they were enqueued; there is at least one that will be done. */
static void take_in(struct pipe *p, struct model *m, vx_uint32 room)
{
	vx_reference refs[REFS_MAX];
	vx_uint32 count = 0;
	RAN(vxGraphParameterDequeueDoneRef(p->graph, 0, refs, room, &count));
	assert_in_range(count, 1, room);
	for (vx_uint32 i = 0; i < count; i++) {
		assert_ptr_equal(refs[i], m->in[m->ins_back++]);
		m->free_in |= 1u << place_of(p->in, (vx_image)refs[i]);
	}
}

static void take_out(struct pipe *p, struct model *m, vx_uint32 room)
{
	vx_reference refs[REFS_MAX];
	vx_uint32 count = 0;
	RAN(vxGraphParameterDequeueDoneRef(p->graph, 1, refs, room, &count));
	assert_in_range(count, 1, room);
	for (vx_uint32 i = 0; i < count; i++) {
		assert_ptr_equal(refs[i], m->out[m->outs_back]);
		expect_frame((vx_image)refs[i], m->expected[m->outs_back++]);
		m->free_out |= 1u << place_of(p->out, (vx_image)refs[i]);
	}
}

static unsigned pairs(const struct model *m) { return m->ins < m->outs ? m->ins : m->outs; }

/* References come in any order and number; each frame is what is predicted, and comes in its order. */
static void frames(void **state)
{
	(void)state;
	for (int round = 0; round < 6; round++) {
		static struct model m;
		const vx_uint32 count = 1 + random_below(REFS_MAX);
		const unsigned last = 10 + random_below(30);
		now_testing("frames, round %d, %u references", round, count);
		struct pipe p = pipe_open(count, AUTO);
		m = (struct model){.free_in = (1u << count) - 1, .free_out = (1u << count) - 1};
		while (m.outs_back < last || m.ins_back < last) {
			const vx_uint32 some = 1 + random_below(count), kind = random_below(4);
			assert_in_range(done_at(p.graph, 1), 0, pairs(&m) - m.outs_back);
			if (kind == 0 && m.ins < last)
				put_in(&p, &m, some);
			else if (kind == 1 && m.outs < last)
				put_out(&p, &m, some);
			else if (kind == 2 && m.ins_back < pairs(&m))
				take_in(&p, &m, some);
			else if (kind == 3 && m.outs_back < pairs(&m))
				take_out(&p, &m, some);
		}
		RAN(vxWaitGraph(p.graph));
		pipe_close(&p);
	}
}

/* vxScheduleGraph processes what is enqueued in a batch; what has no partner waits for the next one. */
static void batches(void **state)
{
	(void)state;
	static struct model m;
	now_testing("batches");
	struct pipe p = pipe_open(REFS_MAX, MANUAL);
	m = (struct model){.free_in = (1u << REFS_MAX) - 1, .free_out = (1u << REFS_MAX) - 1};
	unsigned scheduled = 0;
	for (int round = 0; round < 12 && m.ins < 50; round++) {
		put_in(&p, &m, random_below(REFS_MAX + 1));
		put_out(&p, &m, random_below(REFS_MAX + 1));
		assert_int_equal(done_at(p.graph, 0), scheduled - m.ins_back);
		const unsigned batch = pairs(&m) - scheduled;
		REFUSED(batch ? VX_SUCCESS : VX_FAILURE, vxScheduleGraph(p.graph));
		scheduled += batch;
		/* another one need not wait for it */
		put_in(&p, &m, 1);
		put_out(&p, &m, 1);
		if (pairs(&m) > scheduled)
			RAN(vxScheduleGraph(p.graph));
		scheduled = pairs(&m);
		if (scheduled)
			RAN(vxWaitGraph(p.graph));
		assert_int_equal(done_at(p.graph, 0), scheduled - m.ins_back);
		assert_int_equal(done_at(p.graph, 1), scheduled - m.outs_back);
		if (scheduled > m.outs_back)
			take_out(&p, &m, REFS_MAX);
		if (scheduled > m.ins_back && random_below(3))
			take_in(&p, &m, REFS_MAX);
	}
	pipe_close(&p);
}

/* ---- what is in flight ---- */
/* All executions are launched while the device has not begun the first. */
static void in_flight(void **state)
{
	(void)state;
	uint8_t in[REFS_MAX][PIXELS], out[PIXELS];
	now_testing("in flight");
	struct pipe p = pipe_copied(REFS_MAX, true);
	pipe_queues(&p, AUTO);
	RAN(vxVerifyGraph(p.graph));
	for (int i = 0; i < REFS_MAX; i++) {
		random_frame(in[i]);
		RAN(copy_frame(p.in[i], in[i], VX_WRITE_ONLY));
	}
	cl_event gate = shut_queue();
	for (int i = 0; i < REFS_MAX; i++) {
		enqueue(p.graph, 0, p.in[i]);
		enqueue(p.graph, 1, p.out[i]);
	}
	copier_await(REFS_MAX);
	assert_int_equal(done_at(p.graph, 0), 0);
	assert_int_equal(done_at(p.graph, 1), 0);
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_RUNNING);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(p.graph));
	open_queue(gate);
	for (int i = 0; i < REFS_MAX; i++) {
		assert_ptr_equal(dequeue(p.graph, 1), p.out[i]);
		invert(in[i], out);
		expect_frame(p.out[i], out);
	}
	RAN(vxWaitGraph(p.graph));
	assert_int_equal(done_at(p.graph, 0), REFS_MAX);
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_COMPLETED);
	vx_perf_t performance = {0};
	RAN(vxQueryGraph(p.graph, VX_GRAPH_PERFORMANCE, &performance, sizeof performance));
	assert_int_equal(performance.num, REFS_MAX);
	pipe_close(&p);
}

/* An input is done when its last node is, whatever the others still do. */
static void early_input(void **state)
{
	(void)state;
	uint8_t in[PIXELS], out[PIXELS];
	cl_int code = CL_SUCCESS;
	now_testing("early input");
	struct pipe p = pipe_copied(1, false);
	pipe_queues(&p, AUTO);
	RAN(vxVerifyGraph(p.graph));
	random_frame(in);
	invert(in, out);
	RAN(copy_frame(p.in[0], in, VX_WRITE_ONLY));
	copier.gate = clCreateUserEvent(cl, &code);
	enqueue(p.graph, 1, p.out[0]);
	enqueue(p.graph, 0, p.in[0]);
	assert_ptr_equal(dequeue(p.graph, 0), p.in[0]);
	assert_int_equal(done_at(p.graph, 1), 0);
	copier_await(1);
	open_queue(copier.gate);
	copier.gate = NULL;
	assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	expect_frame(p.out[0], out);
	pipe_close(&p);
}

static void extensions(void **state)
{
	(void)state;
	vx_size size = 0;
	now_testing("extensions");
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS_SIZE, &size, sizeof size));
	char *text = calloc(1, size + 2);
	text[0] = ' ';
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, text + 1, size));
	assert_int_equal(strlen(text + 1) + 1, size);
	strcat(text, " ");
	assert_non_null(strstr(text, " vx_khr_pipelining "));
	assert_non_null(strstr(text, " vx_khr_user_data_object "));
	assert_non_null(strstr(text, " vx_khr_opencl_interop "));
	assert_null(strstr(text, "  "));
	free(text);
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extensions), cmocka_unit_test(configurations), cmocka_unit_test(modes), cmocka_unit_test(refused),
		cmocka_unit_test(ownership), cmocka_unit_test(frames), cmocka_unit_test(batches), cmocka_unit_test(in_flight), cmocka_unit_test(early_input),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
