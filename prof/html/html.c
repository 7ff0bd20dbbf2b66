/* See html.h. The page is page.html with page.css before it, and the data and the scripts after. */
#include "prof/html/html.h"

#include "prof/html/page_data.h"
#include "prof/profile/json.h"

enum { COMMAND_BYTES = 1024 };

/* The files unchanged, with a zero at the end. */
#define ASSET(name, file)                                                                          \
    __asm__(".pushsection .rodata\n.globl " #name "\n" #name ":\n.incbin \"prof/html/" file "\"\n" \
            ".byte 0\n.popsection\n");                                                             \
    extern const char name[]

ASSET(html_page_css, "page.css");
ASSET(html_page_html, "page.html");
ASSET(html_page_threads_js, "page_threads.js");
ASSET(html_page_maps_js, "page_maps.js");
ASSET(html_page_js, "page.js");

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'\">\n"
    "<title>rvsim</title>\n<style>\n";

/* Text of the program must not end the element, so < is written as an escape of JSON; it occurs
 * only in strings. */
static void put_json(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
    }
}

void html_add_card(cJSON *summary, const char *name, const char *value)
{
    cJSON *card = cJSON_CreateObject();

    cJSON_AddStringToObject(card, "name", name);
    cJSON_AddStringToObject(card, "value", value);
    cJSON_AddItemToArray(summary, card);
}

void html_add_count(cJSON *summary, const char *name, uint64_t value)
{
    char text[REPORT_NUMBER];

    html_add_card(summary, name, report_number(value, text));
}

void html_add_command(cJSON *data, const char *const *word, size_t words)
{
    char text[COMMAND_BYTES] = "";
    size_t length = 0;

    for (size_t i = 0; i < words && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i != 0 ? " " : "",
                                   i == 0 ? symbols_base_name(word[i]) : word[i]);
    cJSON_AddStringToObject(data, "command", text);
}

enum err html_write(const struct report *report, struct sources *sources, FILE *out,
                    struct diag *diag)
{
    cJSON *data;
    enum err err = page_data_make(&data, report, sources, diag);

    return err == ERR_OK ? html_write_data(data, out, diag) : err;
}

enum err html_write_data(cJSON *data, FILE *out, struct diag *diag)
{
    char *text = json_text(data);

    if (text == NULL)
        return diag_no_memory(diag, "the page");
    fputs(head, out);
    fputs(html_page_css, out);
    fputs("</style>\n</head>\n", out);
    fputs(html_page_html, out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    put_json(text, out);
    fputs("</script>\n<script>\n", out);
    fputs(html_page_threads_js, out);
    fputs(html_page_maps_js, out);
    fputs(html_page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
    cJSON_free(text);
    return ERR_OK;
}
