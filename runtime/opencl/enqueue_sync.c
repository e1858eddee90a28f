/* Commands that move nothing: markers, barriers, migration. */
#include "runtime/opencl/enqueue.h"

static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, bool barrier, EVENT_PARAMETERS)
{
	NEED_QUEUE(queue);
	BEGIN_COMMAND(c, queue, type);
	/* OpenCL 3.0, 5.12: without a list, they wait for everything before them */
	c.after_all = !num_events;
	c.barrier = barrier;
	return command_submit(&c, false, event);
}

cl_int CL_API_CALL galena_clEnqueueMarkerWithWaitList(cl_command_queue queue, EVENT_PARAMETERS)
{
	return enqueue_nothing(queue, CL_COMMAND_MARKER, false, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueBarrierWithWaitList(cl_command_queue queue, EVENT_PARAMETERS)
{
	return enqueue_nothing(queue, CL_COMMAND_BARRIER, true, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	/* CL_ENQUEUEMARKER_EVENT_NULL: OpenCL 1.1, 5.9: a place for the event */
	FAIL_IF(!event, CL_INVALID_VALUE, "no place for the event");
	return enqueue_nothing(queue, CL_COMMAND_MARKER, false, 0, NULL, event);
}

cl_int CL_API_CALL galena_clEnqueueBarrier(cl_command_queue queue) { return enqueue_nothing(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL); }

cl_int CL_API_CALL galena_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events, const cl_event *event_list)
{
	/* OpenCL 1.1, 5.9: its own error codes for the list */
	/* CL_ENQUEUEWAITFOREVENTS_ZERO, CL_ENQUEUEWAITFOREVENTS_NULL: there are events */
	FAIL_IF(!num_events || !event_list, CL_INVALID_VALUE, "no events");
	for (cl_uint i = 0; i < num_events; i++)
		/* CL_ENQUEUEWAITFOREVENTS_EVENT: all are events */
		FAIL_IF(!EVENT_VALID(event_list[i]), CL_INVALID_EVENT, "entry %u of the list is not an event", i);
	return enqueue_nothing(queue, CL_COMMAND_BARRIER, true, num_events, event_list, NULL);
}

/* OpenCL 3.0, 5.5.4: a hint; memory is where it is, and its dependencies are kept */
cl_int CL_API_CALL galena_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
						     cl_mem_migration_flags flags, EVENT_PARAMETERS)
{
	NEED_QUEUE(queue);
	/* CL_ENQUEUEMIGRATEMEMOBJECTS_LIST_ZERO, CL_ENQUEUEMIGRATEMEMOBJECTS_LIST_NULL: there are objects */
	FAIL_IF(!num_mem_objects || !mem_objects, CL_INVALID_VALUE, "no memory objects");
	/* CL_ENQUEUEMIGRATEMEMOBJECTS_FLAGS: known flags */
	if (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		return FAIL(CL_INVALID_VALUE, "migration flags 0x%llx", (unsigned long long)flags);
	for (cl_uint i = 0; i < num_mem_objects; i++) {
		/* CL_ENQUEUEMIGRATEMEMOBJECTS_MEM, CL_ENQUEUEMIGRATEMEMOBJECTS_MEM_CONTEXT: objects of the queue's context */
		FAIL_IF(!MEM_VALID(mem_objects[i]), CL_INVALID_MEM_OBJECT, "entry %u is not a memory object", i);
		FAIL_IF(mem_objects[i]->context != queue->context, CL_INVALID_CONTEXT, "entry %u is of another context", i);
		TRY(check_acquired(mem_objects[i]));
	}
	BEGIN_COMMAND(c, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS);
	for (cl_uint i = 0; i < num_mem_objects; i++)
		command_use_mem(&c, mem_objects[i]);
	return command_submit(&c, false, event);
}
