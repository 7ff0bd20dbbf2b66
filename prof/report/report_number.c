/* Numbers as reports print them, and lines made of them; see report.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "prof/profile/profile_modes.h"
#include "prof/report/report.h"

const char *report_number(uint64_t number, char text[REPORT_NUMBER])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;

    for (int i = 0; i < count; i++) {
        if (i != 0 && (count - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *report_tenths(uint64_t value, uint64_t unit, char text[REPORT_NUMBER])
{
    uint64_t tenths = (value % unit * 20 + unit) / (2 * unit), whole = value / unit + tenths / 10;
    size_t length = strlen(report_number(whole, text));

    snprintf(text + length, REPORT_NUMBER - length, ".%u", (unsigned)(tenths % 10));
    return text;
}

const char *report_image(const struct profile_image *image, size_t images, size_t at,
                         char text[REPORT_IMAGE])
{
    uint64_t all = 0;
    char number[REPORT_NUMBER];

    for (size_t i = 0; i < images; i++)
        all += image[i].instructions;
    snprintf(text, REPORT_IMAGE, "%s executed %s instruction%s, %.2f %%",
             symbols_base_name(image[at].path), report_number(image[at].instructions, number),
             report_s(image[at].instructions), report_percent(image[at].instructions, all));
    return text;
}

void report_covered(const struct profile *profile, const char *before, FILE *out)
{
    for (size_t i = 0; i < profile->covereds; i++)
        fprintf(out, "%s%s ran at addresses of another file: what it did stands under that file's "
                "names\n", before, symbols_base_name(profile->covered[i]));
}

const char *report_modes(const struct profile_modes *modes, char text[REPORT_MODES])
{
    static const char *const name[] = {"user", "kernel", "idle"};
    const struct profile_mode *mode[] = {&modes->all.user, &modes->all.kernel, &modes->all.idle};
    uint64_t all = mode[0]->cycles + mode[1]->cycles + mode[2]->cycles;
    char number[REPORT_NUMBER], kernel[REPORT_NUMBER];
    size_t at = 0;

    for (unsigned i = 0; i < 3; i++)
        at += (size_t)snprintf(&text[at], REPORT_MODES - at, "%s%s %s cycles (%.2f %%)",
                               i == 0 ? "" : ", ", name[i],
                               report_number(mode[i]->cycles, number),
                               report_percent(mode[i]->cycles, all));
    snprintf(&text[at], REPORT_MODES - at, " of %zu hart%s; %s instructions in user mode, %s in "
             "the kernel", modes->harts, report_s(modes->harts),
             report_number(mode[0]->instructions, number),
             report_number(mode[1]->instructions, kernel));
    return text;
}

double report_percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

double report_change_percent(double value, double truth)
{
    if (truth == 0)
        return value == 0 ? 0 : NAN;
    return 100 * (value - truth) / truth;
}

const char *report_change(double value, double truth, char text[REPORT_CHANGE])
{
    double percent = report_change_percent(value, truth);

    if (isnan(percent))
        return strcpy(text, "-");
    snprintf(text, REPORT_CHANGE, "%+.2f%%", percent);
    return text;
}

const char *report_cycles_each(double cycles, uint64_t instructions, int digits,
                               char text[REPORT_CPI])
{
    if (instructions == 0)
        return strcpy(text, "-");
    snprintf(text, REPORT_CPI, "%.*f", digits, cycles / (double)instructions);
    return text;
}
