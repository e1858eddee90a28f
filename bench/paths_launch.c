/* paths: launches, and how their ends become known. */
#include "bench/paths.h"

#include <stdatomic.h>
#include <stdlib.h>

static cl_kernel null_kernel(void)
{
	static cl_kernel k;

	if (!k)
		k = kernel_create(program_build(source), "null_kernel");
	return k;
}

static void launch(cl_command_queue q, cl_uint waits, const cl_event *list, cl_event *event)
{
	static const size_t one = 1;

	check(clEnqueueNDRangeKernel(q, null_kernel(), 1, NULL, &one, &one, waits, list, event), "clEnqueueNDRangeKernel");
}

void group_launch(void)
{
	int launches = options.small ? 100 : 1000, many = options.small ? 1000 : 10000;
	double *seconds = malloc((size_t)launches * sizeof(*seconds)), enqueue[RUNS_MAX], total[RUNS_MAX], drain[RUNS_MAX];
	cl_event gate, last;
	cl_int error;

	for (int i = -launches / 10; i < launches; i++) {
		double start = now_s();

		launch(queue, 0, NULL, NULL);
		finish();
		if (i >= 0)
			seconds[i] = now_s() - start;
	}
	row_median("null_us", seconds, launches, 1e6, "us", "a kernel that does nothing, enqueue to clFinish");
	for (int r = -1; r < options.runs; r++) {
		double start = now_s(), queued;

		for (int i = 0; i < many; i++)
			launch(queue, 0, NULL, NULL);
		queued = now_s() - start;
		finish();
		if (r < 0)
			continue;
		enqueue[r] = queued;
		total[r] = now_s() - start;
	}
	row_rate("enqueues_s", enqueue, options.runs, many, "enqueued without waiting");
	row_rate("throughput_s", total, options.runs, many, "enqueued and finished");
	for (int r = 0; r < options.runs; r++) {
		cl_int status = CL_QUEUED;
		double start;

		gate = clCreateUserEvent(context, &error);
		check(error, "clCreateUserEvent");
		launch(queue, 1, &gate, NULL);
		for (int i = 2; i < many; i++)
			launch(queue, 0, NULL, NULL);
		launch(queue, 0, NULL, &last);
		check(clFlush(queue), "clFlush");
		start = now_s();
		check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
		finish();
		drain[r] = now_s() - start;
		check(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "clGetEventInfo");
		if (status != CL_COMPLETE)
			wrong("the last launch has not completed");
		clReleaseEvent(last);
		clReleaseEvent(gate);
	}
	row_rate("drained_s", drain, options.runs, many, "launches that stood behind a user event, from its end to clFinish");
	free(seconds);
}

static double called_at;
static atomic_int called;

static void CL_CALLBACK on_complete(cl_event e, cl_int status, void *arg)
{
	(void)e, (void)arg;
	called_at = now_s();
	atomic_store(&called, status == CL_COMPLETE ? 1 : -1);
}

static void event_poll(cl_event e)
{
	cl_int status = CL_QUEUED;

	while (status != CL_COMPLETE) {
		check(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "clGetEventInfo");
		if (status < 0)
			wrong("a launch has failed");
	}
}

/* A launch and how its end becomes known: how = 0 by waiting, 1 by asking, 2 by a callback. */
static double event_once(int how)
{
	double start = now_s(), end;
	cl_event e;

	launch(queue, 0, NULL, &e);
	if (how == 0) {
		check(clWaitForEvents(1, &e), "clWaitForEvents");
	} else if (how == 1) {
		check(clFlush(queue), "clFlush");
		event_poll(e);
	} else {
		atomic_store(&called, 0);
		check(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL), "clSetEventCallback");
		check(clFlush(queue), "clFlush");
		while (!atomic_load(&called))
			;
		if (atomic_load(&called) < 0)
			wrong("a callback came with an error");
	}
	end = how == 2 ? called_at : now_s();
	clReleaseEvent(e);
	return end - start;
}

static double user_event_once(void)
{
	double start, end;
	cl_event gate, done;
	cl_int error;

	gate = clCreateUserEvent(context, &error);
	check(error, "clCreateUserEvent");
	launch(queue, 1, &gate, &done);
	check(clFlush(queue), "clFlush");
	start = now_s();
	check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
	check(clWaitForEvents(1, &done), "clWaitForEvents");
	end = now_s();
	clReleaseEvent(gate);
	clReleaseEvent(done);
	return end - start;
}

/* Launches that each wait for the one before, on an out-of-order queue; seconds for each. */
static double chain_once(cl_command_queue q, int links)
{
	double start = now_s();
	cl_event before = NULL, e;

	for (int i = 0; i < links; i++) {
		launch(q, before ? 1 : 0, before ? &before : NULL, &e);
		if (before)
			clReleaseEvent(before);
		before = e;
	}
	check(clWaitForEvents(1, &before), "clWaitForEvents");
	clReleaseEvent(before);
	return (now_s() - start) / links;
}

void group_event(void)
{
	static const char *const names[] = { "wait_us", "poll_us", "callback_us" };
	static const char *const what[] = { "a launch and clWaitForEvents", "a launch and clGetEventInfo until it is complete",
					    "a launch to its callback" };
	cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	int samples = options.small ? 50 : 500;
	double *seconds = malloc((size_t)samples * sizeof(*seconds));
	cl_command_queue unordered;
	cl_int error;

	for (int how = 0; how < 3; how++) {
		for (int i = -samples / 10; i < samples; i++) {
			double s = event_once(how);

			if (i >= 0)
				seconds[i] = s;
		}
		row_median(names[how], seconds, samples, 1e6, "us", what[how]);
	}
	for (int i = -samples / 10; i < samples; i++) {
		double s = user_event_once();

		if (i >= 0)
			seconds[i] = s;
	}
	row_median("user_us", seconds, samples, 1e6, "us", "the end of a user event to that of the launch behind it");
	unordered = clCreateCommandQueueWithProperties(context, device, properties, &error);
	check(error, "clCreateCommandQueueWithProperties");
	for (int r = -1; r < options.runs; r++) {
		double s = chain_once(unordered, options.small ? 100 : 1000);

		if (r >= 0)
			seconds[r] = s;
	}
	row_median("chain_us", seconds, options.runs, 1e6, "us", "a launch that waits for the one before it, out-of-order queue");
	clReleaseCommandQueue(unordered);
	free(seconds);
}

