/* Bad input: tensors. */
#include "testbench/openvx/bad.h"

/* The zoo's tensor, which data_kinds.h describes, has 5 x 4 x 3 elements of 2 bytes. */
static vx_uint8 out[4096];
static const vx_size dims[7] = {5, 4, 3, 2, 2, 2, 2}, no_row[3] = {5, 0, 3}, endless[3] = {5, SIZE_MAX, 3}, many[3] = {1u << 31, 1u << 31, 1u << 31};
static const vx_size start[3] = {1, 1, 1}, end[3] = {4, 3, 2}, beyond[3] = {4, 5, 2}, at_start[3] = {4, 1, 2}, behind[3] = {6, 3, 2};

#define NO_TENSOR \
	{1, N(0), BAD_DIMENSION}, {1, N(7), BAD_DIMENSION}, {1, N(-1), BAD_DIMENSION}, {2, P(NULL), BAD_PARAMETERS}, {2, P(no_row), BAD_DIMENSION}, \
	{2, P(endless), BAD_DIMENSION}, {2, P(many), BAD_DIMENSION}, NO_ELEMENT
#define NO_ELEMENT \
	{3, N(VX_TYPE_FLOAT32), BAD_TYPE}, {3, N(VX_TYPE_IMAGE), BAD_TYPE}, {3, N(VX_TYPE_UINT16), BAD_TYPE}, {3, N(-1), BAD_TYPE}

static void creation(void **state)
{
	(void)state;
	vx_reference graph = one_of(VX_TYPE_GRAPH, false);
	const struct row rows[] = {
		{CALL(vxCreateTensor, R(context), N(3), P(dims), N(VX_TYPE_INT16), N(8)), WRONG(NO_TENSOR, {3, N(0), BAD_TYPE})},
		/* of virtual ones, what is 0 is left open */
		{CALL(vxCreateVirtualTensor, R(graph), N(3), P(dims), N(VX_TYPE_INT16), N(8)),
		 WRONG({1, N(7), BAD_DIMENSION}, {1, N(-1), BAD_DIMENSION}, {2, P(NULL), BAD_PARAMETERS}, {2, P(endless), BAD_DIMENSION},
		       {2, P(many), BAD_DIMENSION}, NO_ELEMENT)},
		{CALL(vxCreateVirtualTensor, R(graph), N(3), P(no_row), N(VX_TYPE_INVALID), N(0)), WRONG({1, N(7), BAD_DIMENSION})},
		{CALL(vxReleaseTensor, R(one_of(VX_TYPE_TENSOR, false)))},
		{CALL(vxQueryTensor, R(one_of(VX_TYPE_TENSOR, false)), N(VX_TENSOR_DATA_TYPE), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(4))},
		/* there may be room for more dimensions than there are */
		{CALL(vxQueryTensor, R(one_of(VX_TYPE_TENSOR, false)), N(VX_TENSOR_DIMS), P(out), N(48)),
		 WRONG({2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(8), BAD_PARAMETERS}, {3, N(23), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
}

static void handles(void **state)
{
	(void)state;
	static vx_uint8 bytes[256];
	const vx_size strides[3] = {2, 10, 40}, gaps[3] = {2, 12, 60}, wide[3] = {4, 20, 80}, within[3] = {2, 8, 40}, no_rows[3] = {2, 0, 40};
	const vx_size far[3] = {2, 10, SIZE_MAX}, turned[3] = {2, 40, 10};
	vx_reference plain = one_of(VX_TYPE_TENSOR, false);
	vx_graph graph = (vx_graph)one_of(VX_TYPE_GRAPH, false);
	void *small = new_buffer(cl, bytes, 119), *back = NULL;
	vx_tensor tensor = vxCreateTensorFromHandle(context, 3, dims, VX_TYPE_INT16, 8, strides, bytes, VX_MEMORY_TYPE_HOST);
	CREATED(tensor);
	vx_tensor view = vxCreateTensorFromView(tensor, 3, start, end), hidden = vxCreateVirtualTensor(graph, 3, dims, VX_TYPE_INT16, 8);
	CREATED(view);
	const struct row rows[] = {
		{CALL(vxCreateTensorFromHandle, R(context), N(3), P(dims), N(VX_TYPE_INT16), N(8), P(gaps), P(bytes), N(VX_MEMORY_TYPE_HOST)),
		 WRONG(NO_TENSOR, {3, N(0), BAD_TYPE}, {5, P(NULL), BAD_PARAMETERS}, {5, P(wide), BAD_PARAMETERS}, {5, P(within), BAD_PARAMETERS},
		       {5, P(no_rows), BAD_PARAMETERS}, {5, P(far), BAD_PARAMETERS}, {5, P(turned), BAD_PARAMETERS}, WRONG_MEMORY(7),
		       {7, N(VX_MEMORY_TYPE_OPENCL_BUFFER), BAD_PARAMETERS})},
		{CALL(vxCreateTensorFromHandle, R(context), N(3), P(dims), N(VX_TYPE_INT16), N(8), P(strides), P(NULL), N(VX_MEMORY_TYPE_OPENCL_BUFFER)),
		 WRONG({6, P(bytes), BAD_PARAMETERS}, {6, P(small), BAD_PARAMETERS}, {6, P(queue), BAD_PARAMETERS}, {6, N(0x1234), BAD_PARAMETERS})},
		{CALL(vxSwapTensorHandle, R(tensor), P(bytes), P(&back)),
		 WRONG({0, R(view), BAD_PARAMETERS}, {0, R(hidden), BAD_PARAMETERS})},
		{CALL(vxSwapTensorHandle, R(tensor), P(NULL), P(&back)), WRONG({0, R(plain), BAD_PARAMETERS}), .is_last = true},
	};
	refuse_rows(rows, COUNT(rows));
	/* while it is mapped, or a part of it is */
	vx_tensor mapped[] = {tensor, view};
	for (size_t i = 0; i < COUNT(mapped); i++) {
		vx_size got[3];
		vx_map_id id;
		void *ptr;
		RAN(vxMapTensorPatch(mapped[i], 3, NULL, NULL, &id, got, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		VX_FAILS(VX_FAILURE, vxSwapTensorHandle(tensor, bytes, &back));
		RAN(vxUnmapTensorPatch(mapped[i], id));
	}
	clReleaseMemObject(small);
	RAN(vxReleaseTensor(&view));
	RAN(vxReleaseTensor(&hidden));
	RAN(vxReleaseTensor(&tensor));
}

static void views(void **state)
{
	(void)state;
	static const vx_rectangle_t part = {1, 1, 4, 3}, empty = {1, 1, 1, 3}, flat = {1, 3, 4, 3}, wide = {0, 0, 6, 4}, high = {0, 0, 5, 5},
				    unending = {0, 0, 0xffffffffu, 0xffffffffu};
	vx_reference tensor = one_of(VX_TYPE_TENSOR, false);
	vx_graph graph = (vx_graph)one_of(VX_TYPE_GRAPH, false);
	const vx_size open_dims[3] = {0, 0, 0};
	vx_tensor plane = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8), open = vxCreateVirtualTensor(graph, 3, open_dims, VX_TYPE_INT16, 8);
	vx_tensor hidden = vxCreateVirtualTensor(graph, 3, dims, VX_TYPE_INT16, 8), signed_bytes = vxCreateTensor(context, 3, dims, VX_TYPE_INT8, 0);
	const struct row rows[] = {
		{CALL(vxCreateTensorFromView, R(tensor), N(3), P(start), P(end)),
		 WRONG({0, R(open), BAD_PARAMETERS}, {1, N(0), BAD_PARAMETERS}, {1, N(4), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		       {2, P(NULL), BAD_PARAMETERS}, {2, P(at_start), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {3, P(beyond), BAD_PARAMETERS},
		       {3, P(behind), BAD_PARAMETERS}, {3, P(start), BAD_PARAMETERS}, {3, P(endless), BAD_PARAMETERS})},
		{CALL(vxCreateImageObjectArrayFromTensor, R(tensor), P(&part), N(3), N(40), N(VX_DF_IMAGE_S16)),
		 WRONG({0, R(plane), BAD_DIMENSION}, {0, R(hidden), HIDDEN}, {0, R(signed_bytes), BAD_PARAMETERS}, {1, P(NULL), BAD_PARAMETERS},
		       {1, P(&empty), BAD_PARAMETERS}, {1, P(&flat), BAD_PARAMETERS}, {1, P(&wide), BAD_PARAMETERS}, {1, P(&high), BAD_PARAMETERS},
		       {1, P(&unending), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {2, N(4), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS},
		       {3, N(0), BAD_PARAMETERS}, {3, N(39), BAD_PARAMETERS}, {3, N(80), BAD_PARAMETERS}, {3, N(-40), BAD_PARAMETERS}, {4, N(0), BAD_FORMAT},
		       {4, N(VX_DF_IMAGE_VIRT), BAD_FORMAT}, {4, N(VX_DF_IMAGE_U8), BAD_FORMAT}, {4, N(VX_DF_IMAGE_NV12), BAD_FORMAT})},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseTensor(&plane));
	RAN(vxReleaseTensor(&open));
	RAN(vxReleaseTensor(&hidden));
	RAN(vxReleaseTensor(&signed_bytes));
}

static void patches(void **state)
{
	(void)state;
	static vx_map_id id;
	static vx_size got[3];
	static void *ptr;
	const vx_size strides[3] = {2, 6, 12}, wide[3] = {4, 12, 24}, within[3] = {2, 4, 8}, far[3] = {2, SIZE_MAX, SIZE_MAX};
	vx_reference tensor = one_of(VX_TYPE_TENSOR, false);
	vx_tensor hidden = vxCreateVirtualTensor((vx_graph)one_of(VX_TYPE_GRAPH, false), 3, dims, VX_TYPE_INT16, 8);
#define NO_RANGE(at) \
	{(at), N(0), BAD_PARAMETERS}, {(at), N(4), BAD_PARAMETERS}, {(at), N(-1), BAD_PARAMETERS}, {(at) + 1, P(at_start), BAD_PARAMETERS}, \
	{(at) + 2, P(beyond), BAD_PARAMETERS}, {(at) + 2, P(behind), BAD_PARAMETERS}, {(at) + 2, P(start), BAD_PARAMETERS}
	const struct row rows[] = {
		{CALL(vxCopyTensorPatch, R(tensor), N(3), P(start), P(end), P(strides), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, NO_RANGE(1), {2, P(NULL), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS},
		       {4, P(wide), BAD_PARAMETERS}, {4, P(within), BAD_PARAMETERS}, {4, P(far), BAD_PARAMETERS}, WRONG_COPY(5))},
	};
	const struct row map = {
		CALL(vxMapTensorPatch, R(tensor), N(3), P(start), P(end), P(&id), P(got), P(&ptr), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		WRONG({0, R(hidden), HIDDEN}, NO_RANGE(1), {4, P(NULL), BAD_PARAMETERS}, {5, P(NULL), BAD_PARAMETERS}, {6, P(NULL), BAD_PARAMETERS},
		      WRONG_USAGE(7), WRONG_MEMORY(8)),
		.undo = undo_map,
	};
	refuse_rows(rows, COUNT(rows));
	refuse_map(&map);
	RAN(vxReleaseTensor(&hidden));
}

static void complete(void **state)
{
	(void)state;
	expect_all("tensors");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation), cmocka_unit_test(handles), cmocka_unit_test(views), cmocka_unit_test(patches), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
