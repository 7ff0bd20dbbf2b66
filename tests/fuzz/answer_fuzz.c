/* Answers to assert timers by a service, or by any program in its place: any bytes as an answer, as
 * a control file, and as an address of a service. */
#include <stdlib.h>
#include <string.h>

#include "guest/lib/assert_timer_control.h"
#include "guest/lib/assert_timer_http.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_control(const char *text)
{
    struct control *control = control_read(text);
    const struct control_tag *last = NULL;

    require(control != NULL);
    for (size_t i = 0; i < control->tags; i++) {
        const struct control_tag *tag = &control->tag[i];

        require(tag->detail <= ASSERT_TIMER_FULL);
        require(tag->times != 0 || tag->detail == ASSERT_TIMER_NONE);
        require(last == NULL || strcmp(last->tag, tag->tag) <= 0);
        require(strcmp(control_find(control, tag->tag)->tag, tag->tag) == 0);
        last = tag;
    }
    last = control_find(control, "a tag of nobody");
    require(last == NULL || strcmp(last->tag, "*") == 0 ||
            strcmp(last->tag, "a tag of nobody") == 0);
    control_free(control);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static struct http_answer answer;
    struct http_service service;

    if (count > HTTP_ANSWER_MAX)
        return 0;
    memcpy(answer.text, bytes, count);
    answer.text[count] = '\0';
    check_control(answer.text);
    if (http_parse_address(&service, answer.text))
        require(service.bytes != 0 && strlen(service.host) < HTTP_HOST);
    answer.bytes = count;
    http_take_answer(&answer);
    require(answer.bytes <= count);
    if (answer.status != 0) {
        require(answer.status >= 200 && answer.status < 600 && answer.text[answer.bytes] == '\0');
        check_control(answer.text);
    }
    return 0;
}
