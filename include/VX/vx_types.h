/* OpenVX 1.3: types, enumerators and the macros that make them. */
#ifndef OPENVX_VX_TYPES_H
#define OPENVX_VX_TYPES_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "vx_vendors.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VX_VENDOR_MASK 0xFFF00000
#define VX_TYPE_MASK 0x000FFF00
#define VX_LIBRARY_MASK 0x000FF000
#define VX_KERNEL_MASK 0x00000FFF
#define VX_ATTRIBUTE_ID_MASK 0x000000FF
#define VX_ENUM_TYPE_MASK 0x000FF000
#define VX_ENUM_MASK 0x00000FFF
#define VX_SCALE_UNITY 0x00000400
#define VX_SCALE_PYRAMID_HALF (0.5f)
#define VX_SCALE_PYRAMID_ORB ((vx_float32)0.8408964f)

/* ---- what declares functions ---- */
#define VX_API_ENTRY
#define VX_API_CALL
#define VX_CALLBACK

/* ---- parts of enumerators: vendor (12 bits), object, library or enumeration (12 bits), number ---- */
#define VX_VENDOR(e) (((vx_uint32)(e) & VX_VENDOR_MASK) >> 20)
#define VX_TYPE(e) (((vx_uint32)(e) & VX_TYPE_MASK) >> 8)
#define VX_ENUM_TYPE(e) (((vx_uint32)(e) & VX_ENUM_TYPE_MASK) >> 12)
#define VX_LIBRARY(e) (((vx_uint32)(e) & VX_LIBRARY_MASK) >> 12)
#define VX_ATTRIBUTE_BASE(vendor, object) ((vx_enum)((vx_uint32)(vendor) << 20 | (vx_uint32)(object) << 8))
#define VX_KERNEL_BASE(vendor, library) ((vx_enum)((vx_uint32)(vendor) << 20 | (vx_uint32)(library) << 12))
#define VX_ENUM_BASE(vendor, id) ((vx_enum)((vx_uint32)(vendor) << 20 | (vx_uint32)(id) << 12))
#define VX_DF_IMAGE(a, b, c, d) ((vx_uint32)(vx_uint8)(a) | (vx_uint32)(vx_uint8)(b) << 8 | (vx_uint32)(vx_uint8)(c) << 16 | (vx_uint32)(vx_uint8)(d) << 24)

/* ---- other macros ---- */
#define VX_FMT_REF "%p"
#define VX_FMT_SIZE "%zu"
#define VX_IMAGEPATCH_ADDR_INIT {0u, 0u, 0, 0, 0u, 0u, 0u, 0u, 0u}
#define vxFormatArrayPointer(ptr, index, stride) (&(((vx_uint8 *)(ptr))[(index) * (stride)]))
#define vxArrayItem(type, ptr, index, stride) (*(type *)(vxFormatArrayPointer((ptr), (index), (stride))))

enum vx_bool_e {
	vx_false_e = 0x00000000,
	vx_true_e = 0x00000001,
};

enum vx_type_e {
	VX_TYPE_INVALID = 0x00000000,
	VX_TYPE_CHAR = 0x00000001,
	VX_TYPE_INT8 = 0x00000002,
	VX_TYPE_UINT8 = 0x00000003,
	VX_TYPE_INT16 = 0x00000004,
	VX_TYPE_UINT16 = 0x00000005,
	VX_TYPE_INT32 = 0x00000006,
	VX_TYPE_UINT32 = 0x00000007,
	VX_TYPE_INT64 = 0x00000008,
	VX_TYPE_UINT64 = 0x00000009,
	VX_TYPE_FLOAT32 = 0x0000000A,
	VX_TYPE_FLOAT64 = 0x0000000B,
	VX_TYPE_ENUM = 0x0000000C,
	VX_TYPE_SIZE = 0x0000000D,
	VX_TYPE_DF_IMAGE = 0x0000000E,
	VX_TYPE_FLOAT16 = 0x0000000F,
	VX_TYPE_BOOL = 0x00000010,
	VX_TYPE_RECTANGLE = 0x00000020,
	VX_TYPE_KEYPOINT = 0x00000021,
	VX_TYPE_COORDINATES2D = 0x00000022,
	VX_TYPE_COORDINATES3D = 0x00000023,
	VX_TYPE_COORDINATES2DF = 0x00000024,
	VX_TYPE_HOG_PARAMS = 0x00000028,
	VX_TYPE_HOUGH_LINES_PARAMS = 0x00000029,
	VX_TYPE_LINE_2D = 0x0000002A,
	VX_TYPE_TENSOR_MATRIX_MULTIPLY_PARAMS = 0x0000002B,
	VX_TYPE_USER_STRUCT_START = 0x00000100,
	VX_TYPE_VENDOR_STRUCT_START = 0x00000400,
	VX_TYPE_KHRONOS_OBJECT_START = 0x00000800,
	VX_TYPE_VENDOR_OBJECT_START = 0x00000C00,
	VX_TYPE_KHRONOS_STRUCT_MAX = 0x000000FF,
	VX_TYPE_USER_STRUCT_END = 0x000003FF,
	VX_TYPE_VENDOR_STRUCT_END = 0x000007FF,
	VX_TYPE_KHRONOS_OBJECT_END = 0x00000BFF,
	VX_TYPE_VENDOR_OBJECT_END = 0x00000FFF,
	VX_TYPE_REFERENCE = 0x00000800,
	VX_TYPE_CONTEXT = 0x00000801,
	VX_TYPE_GRAPH = 0x00000802,
	VX_TYPE_NODE = 0x00000803,
	VX_TYPE_KERNEL = 0x00000804,
	VX_TYPE_PARAMETER = 0x00000805,
	VX_TYPE_DELAY = 0x00000806,
	VX_TYPE_LUT = 0x00000807,
	VX_TYPE_DISTRIBUTION = 0x00000808,
	VX_TYPE_PYRAMID = 0x00000809,
	VX_TYPE_THRESHOLD = 0x0000080A,
	VX_TYPE_MATRIX = 0x0000080B,
	VX_TYPE_CONVOLUTION = 0x0000080C,
	VX_TYPE_SCALAR = 0x0000080D,
	VX_TYPE_ARRAY = 0x0000080E,
	VX_TYPE_IMAGE = 0x0000080F,
	VX_TYPE_REMAP = 0x00000810,
	VX_TYPE_ERROR = 0x00000811,
	VX_TYPE_META_FORMAT = 0x00000812,
	VX_TYPE_OBJECT_ARRAY = 0x00000813,
	VX_TYPE_TENSOR = 0x00000815,
};

enum vx_status_e {
	VX_STATUS_MIN = -25,
	VX_ERROR_REFERENCE_NONZERO = -24,
	VX_ERROR_MULTIPLE_WRITERS = -23,
	VX_ERROR_GRAPH_ABANDONED = -22,
	VX_ERROR_GRAPH_SCHEDULED = -21,
	VX_ERROR_INVALID_SCOPE = -20,
	VX_ERROR_INVALID_NODE = -19,
	VX_ERROR_INVALID_GRAPH = -18,
	VX_ERROR_INVALID_TYPE = -17,
	VX_ERROR_INVALID_VALUE = -16,
	VX_ERROR_INVALID_DIMENSION = -15,
	VX_ERROR_INVALID_FORMAT = -14,
	VX_ERROR_INVALID_LINK = -13,
	VX_ERROR_INVALID_REFERENCE = -12,
	VX_ERROR_INVALID_MODULE = -11,
	VX_ERROR_INVALID_PARAMETERS = -10,
	VX_ERROR_OPTIMIZED_AWAY = -9,
	VX_ERROR_NO_MEMORY = -8,
	VX_ERROR_NO_RESOURCES = -7,
	VX_ERROR_NOT_COMPATIBLE = -6,
	VX_ERROR_NOT_ALLOCATED = -5,
	VX_ERROR_NOT_SUFFICIENT = -4,
	VX_ERROR_NOT_SUPPORTED = -3,
	VX_ERROR_NOT_IMPLEMENTED = -2,
	VX_FAILURE = -1,
	VX_SUCCESS = 0x00000000,
};

enum vx_enum_e {
	VX_ENUM_DIRECTION = 0x00000000,
	VX_ENUM_ACTION = 0x00000001,
	VX_ENUM_HINT = 0x00000002,
	VX_ENUM_DIRECTIVE = 0x00000003,
	VX_ENUM_INTERPOLATION = 0x00000004,
	VX_ENUM_OVERFLOW = 0x00000005,
	VX_ENUM_COLOR_SPACE = 0x00000006,
	VX_ENUM_COLOR_RANGE = 0x00000007,
	VX_ENUM_PARAMETER_STATE = 0x00000008,
	VX_ENUM_CHANNEL = 0x00000009,
	VX_ENUM_CONVERT_POLICY = 0x0000000A,
	VX_ENUM_THRESHOLD_TYPE = 0x0000000B,
	VX_ENUM_BORDER = 0x0000000C,
	VX_ENUM_COMPARISON = 0x0000000D,
	VX_ENUM_MEMORY_TYPE = 0x0000000E,
	VX_ENUM_TERM_CRITERIA = 0x0000000F,
	VX_ENUM_NORM_TYPE = 0x00000010,
	VX_ENUM_ACCESSOR = 0x00000011,
	VX_ENUM_ROUND_POLICY = 0x00000012,
	VX_ENUM_TARGET = 0x00000013,
	VX_ENUM_BORDER_POLICY = 0x00000014,
	VX_ENUM_GRAPH_STATE = 0x00000015,
	VX_ENUM_NONLINEAR = 0x00000016,
	VX_ENUM_PATTERN = 0x00000017,
	VX_ENUM_LBP_FORMAT = 0x00000018,
	VX_ENUM_COMP_METRIC = 0x00000019,
	VX_ENUM_SCALAR_OPERATION = 0x00000020,
};

enum vx_action_e {
	VX_ACTION_CONTINUE = 0x00001000,
	VX_ACTION_ABANDON = 0x00001001,
};

enum vx_direction_e {
	VX_INPUT = 0x00000000,
	VX_OUTPUT = 0x00000001,
};

enum vx_hint_e {
	VX_HINT_PERFORMANCE_DEFAULT = 0x00002001,
	VX_HINT_PERFORMANCE_LOW_POWER = 0x00002002,
	VX_HINT_PERFORMANCE_HIGH_SPEED = 0x00002003,
};

enum vx_directive_e {
	VX_DIRECTIVE_DISABLE_LOGGING = 0x00003000,
	VX_DIRECTIVE_ENABLE_LOGGING = 0x00003001,
	VX_DIRECTIVE_DISABLE_PERFORMANCE = 0x00003002,
	VX_DIRECTIVE_ENABLE_PERFORMANCE = 0x00003003,
};

enum vx_graph_state_e {
	VX_GRAPH_STATE_UNVERIFIED = 0x00015000,
	VX_GRAPH_STATE_VERIFIED = 0x00015001,
	VX_GRAPH_STATE_RUNNING = 0x00015002,
	VX_GRAPH_STATE_ABANDONED = 0x00015003,
	VX_GRAPH_STATE_COMPLETED = 0x00015004,
};

enum vx_graph_attribute_e {
	VX_GRAPH_NUMNODES = 0x00080200,
	VX_GRAPH_PERFORMANCE = 0x00080202,
	VX_GRAPH_NUMPARAMETERS = 0x00080203,
	VX_GRAPH_STATE = 0x00080204,
};

enum vx_convert_policy_e {
	VX_CONVERT_POLICY_WRAP = 0x0000A000,
	VX_CONVERT_POLICY_SATURATE = 0x0000A001,
};

enum vx_df_image_e {
	VX_DF_IMAGE_VIRT = 0x54524956,
	VX_DF_IMAGE_RGB = 0x32424752,
	VX_DF_IMAGE_RGBX = 0x41424752,
	VX_DF_IMAGE_NV12 = 0x3231564E,
	VX_DF_IMAGE_NV21 = 0x3132564E,
	VX_DF_IMAGE_UYVY = 0x59565955,
	VX_DF_IMAGE_YUYV = 0x56595559,
	VX_DF_IMAGE_IYUV = 0x56555949,
	VX_DF_IMAGE_YUV4 = 0x34565559,
	VX_DF_IMAGE_U1 = 0x31303055,
	VX_DF_IMAGE_U8 = 0x38303055,
	VX_DF_IMAGE_U16 = 0x36313055,
	VX_DF_IMAGE_S16 = 0x36313053,
	VX_DF_IMAGE_U32 = 0x32333055,
	VX_DF_IMAGE_S32 = 0x32333053,
};

enum vx_target_e {
	VX_TARGET_ANY = 0x00013000,
	VX_TARGET_STRING = 0x00013001,
	VX_TARGET_VENDOR_BEGIN = 0x00014000,
};

enum vx_reference_attribute_e {
	VX_REFERENCE_COUNT = 0x00080000,
	VX_REFERENCE_TYPE = 0x00080001,
	VX_REFERENCE_NAME = 0x00080002,
};

enum vx_context_attribute_e {
	VX_CONTEXT_VENDOR_ID = 0x00080100,
	VX_CONTEXT_VERSION = 0x00080101,
	VX_CONTEXT_UNIQUE_KERNELS = 0x00080102,
	VX_CONTEXT_MODULES = 0x00080103,
	VX_CONTEXT_REFERENCES = 0x00080104,
	VX_CONTEXT_IMPLEMENTATION = 0x00080105,
	VX_CONTEXT_EXTENSIONS_SIZE = 0x00080106,
	VX_CONTEXT_EXTENSIONS = 0x00080107,
	VX_CONTEXT_CONVOLUTION_MAX_DIMENSION = 0x00080108,
	VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION = 0x00080109,
	VX_CONTEXT_IMMEDIATE_BORDER = 0x0008010A,
	VX_CONTEXT_UNIQUE_KERNEL_TABLE = 0x0008010B,
	VX_CONTEXT_IMMEDIATE_BORDER_POLICY = 0x0008010C,
	VX_CONTEXT_NONLINEAR_MAX_DIMENSION = 0x0008010D,
	VX_CONTEXT_MAX_TENSOR_DIMS = 0x0008010E,
};

enum vx_kernel_attribute_e {
	VX_KERNEL_PARAMETERS = 0x00080400,
	VX_KERNEL_NAME = 0x00080401,
	VX_KERNEL_ENUM = 0x00080402,
	VX_KERNEL_LOCAL_DATA_SIZE = 0x00080403,
};

enum vx_node_attribute_e {
	VX_NODE_STATUS = 0x00080300,
	VX_NODE_PERFORMANCE = 0x00080301,
	VX_NODE_BORDER = 0x00080302,
	VX_NODE_LOCAL_DATA_SIZE = 0x00080303,
	VX_NODE_LOCAL_DATA_PTR = 0x00080304,
	VX_NODE_PARAMETERS = 0x00080305,
	VX_NODE_IS_REPLICATED = 0x00080306,
	VX_NODE_REPLICATE_FLAGS = 0x00080307,
	VX_NODE_VALID_RECT_RESET = 0x00080308,
};

enum vx_parameter_attribute_e {
	VX_PARAMETER_INDEX = 0x00080500,
	VX_PARAMETER_DIRECTION = 0x00080501,
	VX_PARAMETER_TYPE = 0x00080502,
	VX_PARAMETER_STATE = 0x00080503,
	VX_PARAMETER_REF = 0x00080504,
	VX_PARAMETER_META_FORMAT = 0x00080505,
};

enum vx_image_attribute_e {
	VX_IMAGE_WIDTH = 0x00080F00,
	VX_IMAGE_HEIGHT = 0x00080F01,
	VX_IMAGE_FORMAT = 0x00080F02,
	VX_IMAGE_PLANES = 0x00080F03,
	VX_IMAGE_SPACE = 0x00080F04,
	VX_IMAGE_RANGE = 0x00080F05,
	VX_IMAGE_MEMORY_TYPE = 0x00080F07,
	VX_IMAGE_IS_UNIFORM = 0x00080F08,
	VX_IMAGE_UNIFORM_VALUE = 0x00080F09,
};

enum vx_scalar_attribute_e {
	VX_SCALAR_TYPE = 0x00080D00,
};

enum vx_scalar_operation_e {
	VX_SCALAR_OP_AND = 0x00020000,
	VX_SCALAR_OP_OR = 0x00020001,
	VX_SCALAR_OP_XOR = 0x00020002,
	VX_SCALAR_OP_NAND = 0x00020003,
	VX_SCALAR_OP_EQUAL = 0x00020004,
	VX_SCALAR_OP_NOTEQUAL = 0x00020005,
	VX_SCALAR_OP_LESS = 0x00020006,
	VX_SCALAR_OP_LESSEQ = 0x00020007,
	VX_SCALAR_OP_GREATER = 0x00020008,
	VX_SCALAR_OP_GREATEREQ = 0x00020009,
	VX_SCALAR_OP_ADD = 0x0002000A,
	VX_SCALAR_OP_SUBTRACT = 0x0002000B,
	VX_SCALAR_OP_MULTIPLY = 0x0002000C,
	VX_SCALAR_OP_DIVIDE = 0x0002000D,
	VX_SCALAR_OP_MODULUS = 0x0002000E,
	VX_SCALAR_OP_MIN = 0x0002000F,
	VX_SCALAR_OP_MAX = 0x00020010,
};

enum vx_lut_attribute_e {
	VX_LUT_TYPE = 0x00080700,
	VX_LUT_COUNT = 0x00080701,
	VX_LUT_SIZE = 0x00080702,
	VX_LUT_OFFSET = 0x00080703,
};

enum vx_distribution_attribute_e {
	VX_DISTRIBUTION_DIMENSIONS = 0x00080800,
	VX_DISTRIBUTION_OFFSET = 0x00080801,
	VX_DISTRIBUTION_RANGE = 0x00080802,
	VX_DISTRIBUTION_BINS = 0x00080803,
	VX_DISTRIBUTION_WINDOW = 0x00080804,
	VX_DISTRIBUTION_SIZE = 0x00080805,
};

enum vx_threshold_type_e {
	VX_THRESHOLD_TYPE_BINARY = 0x0000B000,
	VX_THRESHOLD_TYPE_RANGE = 0x0000B001,
};

enum vx_threshold_attribute_e {
	VX_THRESHOLD_TYPE = 0x00080A00,
	VX_THRESHOLD_INPUT_FORMAT = 0x00080A07,
	VX_THRESHOLD_OUTPUT_FORMAT = 0x00080A08,
};

enum vx_matrix_attribute_e {
	VX_MATRIX_TYPE = 0x00080B00,
	VX_MATRIX_ROWS = 0x00080B01,
	VX_MATRIX_COLUMNS = 0x00080B02,
	VX_MATRIX_SIZE = 0x00080B03,
	VX_MATRIX_ORIGIN = 0x00080B04,
	VX_MATRIX_PATTERN = 0x00080B05,
};

enum vx_convolution_attribute_e {
	VX_CONVOLUTION_ROWS = 0x00080C00,
	VX_CONVOLUTION_COLUMNS = 0x00080C01,
	VX_CONVOLUTION_SCALE = 0x00080C02,
	VX_CONVOLUTION_SIZE = 0x00080C03,
};

enum vx_pyramid_attribute_e {
	VX_PYRAMID_LEVELS = 0x00080900,
	VX_PYRAMID_SCALE = 0x00080901,
	VX_PYRAMID_WIDTH = 0x00080902,
	VX_PYRAMID_HEIGHT = 0x00080903,
	VX_PYRAMID_FORMAT = 0x00080904,
};

enum vx_remap_attribute_e {
	VX_REMAP_SOURCE_WIDTH = 0x00081000,
	VX_REMAP_SOURCE_HEIGHT = 0x00081001,
	VX_REMAP_DESTINATION_WIDTH = 0x00081002,
	VX_REMAP_DESTINATION_HEIGHT = 0x00081003,
};

enum vx_array_attribute_e {
	VX_ARRAY_ITEMTYPE = 0x00080E00,
	VX_ARRAY_NUMITEMS = 0x00080E01,
	VX_ARRAY_CAPACITY = 0x00080E02,
	VX_ARRAY_ITEMSIZE = 0x00080E03,
};

enum vx_object_array_attribute_e {
	VX_OBJECT_ARRAY_ITEMTYPE = 0x00081300,
	VX_OBJECT_ARRAY_NUMITEMS = 0x00081301,
};

enum vx_tensor_attribute_e {
	VX_TENSOR_NUMBER_OF_DIMS = 0x00081500,
	VX_TENSOR_DIMS = 0x00081501,
	VX_TENSOR_DATA_TYPE = 0x00081502,
	VX_TENSOR_FIXED_POINT_POSITION = 0x00081503,
};

enum vx_meta_valid_rect_attribute_e {
	VX_VALID_RECT_CALLBACK = 0x00081201,
};

enum vx_channel_e {
	VX_CHANNEL_0 = 0x00009000,
	VX_CHANNEL_1 = 0x00009001,
	VX_CHANNEL_2 = 0x00009002,
	VX_CHANNEL_3 = 0x00009003,
	VX_CHANNEL_R = 0x00009010,
	VX_CHANNEL_G = 0x00009011,
	VX_CHANNEL_B = 0x00009012,
	VX_CHANNEL_A = 0x00009013,
	VX_CHANNEL_Y = 0x00009014,
	VX_CHANNEL_U = 0x00009015,
	VX_CHANNEL_V = 0x00009016,
};

enum vx_memory_type_e {
	VX_MEMORY_TYPE_NONE = 0x0000E000,
	VX_MEMORY_TYPE_HOST = 0x0000E001,
};

enum vx_interpolation_type_e {
	VX_INTERPOLATION_NEAREST_NEIGHBOR = 0x00004000,
	VX_INTERPOLATION_BILINEAR = 0x00004001,
	VX_INTERPOLATION_AREA = 0x00004002,
};

enum vx_non_linear_filter_e {
	VX_NONLINEAR_FILTER_MEDIAN = 0x00016000,
	VX_NONLINEAR_FILTER_MIN = 0x00016001,
	VX_NONLINEAR_FILTER_MAX = 0x00016002,
};

enum vx_pattern_e {
	VX_PATTERN_BOX = 0x00017000,
	VX_PATTERN_CROSS = 0x00017001,
	VX_PATTERN_DISK = 0x00017002,
	VX_PATTERN_OTHER = 0x00017003,
};

enum vx_color_space_e {
	VX_COLOR_SPACE_NONE = 0x00006000,
	VX_COLOR_SPACE_BT601_525 = 0x00006001,
	VX_COLOR_SPACE_BT601_625 = 0x00006002,
	VX_COLOR_SPACE_BT709 = 0x00006003,
	VX_COLOR_SPACE_DEFAULT = 0x00006003,
};

enum vx_channel_range_e {
	VX_CHANNEL_RANGE_FULL = 0x00007000,
	VX_CHANNEL_RANGE_RESTRICTED = 0x00007001,
};

enum vx_parameter_state_e {
	VX_PARAMETER_STATE_REQUIRED = 0x00008000,
	VX_PARAMETER_STATE_OPTIONAL = 0x00008001,
};

enum vx_border_e {
	VX_BORDER_UNDEFINED = 0x0000C000,
	VX_BORDER_CONSTANT = 0x0000C001,
	VX_BORDER_REPLICATE = 0x0000C002,
};

enum vx_border_policy_e {
	VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED = 0x00014000,
	VX_BORDER_POLICY_RETURN_ERROR = 0x00014001,
};

enum vx_termination_criteria_e {
	VX_TERM_CRITERIA_ITERATIONS = 0x0000F000,
	VX_TERM_CRITERIA_EPSILON = 0x0000F001,
	VX_TERM_CRITERIA_BOTH = 0x0000F002,
};

enum vx_norm_type_e {
	VX_NORM_L1 = 0x00010000,
	VX_NORM_L2 = 0x00010001,
};

enum vx_delay_attribute_e {
	VX_DELAY_TYPE = 0x00080600,
	VX_DELAY_SLOTS = 0x00080601,
};

enum vx_accessor_e {
	VX_READ_ONLY = 0x00011001,
	VX_WRITE_ONLY = 0x00011002,
	VX_READ_AND_WRITE = 0x00011003,
};

enum vx_round_policy_e {
	VX_ROUND_POLICY_TO_ZERO = 0x00012001,
	VX_ROUND_POLICY_TO_NEAREST_EVEN = 0x00012002,
};

enum vx_lbp_format_e {
	VX_LBP = 0x00018000,
	VX_MLBP = 0x00018001,
	VX_ULBP = 0x00018002,
};

enum vx_comp_metric_e {
	VX_COMPARE_HAMMING = 0x00019000,
	VX_COMPARE_L1 = 0x00019001,
	VX_COMPARE_L2 = 0x00019002,
	VX_COMPARE_CCORR = 0x00019003,
	VX_COMPARE_L2_NORM = 0x00019004,
	VX_COMPARE_CCORR_NORM = 0x00019005,
};

enum vx_map_flag_e {
	VX_NOGAP_X = 0x00000001,
};

typedef char vx_char;
typedef uint8_t vx_uint8;
typedef uint16_t vx_uint16;
typedef uint32_t vx_uint32;
typedef uint64_t vx_uint64;
typedef int8_t vx_int8;
typedef int16_t vx_int16;
typedef int32_t vx_int32;
typedef int64_t vx_int64;
typedef uint32_t vx_bitfield;
typedef float vx_float32;
typedef double vx_float64;
typedef struct _vx_reference *vx_reference;
typedef int32_t vx_enum;
typedef size_t vx_size;
typedef uint32_t vx_df_image;
typedef uintptr_t vx_map_id;
typedef struct _vx_scalar *vx_scalar;
typedef struct _vx_image *vx_image;
typedef struct _vx_kernel *vx_kernel;
typedef struct _vx_parameter *vx_parameter;
typedef struct _vx_node *vx_node;
typedef struct _vx_graph *vx_graph;
typedef struct _vx_context *vx_context;
typedef struct _vx_delay *vx_delay;
typedef struct _vx_lut *vx_lut;
typedef struct _vx_distribution *vx_distribution;
typedef struct _vx_matrix *vx_matrix;
typedef struct _vx_pyramid *vx_pyramid;
typedef struct _vx_threshold *vx_threshold;
typedef struct _vx_convolution *vx_convolution;
typedef struct _vx_remap *vx_remap;
typedef struct _vx_array *vx_array;
typedef struct _vx_object_array *vx_object_array;
typedef struct _vx_tensor_t *vx_tensor;
typedef vx_enum vx_bool;
typedef struct _vx_meta_format *vx_meta_format;
typedef vx_enum vx_status;
typedef vx_enum vx_action;
typedef struct _vx_imagepatch_addressing_t {
	vx_uint32 dim_x;
	vx_uint32 dim_y;
	vx_int32 stride_x;
	vx_int32 stride_y;
	vx_uint32 scale_x;
	vx_uint32 scale_y;
	vx_uint32 step_x;
	vx_uint16 step_y;
	vx_uint16 stride_x_bits;
} vx_imagepatch_addressing_t;
typedef struct _vx_perf_t {
	vx_uint64 tmp;
	vx_uint64 beg;
	vx_uint64 end;
	vx_uint64 sum;
	vx_uint64 avg;
	vx_uint64 min;
	vx_uint64 num;
	vx_uint64 max;
} vx_perf_t;
typedef struct _vx_hough_lines_p_t {
	vx_float32 rho;
	vx_float32 theta;
	vx_int32 threshold;
	vx_int32 line_length;
	vx_int32 line_gap;
	vx_float32 theta_max;
	vx_float32 theta_min;
} vx_hough_lines_p_t;
typedef struct _vx_line2d_t {
	vx_float32 start_x;
	vx_float32 start_y;
	vx_float32 end_x;
	vx_float32 end_y;
} vx_line2d_t;
typedef struct _vx_tensor_matrix_multiply_params_t {
	vx_bool transpose_input1;
	vx_bool transpose_input2;
	vx_bool transpose_input3;
} vx_tensor_matrix_multiply_params_t;
typedef struct _vx_kernel_info_t {
	vx_enum enumeration;
	vx_char name[256];
} vx_kernel_info_t;
typedef struct _vx_keypoint_t {
	vx_int32 x;
	vx_int32 y;
	vx_float32 strength;
	vx_float32 scale;
	vx_float32 orientation;
	vx_int32 tracking_status;
	vx_float32 error;
} vx_keypoint_t;
typedef struct _vx_rectangle_t {
	vx_uint32 start_x;
	vx_uint32 start_y;
	vx_uint32 end_x;
	vx_uint32 end_y;
} vx_rectangle_t;
typedef struct _vx_coordinates2d_t {
	vx_uint32 x;
	vx_uint32 y;
} vx_coordinates2d_t;
typedef struct _vx_coordinates2df_t {
	vx_float32 x;
	vx_float32 y;
} vx_coordinates2df_t;
typedef struct _vx_coordinates3d_t {
	vx_uint32 x;
	vx_uint32 y;
	vx_uint32 z;
} vx_coordinates3d_t;
typedef union _vx_pixel_value_t {
	vx_uint8 RGB[3];
	vx_uint8 RGBX[4];
	vx_uint8 YUV[3];
	vx_bool U1;
	vx_uint8 U8;
	vx_uint16 U16;
	vx_int16 S16;
	vx_uint32 U32;
	vx_int32 S32;
	vx_uint8 reserved[16];
} vx_pixel_value_t;
typedef struct {
	vx_int32 cell_width;
	vx_int32 cell_height;
	vx_int32 block_width;
	vx_int32 block_height;
	vx_int32 block_stride;
	vx_int32 num_bins;
	vx_int32 window_width;
	vx_int32 window_height;
	vx_int32 window_stride;
	vx_float32 threshold;
} vx_hog_t;
typedef struct _vx_border_t {
	vx_enum mode;
	vx_pixel_value_t constant_value;
} vx_border_t;

typedef vx_action (VX_CALLBACK *vx_nodecomplete_f)(vx_node node);
typedef vx_status (VX_CALLBACK *vx_publish_kernels_f)(vx_context context);
typedef vx_status (VX_CALLBACK *vx_unpublish_kernels_f)(vx_context context);
typedef vx_status (VX_CALLBACK *vx_kernel_f)(vx_node node, const vx_reference *parameters, vx_uint32 num);
typedef vx_status (VX_CALLBACK *vx_kernel_initialize_f)(vx_node node, const vx_reference *parameters, vx_uint32 num);
typedef vx_status (VX_CALLBACK *vx_kernel_deinitialize_f)(vx_node node, const vx_reference *parameters, vx_uint32 num);
typedef vx_status (VX_CALLBACK *vx_kernel_validate_f)(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[]);
typedef vx_status (VX_CALLBACK *vx_kernel_image_valid_rectangle_f)(vx_node node, vx_uint32 index, const vx_rectangle_t * const input_valid[], vx_rectangle_t * const output_valid[]);
typedef void (VX_CALLBACK *vx_log_callback_f)(vx_context context, vx_reference ref, vx_status status, const vx_char string[]);

#ifdef __cplusplus
}
#endif
#endif
