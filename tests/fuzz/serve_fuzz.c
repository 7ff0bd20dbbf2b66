/* Bodies of requests to the service: any bytes are refused, or become texts, summaries, reports and
 * control files whose costs can be added to a database and found there. The first byte says whether
 * they are packed. */
#include <stdlib.h>
#include <string.h>

#include "prof/serve/server/body.h"
#include "prof/serve/store/control.h"
#include "prof/serve/store/hang_report.h"
#include "prof/serve/database/schema.h"
#include "prof/serve/store/store.h"
#include "prof/serve/database/wide.h"

enum { INPUT_MAX = 1 << 14, TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static struct store *store(void)
{
    static struct store one = {.reports_kept = 2};
    bool is_new;

    if (one.db == NULL) {
        require(db_open(&one.db, ":memory:", NULL) == ERR_OK);
        require(schema_upgrade(one.db, SCHEMA_VERSION, &is_new, NULL) == ERR_OK);
    }
    return &one;
}

/* The calls of all that was added are those of the summary. */
static void add_costs(const struct summary *summary)
{
    enum store_result result, again;
    int64_t found = 0;
    uint64_t count = 0;

    require(store_begin(store()) == ERR_OK);
    require(store_add_costs(store(), summary, "digest", &result) == ERR_OK);
    require(store_add_costs(store(), summary, "digest", &again) == ERR_OK);
    require(store_write(store(), 1) == ERR_OK);
    require(result == STORE_ADDED && again == STORE_KNOWN);
    for (size_t i = 0; i < summary->buckets; i++)
        count += summary->bucket[i].sum.count;
    require(db_number_of(store()->db, &found, "SELECT COALESCE(SUM(count_hi * 4294967296 + "
                         "count_lo), 0) FROM cost", "") == ERR_OK);
    require((uint64_t)found == count);
    store_rollback(store());
}

static void add_hangs(const struct hang_reports *reports)
{
    enum store_result result;
    int64_t found = 0;

    require(store_begin(store()) == ERR_OK);
    require(store_add_hangs(store(), reports, "digest", &result) == ERR_OK);
    require(store_write(store(), 1) == ERR_OK);
    require(db_number_of(store()->db, &found, "SELECT COALESCE(SUM(reports), 0) FROM hang_group",
                         "") == ERR_OK);
    require((size_t)found == reports->hangs);
    store_rollback(store());
}

static void read_all(const char *text)
{
    struct summary summary;
    struct hang_reports reports;
    struct control control;
    struct diag diag = {""};

    if (summary_read(&summary, text, &diag) == ERR_OK)
        add_costs(&summary);
    summary_free(&summary);
    if (hang_reports_read(&reports, text, &diag) == ERR_OK)
        add_hangs(&reports);
    hang_reports_free(&reports);
    if (control_read(&control, text, &diag) == ERR_OK) {
        require(store_begin(store()) == ERR_OK);
        require(control_write(&control, store()->db, "p") == ERR_OK);
        store_rollback(store());
    }
    control_free(&control);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char name[64], *text;

    if (count == 0 || count > INPUT_MAX)
        return 0;
    if (body_text((const char *)bytes + 1, count - 1, bytes[0] == 'z', TEXT_MAX, &text) != BODY_OK)
        return 0;
    require(strlen(text) <= TEXT_MAX);
    summary_namespace(text, name, sizeof name);
    read_all(text);
    free(text);
    return 0;
}
