/* The build options of OpenCL 3.0 section 5.8.6: read, checked, turned into arguments of clang. */
#include "runtime/compiler/clc/clc.h"
#include <stdlib.h>
#include <string.h>

enum option_phase { FOR_COMPILE = 1, FOR_LINK = 2, FOR_LIBRARY = 4 };
enum option_effect {
	PASS,           /* goes to clang as it is */
	DROP,           /* accepted, changes nothing on this device */
	NO_OPTIMISE, DEBUG, NO_LINES, CREATE_LIBRARY, ENABLE_LINK,
};

static const struct {
	const char *name;
	unsigned phases;
	enum option_effect effect;
} flags[] = {
	{ "-cl-single-precision-constant", FOR_COMPILE, PASS },
	/* Subnormal numbers cost nothing here and are kept, which the option allows. */
	{ "-cl-denorms-are-zero", FOR_COMPILE | FOR_LINK, DROP },
	/* Division and square root are correctly rounded always. */
	{ "-cl-fp32-correctly-rounded-divide-sqrt", FOR_COMPILE, PASS },
	{ "-cl-opt-disable", FOR_COMPILE, NO_OPTIMISE },
	{ "-cl-mad-enable", FOR_COMPILE, PASS },
	{ "-cl-no-signed-zeros", FOR_COMPILE | FOR_LINK, PASS },
	{ "-cl-unsafe-math-optimizations", FOR_COMPILE | FOR_LINK, PASS },
	{ "-cl-finite-math-only", FOR_COMPILE | FOR_LINK, PASS },
	{ "-cl-fast-relaxed-math", FOR_COMPILE | FOR_LINK, PASS },
	{ "-cl-uniform-work-group-size", FOR_COMPILE, PASS },
	{ "-cl-no-subgroup-ifp", FOR_COMPILE | FOR_LINK, DROP },
	{ "-cl-strict-aliasing", FOR_COMPILE, DROP },
	/* Argument information is always recorded. */
	{ "-cl-kernel-arg-info", FOR_COMPILE, DROP },
	{ "-g", FOR_COMPILE, DEBUG },
	{ "-g0", FOR_COMPILE, NO_LINES },
	{ "-w", FOR_COMPILE, PASS },
	{ "-Werror", FOR_COMPILE, PASS },
	{ "-create-library", FOR_LIBRARY, CREATE_LIBRARY },
	{ "-enable-link-options", FOR_LIBRARY, ENABLE_LINK },
};

/* The next word of *p: blanks separate, quotes group, a backslash takes the next quote or
 * backslash as it is. False at the end; *bad when a quote is not closed. */
static bool next_word(const char **p, struct bytes *word, bool *bad)
{
	const char *s = *p;
	char quote = 0;
	word->size = 0;
	while (*s && strchr(" \t\n\r\f\v", *s))
		s++;
	if (!*s)
		return false;
	for (; *s && (quote || !strchr(" \t\n\r\f\v", *s)); s++) {
		if (*s == '\\' && (s[1] == '"' || s[1] == '\\' || s[1] == '\'')) {
			bytes_add(word, ++s, 1);
		} else if (*s == quote) {
			quote = 0;
		} else if (!quote && (*s == '"' || *s == '\'')) {
			quote = *s;
		} else {
			bytes_add(word, s, 1);
		}
	}
	*bad = quote != 0;
	bytes_add(word, "", 1);
	*p = s;
	return true;
}

static bool parse_standard(struct clc_options *o, const char *version)
{
	/* What CL_DEVICE_OPENCL_C_ALL_VERSIONS lists; 1.0 has no name here (section 5.8.6.5). */
	enum { CL_1_1, CL_1_2, CL_3_0 };
	static const char *const known[] = { [CL_1_1] = "CL1.1", [CL_1_2] = "CL1.2", [CL_3_0] = "CL3.0" };
	static const char *const macros[] = {
#define CLANG(name)
#define MACRO(name) "-D" name "=1",
#define HOST(name)
#define EXTENSION(name, major, minor, patch, kernels) kernels(#name)
#define FEATURE(name, kernels) kernels("__opencl_c_" #name)
#include "runtime/compiler/extensions.def"
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(version, known[i]))
			continue;
		strings_take(&o->clang, clc_format("-cl-std=%s", version));
		for (size_t f = 0; i == CL_3_0 && f < sizeof macros / sizeof *macros; f++)
			strings_add(&o->clang, macros[f]);
		return true;
	}
	clc_error("unsupported option '-cl-std=%s': the device has CL1.1, CL1.2 and CL3.0", version);
	return false;
}

static bool parse_flag(struct clc_options *o, const char *word)
{
	unsigned phase = o->action == CLC_LINK ? FOR_LINK | FOR_LIBRARY : FOR_COMPILE;
	if (o->action == CLC_BUILD)
		phase |= FOR_LINK;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(word, flags[i].name))
			continue;
		if (!(flags[i].phases & phase)) {
			clc_error("option '%s' is not an option of %s", word,
				  o->action == CLC_LINK ? "linking" : "building or compiling a source");
			return false;
		}
		switch (flags[i].effect) {
		case PASS: strings_add(&o->clang, word); break;
		case DROP: break;
		case NO_OPTIMISE: o->no_optimise = true; break;
		case DEBUG: o->debug = true; break;
		case NO_LINES: o->no_lines = true; break;
		case CREATE_LIBRARY: o->create_library = true; break;
		case ENABLE_LINK: o->enable_link_options = true; break;
		}
		return true;
	}
	clc_error("unknown option '%s'", word);
	return false;
}

bool options_parse(struct clc_options *o, enum clc_action action, const char *text)
{
	struct bytes word = { 0 };
	bool ok = true, bad = false, standard = false;
	*o = (struct clc_options){ .action = action, .text = clc_format("%s", text ? text : "") };
	const char *p = o->text;
	while (ok && next_word(&p, &word, &bad)) {
		const char *w = word.data;
		if (bad) {
			clc_error("option '%s': quote is not closed", w);
			ok = false;
		} else if ((w[0] == '-' && (w[1] == 'D' || w[1] == 'I')) && action != CLC_LINK) {
			char kind = w[1];
			bool joined = w[2];
			if (!joined && (!next_word(&p, &word, &bad) || bad)) {
				clc_error(bad ? "option '-%c': quote is not closed" : "option '-%c' needs a value", kind);
				ok = false;
				break;
			}
			strings_take(&o->clang, joined ? clc_format("%s", word.data) : clc_format("-%c%s", kind, word.data));
		} else if (!strncmp(w, "-cl-std=", 8) && action != CLC_LINK) {
			ok = parse_standard(o, w + 8);
			standard = true;
		} else if (!strncmp(w, "-spirv-", 7) && action == CLC_BUILD) {
			strings_add(&o->spirv, w);
		} else if (!strcmp(w, "-x") || !strncmp(w, "-spir-std=", 10)) {
			clc_error("option '%s' is refused: the device takes no SPIR programs", w);
			ok = false;
		} else {
			ok = parse_flag(o, w);
		}
	}
	if (ok && o->enable_link_options && !o->create_library) {
		clc_error("option '-enable-link-options' needs '-create-library'");
		ok = false;
	}
	if (!standard) /* section 5.8.6.5: no -cl-std means OpenCL C 1.2 */
		strings_add(&o->clang, "-cl-std=CL1.2");
	free(word.data);
	return ok;
}

void options_free(struct clc_options *o)
{
	strings_free(&o->clang);
	strings_free(&o->spirv);
	free(o->text);
}
