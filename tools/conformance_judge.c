/* From what a test program prints to verdicts. The form of the lines is data: patterns with a default. */
#define _GNU_SOURCE
#include "tools/conformance.h"
#include "tools/galena.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const verdict_names[NUM_VERDICTS] = {
	[PASSED] = "passed", [FAILED] = "failed", [SKIPPED] = "skipped", [CRASHED] = "crashed", [TIMED_OUT] = "timed out",
};

const char *const patterns_default[] = {
	"name=^[[:blank:]]+([A-Za-z0-9_.:/+-]+)[[:blank:]]*$",
	"pass=^([^[:blank:]]+) passed$",
	"fail=^([^[:blank:]]+) FAILED$",
	"skip=^([^[:blank:]]+) (test not supported|test currently not implemented|skipped .*)$",
	"pass=^PASSED .*tests?\\.$",
	"fail=^FAILED .*tests?\\.$",
	"skip=^SKIPPED .*tests?\\.$",
	"skip=Skipping test\\.$",
	"message=ERROR|rror:|[Ff]ail|FAIL|[Mm]ismatch|[Aa]ssert",
	NULL,
};

/* A kind that is a verdict has that verdict's number. */
enum kind { KIND_NAME = NUM_VERDICTS, KIND_MESSAGE };
static const struct { const char *name; int kind; } kinds[] = {
	{ "pass", PASSED }, { "fail", FAILED }, { "skip", SKIPPED }, { "name", KIND_NAME }, { "message", KIND_MESSAGE },
};

struct patterns {
	unsigned count;
	struct { int kind; regex_t regex; } at[];
};

struct patterns *patterns_make(char **given)
{
	char *const *list = given ? given : (char *const *)patterns_default;
	const unsigned count = list_length(list);
	struct patterns *p = checked(calloc(1, sizeof *p + count * sizeof p->at[0]));
	for (; p->count < count; p->count++) {
		const char *one = list[p->count], *equals = strchr(one, '=');
		char why[200] = "it must be KIND=REGEX; KIND is pass, fail, skip, name or message";
		int kind = -1, rc = -1;
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
			if (equals && strlen(kinds[i].name) == (size_t)(equals - one) && !strncmp(kinds[i].name, one, (size_t)(equals - one)))
				kind = kinds[i].kind;
		if (kind >= 0 && (rc = regcomp(&p->at[p->count].regex, equals + 1, REG_EXTENDED)))
			regerror(rc, &p->at[p->count].regex, why, sizeof why);
		else if (kind == KIND_NAME && p->at[p->count].regex.re_nsub < 1) {
			strcpy(why, "a pattern of names must have the name in (parentheses)");
			rc = -1;
		}
		if (rc)
			exit(fail(EXIT_USAGE, "--pattern %s: %s", one, why));
		p->at[p->count].kind = kind;
	}
	return p;
}

void patterns_free(struct patterns *p)
{
	for (unsigned i = 0; i < p->count; i++)
		regfree(&p->at[i].regex);
	free(p);
}

char *text_clean(char *s)
{
	enum { LIMIT = 300 };
	char *out = s, *in = s + strspn(s, " \t\r\n");
	while (*in && out - s < LIMIT) {
		unsigned char c = (unsigned char)*in;
		unsigned more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
		bool good = c < 0x80 ? c >= ' ' && c != 0x7f : more > 0 && c < 0xf5;
		for (unsigned i = 1; good && i <= more; i++)
			good = ((unsigned char)in[i] & 0xc0) == 0x80;
		/* overlong, surrogates, past the last code point, and the two of each plane that XML does not take */
		if (good && more == 2) {
			unsigned code = (c & 0xfu) << 12 | ((unsigned char)in[1] & 0x3fu) << 6 | ((unsigned char)in[2] & 0x3fu);
			good = code >= 0x800 && (code < 0xd800 || code > 0xdfff) && code < 0xfffe;
		}
		if (good && more == 3)
			good = (c > 0xf0 || (unsigned char)in[1] >= 0x90) && (c < 0xf4 || (unsigned char)in[1] < 0x90);
		if (!good) {
			*out++ = c == '\t' ? ' ' : '?';
			in++;
			continue;
		}
		for (unsigned i = 0; i <= more; i++)
			*out++ = *in++;
	}
	while (out > s && out[-1] == ' ')
		out--;
	*out = 0;
	return s;
}

/* ---- reading ---- */
/* The next line, without its end; what is no character of a string in C is made one. */
static bool line_read(FILE *f, char **line, size_t *size)
{
	ssize_t n = getline(line, size, f);
	if (n < 0)
		return false;
	for (ssize_t i = 0; i < n; i++)
		if (!(*line)[i])
			(*line)[i] = '?';
	while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r'))
		(*line)[--n] = 0;
	return true;
}

/* Whether a pattern is on the line; name gets what is in its parentheses, NULL when it has none. */
static bool pattern_matches(const regex_t *r, const char *line, char **name)
{
	regmatch_t m[2] = { { -1, -1 }, { -1, -1 } };
	*name = NULL;
	if (regexec(r, line, 2, m, 0))
		return false;
	if (r->re_nsub && m[1].rm_so >= 0)
		*name = checked(strndup(line + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)));
	return true;
}

char **patterns_names(const struct patterns *p, const char *log)
{
	char **names = checked(calloc(1, sizeof *names)), *line = NULL, *name;
	size_t size = 0;
	FILE *f = fopen(log, "r");
	while (f && line_read(f, &line, &size))
		for (unsigned i = 0; i < p->count; i++) {
			if (p->at[i].kind != KIND_NAME || !pattern_matches(&p->at[i].regex, line, &name))
				continue;
			for (size_t k = 0; name && names[k]; k++)
				if (!strcmp(names[k], name)) {
					free(name);
					name = NULL;
				}
			if (name)
				list_add(&names, name);
		}
	if (f)
		fclose(f);
	free(line);
	return names;
}

/* ---- judging ---- */
#define NONE (-1)

/* Of two lines about the same the later holds, but nothing takes back a failure. */
static void verdict_take(int *verdict, int next)
{
	if (*verdict != FAILED)
		*verdict = next;
}

static void result_add(struct job *job, const char *name, enum verdict v, const char *message)
{
	job->results = checked(realloc(job->results, (job->num_results + 1) * sizeof *job->results));
	job->results[job->num_results++] =
		(struct result){ text_clean(checked(strdup(name))), v, message ? text_clean(checked(strdup(message))) : NULL };
}

static void named_take(struct job *job, const char *name, int verdict, const char *message)
{
	for (unsigned i = 0; i < job->num_results; i++)
		if (!strcmp(job->results[i].name, name)) {
			int v = (int)job->results[i].verdict;
			verdict_take(&v, verdict);
			job->results[i].verdict = (enum verdict)v;
			return;
		}
	result_add(job, name, (enum verdict)verdict, verdict == FAILED ? message : NULL);
}

/* What the way in which the process ended says, before a line is believed: NONE if nothing. */
static int ending_judge(const struct ending *e, char *why, size_t size)
{
	if (e->late) {
		snprintf(why, size, "killed: no end after %.0f s", e->seconds);
		return TIMED_OUT;
	}
	if (e->too_much) {
		snprintf(why, size, "killed: it printed more than a log may hold");
		return FAILED;
	}
	if (WIFSIGNALED(e->status)) {
		snprintf(why, size, "signal %d (%s)", WTERMSIG(e->status), strsignal(WTERMSIG(e->status)));
		return CRASHED;
	}
	return NONE;
}

void job_judge(struct job *job, const struct patterns *p, const char *log, const struct ending *e, bool trust_exit)
{
	char *line = NULL, *name, *message = NULL, why[200] = "";
	size_t size = 0;
	int process = NONE, named = NONE; /* what the lines say of all, and of the job's sub-test */
	FILE *f = fopen(log, "r");
	while (f && line_read(f, &line, &size)) {
		bool verdict_line = line[0] == '#'; /* the command is none, but no message either */
		for (unsigned i = 0; i < p->count && line[0] != '#'; i++) {
			int kind = p->at[i].kind;
			if (kind >= NUM_VERDICTS || !pattern_matches(&p->at[i].regex, line, &name))
				continue;
			verdict_line = true;
			if (!name)
				verdict_take(&process, kind);
			else if (!job->subtest)
				named_take(job, name, kind, message);
			else if (!strcmp(name, job->subtest))
				verdict_take(&named, kind);
			free(name);
			if (!job->subtest) { /* the next failure has its own message */
				free(message);
				message = NULL;
			}
		}
		for (unsigned i = 0; i < p->count && !verdict_line && !message; i++)
			if (p->at[i].kind == KIND_MESSAGE && pattern_matches(&p->at[i].regex, line, &name)) {
				message = text_clean(checked(strdup(line)));
				free(name);
			}
	}
	if (f)
		fclose(f);
	free(line);
	int exit_status = WIFEXITED(e->status) ? WEXITSTATUS(e->status) : 0;
	int verdict = ending_judge(e, why, sizeof why), said = named != NONE ? named : process;
	bool good_said = said == PASSED || said == SKIPPED, any_failed = false;
	for (unsigned i = 0; i < job->num_results; i++)
		any_failed |= job->results[i].verdict == FAILED;
	if (verdict != NONE) {
		;
	} else if (exit_status) {
		verdict = FAILED;
		if (good_said)
			snprintf(why, sizeof why, "it says %s, but ends with status %d", verdict_names[said], exit_status);
		else
			snprintf(why, sizeof why, "exit status %d", exit_status);
	} else if (said != NONE) {
		verdict = said;
	} else if (trust_exit) {
		verdict = PASSED;
	} else {
		verdict = FAILED;
		strcpy(why, "it ends with status 0, but no line tells the verdict");
	}
	if (job->subtest || !job->num_results || (!verdict_good((enum verdict)verdict) && !(verdict == FAILED && any_failed))) {
		/* what the program says is wrong tells more than that its status was not 0 */
		bool own = verdict == FAILED && !e->too_much && message && !good_said;
		char *both = verdict == CRASHED || verdict == TIMED_OUT ? message ? text("%s; %s", why, message) : NULL : NULL;
		result_add(job, job->subtest ? job->subtest : "(program)", (enum verdict)verdict,
			   verdict_good((enum verdict)verdict) ? NULL : own ? message : both ? both : *why ? why : NULL);
		free(both);
	}
	free(message);
	job->seconds = e->seconds;
	job->done = true;
}
