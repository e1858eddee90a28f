/* Streaming: graphs that schedule themselves (vx_khr_pipelining, 2.3 and 3.2). */
#include "base/cancel.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxEnableGraphStreaming(vx_graph graph, vx_node trigger_node)
{
	ENTER(graph, VX_TYPE_GRAPH);
	/* vxEnableGraphStreaming: the trigger is optional, and a node of the graph */
	if (trigger_node && !object_is(trigger_node, VX_TYPE_NODE))
		return fail(graph, VX_ERROR_INVALID_REFERENCE, "vxEnableGraphStreaming: the trigger is not a node");
	if (trigger_node && trigger_node->graph != graph)
		return fail(graph, VX_ERROR_INVALID_PARAMETERS, "vxEnableGraphStreaming: the trigger is not a node of the graph");
	/* ... before vxVerifyGraph */
	FAIL_IF(graph->verified, graph, VX_FAILURE, "vxEnableGraphStreaming: the graph has been verified already");
	graph->pipeline.stream_enabled = true;
	graph->pipeline.trigger = trigger_node;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxStartGraphStreaming(vx_graph graph)
{
	EXPECT(graph, VX_TYPE_GRAPH);
	struct _vx_context *c = graph->reference.context;
	struct pipeline *p = &graph->pipeline;
	LOCKED(c);
	FAIL_IF(!p->stream_enabled, graph, VX_FAILURE, "vxStartGraphStreaming: it has not been enabled: vxEnableGraphStreaming before vxVerifyGraph");
	/* vxStartGraphStreaming: of a graph that has been verified, and of which nothing is scheduled */
	FAIL_IF(!graph->verified, graph, VX_FAILURE, "vxStartGraphStreaming: the graph has not been verified: vxVerifyGraph");
	TRY(pipeline_idle(graph, "vxStartGraphStreaming"));
	pthread_mutex_lock(&c->pipelines.lock);
	p->streaming = true;
	p->stopping = false;
	p->untriggered = 0;
	p->result = VX_SUCCESS;
	p->streaming = runner_needed(graph);
	const bool started = p->streaming;
	pthread_cond_broadcast(&c->pipelines.changed);
	pthread_mutex_unlock(&c->pipelines.lock);
	return started ? VX_SUCCESS : fail(graph, VX_ERROR_NO_RESOURCES, "vxStartGraphStreaming: no thread to execute the graph");
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxStopGraphStreaming(vx_graph graph)
{
	NOT_CANCELLED;
	EXPECT(graph, VX_TYPE_GRAPH);
	struct pipelines *all = &graph->reference.context->pipelines;
	struct pipeline *p = &graph->pipeline;
	if (inside_graph(graph))
		return fail(graph, VX_FAILURE, "vxStopGraphStreaming: a function of a node of the graph waits for itself: an error that it returns ends the stream");
	pthread_mutex_lock(&all->lock);
	const bool streaming = p->streaming;
	p->stopping = true;
	p->waiters++;
	all->waiters++;
	pthread_cond_broadcast(&all->changed);
	/* vxStopGraphStreaming: until what has been scheduled has completed */
	while (streaming && (p->running || p->completed != p->submitted))
		pthread_cond_wait(&all->changed, &all->lock);
	p->streaming = false;
	p->waiters--;
	all->waiters--;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	return streaming ? VX_SUCCESS : fail(graph, VX_FAILURE, "vxStopGraphStreaming: the graph is not streaming");
}
