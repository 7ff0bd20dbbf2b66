/* See prefetch_staged.h. */
#include "sim/mem/cache/prefetch_staged.h"

#include <stddef.h>

#include "sim/base/cycle.h"
#include "sim/mem/cache/prefetch.h"

/* ct_cp0_regs.v: timeout_cnt; ct_lsu_ctrl.v: l1_dist_sel, l2_dist_sel as the C910's start-up code
 * sets them. Distances in steps; those of the global stream are twice as long. */
enum {
    FILTER_HITS = 2, SILENCE_MAX = 64, IDLE_MAX = 16,
    CONFIDENCE = 6, CONFIDENCE_MAX = 7, GLOBAL_CONFIDENCE = 2, GLOBAL_CONFIDENCE_MAX = 3,
    L1_DISTANCE = 8, L2_DISTANCE = 16, L1_TOO_FAR = 32, L2_TOO_FAR = 128,
    STRIDE_BITS = 11, STRIDE_MAX = 4096, LINE = 64,
};
/* Cycles from an access to the first request of a stream that starts, or goes on; between requests,
 * within a page or into another; from a request to the caches. */
enum { START_CYCLES = 4, RESUME_CYCLES = 3, STEP_CYCLES = 2, PAGE_CYCLES = 7, ASK_CYCLES = 1 };

/* ---- strides --------------------------------------------------------------------------------- */

static void put_sample(struct staged_sampler *sampler, unsigned at, uint64_t pa, uint64_t seq)
{
    sampler->pa[at] = pa;
    sampler->seq[at] = seq;
}

/* The first sample stays. Of the others, an access that is older in program order but arrives later
 * replaces the younger one. */
static void take_sample(struct staged_sampler *sampler, const struct staged_load *load)
{
    unsigned count = sampler->count;
    if (count == 0 || load->seq > sampler->seq[count - 1]) {
        if (count == STAGED_SAMPLES)
            return;
        put_sample(sampler, count, load->pa, load->seq);
        sampler->count++;
        return;
    }
    if (load->seq < sampler->seq[0])
        return;
    if (load->seq > sampler->seq[1]) {
        put_sample(sampler, 2, load->pa, load->seq);
        return;
    }
    put_sample(sampler, 2, sampler->pa[1], sampler->seq[1]);
    put_sample(sampler, 1, load->pa, load->seq);
    sampler->count = STAGED_SAMPLES;
}

static bool is_complete(const struct staged_sampler *sampler, uint64_t committed)
{
    return sampler->count == STAGED_SAMPLES && sampler->seq[2] < committed;
}

struct finding { int64_t stride; bool is_regular, is_as_before; };

/* Takes the finding and empties the sampler. A stride is kept with eleven bits and its sign. */
static struct finding read_samples(struct staged_sampler *sampler, bool keeps)
{
    int64_t stride = (int64_t)(sampler->pa[1] - sampler->pa[0]);
    int64_t second = (int64_t)(sampler->pa[2] - sampler->pa[1]);
    uint32_t low = (uint32_t)stride & ((1u << STRIDE_BITS) - 1);
    uint32_t kept = (stride < 0 ? 1u << STRIDE_BITS : 0) | low;
    bool is_regular = stride != 0 && stride == second && stride > -STRIDE_MAX &&
                      stride < STRIDE_MAX;
    struct finding finding = {
        .stride = stride < 0 ? (int64_t)low - (1 << STRIDE_BITS) : (int64_t)low,
        .is_regular = is_regular,
        .is_as_before = is_regular &&
                        ((uint32_t)stride & ((2u << STRIDE_BITS) - 1)) == sampler->kept,
    };
    if (!keeps)
        sampler->kept = kept;
    sampler->count = 0;
    return finding;
}

/* ---- streams --------------------------------------------------------------------------------- */

static int64_t ahead(const struct staged_stream *stream, uint64_t a, uint64_t b)
{
    return stream->step < 0 ? (int64_t)(b - a) : (int64_t)(a - b);
}

static int64_t steps(const struct staged_stream *stream, int64_t count)
{
    return count * (stream->step < 0 ? -stream->step : stream->step);
}

static unsigned scale(const struct prefetch_staged *staged, const struct staged_stream *stream)
{
    return stream == &staged->stream[STAGED_GLOBAL] ? 2 : 1;
}

static void begin_stream(const struct prefetch_staged *staged, struct staged_stream *stream,
                         uint64_t pc, int64_t stride)
{
    int64_t step = stride >= LINE || stride < -LINE ? stride : stride < 0 ? -LINE : LINE;
    *stream = (struct staged_stream){
        .pc = pc, .stride = stride, .step = step, .confidence = CONFIDENCE, .is_valid = true,
        .heard = staged->accesses,
    };
}

static void look_around(const struct prefetch_staged *staged, struct staged_stream *stream,
                        bool is_l1)
{
    int64_t times = scale(staged, stream);
    if (is_l1)
        stream->l1.is_near = ahead(stream, stream->l1.pa, stream->next_pa) <
                             steps(stream, L1_DISTANCE * times);
    else
        stream->l2.is_near = ahead(stream, stream->l2.pa, stream->l1.pa) <
                             steps(stream, L2_DISTANCE * times);
}

static void want_more(struct prefetch_staged *staged, struct staged_stream *stream, uint64_t from)
{
    staged->quiet_until = 0;
    bool waits = stream->l1.is_wanted || stream->l2.is_wanted;
    bool wants_l2 = stream->l2.is_near && !stream->l2.is_wanted;
    stream->l1.is_wanted |= stream->l1.is_near;
    stream->l2.is_wanted |= stream->l2.is_near;
    if (!waits)
        stream->at = later(stream->at, from);
    else if (wants_l2)                  /* the one for L1 may wait for a buffer */
        stream->at = earlier(stream->at, from);
}

static void stop(struct staged_stream *stream)
{
    stream->runs = stream->l1.is_wanted = stream->l2.is_wanted = false;
}

/* The program is where the stream expects it, or has overtaken the stream. */
static void follow(struct prefetch_staged *staged, struct staged_stream *stream,
                   const struct staged_load *load)
{
    if (ahead(stream, stream->l1.pa, stream->next_pa) < 0 ||
        ahead(stream, stream->l2.pa, stream->l1.pa) < 0) {
        stop(stream);
        return;
    }
    look_around(staged, stream, true);
    look_around(staged, stream, false);
    want_more(staged, stream, load->now + RESUME_CYCLES);
    if (stream == &staged->stream[STAGED_GLOBAL] &&
        (ahead(stream, stream->l1.pa, stream->next_pa) >= steps(stream, L1_TOO_FAR) ||
         ahead(stream, stream->l2.pa, stream->l1.pa) >= steps(stream, L2_TOO_FAR)))
        stream->is_valid = false;
}

static void note_access(struct prefetch_staged *staged, struct staged_stream *stream,
                        const struct staged_load *load)
{
    bool is_expected = load->pa == stream->next_pa;
    stream->heard = staged->accesses;
    stream->idle += stream->idle < IDLE_MAX;
    stream->next_pa = load->pa + (uint64_t)stream->stride;
    if (!stream->runs)
        return;
    if (stream == &staged->stream[STAGED_GLOBAL]) {
        follow(staged, stream, load);
        return;
    }
    if (is_expected) {
        stream->confidence += stream->confidence < CONFIDENCE_MAX;
        follow(staged, stream, load);
        return;
    }
    stop(stream);
    stream->is_valid = --stream->confidence != 0;
}

static void start(struct prefetch_staged *staged, struct staged_stream *stream,
                  const struct staged_load *load)
{
    if (stream->runs || !prefetch_same_page(load->pa, load->pa + (uint64_t)stream->stride))
        return;
    uint64_t first = stream->next_pa + (uint64_t)stream->step;
    staged->quiet_until = 0;
    stream->runs = true;
    stream->l1 = stream->l2 = (struct staged_lane){.pa = first, .is_near = true, .is_wanted = true};
    stream->at = load->now + START_CYCLES;
}

/* ---- from stage to stage --------------------------------------------------------------------- */

static void clear_stages(struct prefetch_staged *staged)
{
    for (unsigned i = 0; i < STAGED_FILTERS; i++)
        staged->filter[i].is_valid = false;
    for (unsigned i = 0; i < STAGED_DETECTORS; i++)
        staged->detector[i].is_valid = false;
    for (unsigned i = 0; i < STAGED_STREAMS; i++)
        staged->stream[i].is_valid = false;
}

/* Number of accesses of other instructions since the last one of the stream's (or filter's) own. */
static uint64_t silence(const struct prefetch_staged *staged, uint64_t heard)
{
    return staged->accesses - heard;
}

static bool is_replaceable(const struct prefetch_staged *staged, const struct staged_stream *stream)
{
    return !stream->is_valid || silence(staged, stream->heard) >= SILENCE_MAX ||
           stream->idle == IDLE_MAX;
}

static struct staged_stream *free_stream(struct prefetch_staged *staged)
{
    for (unsigned i = 0; i < STAGED_STREAMS; i++)
        if (!staged->stream[i].is_valid)
            return &staged->stream[i];
    for (unsigned i = 0; i < STAGED_STREAMS; i++)
        if (is_replaceable(staged, &staged->stream[i]))
            return &staged->stream[i];
    return NULL;
}

static struct staged_detector *free_detector(struct prefetch_staged *staged)
{
    for (unsigned i = 0; i < STAGED_DETECTORS; i++)
        if (!staged->detector[i].is_valid)
            return &staged->detector[i];
    for (unsigned i = 0; i < STAGED_DETECTORS; i++)
        if (silence(staged, staged->detector[i].heard) > SILENCE_MAX)
            return &staged->detector[i];
    return NULL;
}

static struct staged_filter *free_filter(struct prefetch_staged *staged)
{
    for (unsigned i = 0; i < STAGED_FILTERS; i++)
        if (!staged->filter[i].is_valid)
            return &staged->filter[i];
    for (unsigned i = 0; i < STAGED_FILTERS; i++)
        if (silence(staged, staged->filter[i].heard) > SILENCE_MAX &&
            staged->filter[i].hits < FILTER_HITS)
            return &staged->filter[i];
    return NULL;
}

static void promote_filters(struct prefetch_staged *staged)
{
    for (unsigned i = 0; i < STAGED_FILTERS; i++) {
        struct staged_filter *filter = &staged->filter[i];
        if (!filter->is_valid || filter->hits < FILTER_HITS)
            continue;
        struct staged_detector *detector = free_detector(staged);
        if (detector == NULL)
            return;
        *detector = (struct staged_detector){.pc = filter->pc, .is_valid = true,
                                             .heard = staged->accesses};
        filter->is_valid = false;
    }
    staged->may_promote = false;
}

static void settle_detectors(struct prefetch_staged *staged, uint64_t committed)
{
    for (unsigned i = 0; i < STAGED_DETECTORS; i++) {
        struct staged_detector *detector = &staged->detector[i];
        if (!detector->is_valid || !is_complete(&detector->sampler, committed))
            continue;
        struct finding finding = read_samples(&detector->sampler, false);
        struct staged_stream *stream = finding.is_regular ? free_stream(staged) : NULL;
        if (stream != NULL)
            begin_stream(staged, stream, detector->pc, finding.stride);
        detector->is_valid = false;
    }
}

static void settle_monitor(struct prefetch_staged *staged, bool is_as_before)
{
    struct staged_stream *stream = &staged->stream[STAGED_GLOBAL];
    if (!stream->is_valid || (!is_as_before && staged->global_confidence == 0)) {
        stream->is_valid = false;
        staged->search = SEARCH_STRIDE;
    } else if (!is_as_before) {
        staged->global_confidence--;
    } else {
        staged->global_confidence += staged->global_confidence < GLOBAL_CONFIDENCE_MAX;
    }
}

static void settle_global(struct prefetch_staged *staged, uint64_t committed)
{
    struct staged_stream *stream = &staged->stream[STAGED_GLOBAL];
    bool keeps = staged->search == SEARCH_MONITOR && stream->is_valid &&
                 staged->global_confidence != 0;
    if (!is_complete(&staged->global, committed))
        return;
    struct finding finding = read_samples(&staged->global, keeps);
    if (staged->search == SEARCH_STRIDE) {
        staged->search = finding.is_regular ? SEARCH_CHECK : SEARCH_STRIDE;
    } else if (staged->search == SEARCH_MONITOR) {
        settle_monitor(staged, finding.is_as_before);
    } else if (finding.is_as_before) {
        begin_stream(staged, stream, 0, finding.stride);
        staged->search = SEARCH_MONITOR;
        staged->global_confidence = GLOBAL_CONFIDENCE;
        clear_stages(staged);
    } else {
        staged->search = SEARCH_STRIDE;
    }
}

/* ---- an access ------------------------------------------------------------------------------- */

static bool was_seen(struct prefetch_staged *staged, uint64_t id)
{
    uint64_t *place = &staged->seen[id % STAGED_SEEN];
    bool was = id != 0 && *place == id;
    *place = id;
    return was;
}

static void sample_global(struct prefetch_staged *staged, const struct staged_load *load)
{
    bool is_newer = staged->newest <= load->seq;
    bool can_begin = is_newer && (staged->search != SEARCH_STRIDE || load->begins_miss);
    if (staged->global.count != 0 || can_begin)
        take_sample(&staged->global, load);
    if (is_newer)
        staged->newest = load->seq;
}

static void note_filters(struct prefetch_staged *staged, uint64_t pc)
{
    for (unsigned i = 0; i < STAGED_FILTERS; i++) {
        struct staged_filter *filter = &staged->filter[i];
        if (filter->pc != pc)
            continue;
        filter->hits += filter->hits < FILTER_HITS;
        filter->heard = staged->accesses;
        staged->may_promote |= filter->hits == FILTER_HITS;
    }
}

static void note_detectors(struct prefetch_staged *staged, const struct staged_load *load)
{
    for (unsigned i = 0; i < STAGED_DETECTORS; i++) {
        struct staged_detector *detector = &staged->detector[i];
        if (detector->pc != load->pc || !detector->is_valid)
            continue;
        take_sample(&detector->sampler, load);
        detector->heard = staged->accesses;
    }
}

static bool is_stream_of(const struct prefetch_staged *staged, unsigned i, uint64_t pc)
{
    return (i == STAGED_GLOBAL || staged->stream[i].pc == pc) && staged->stream[i].is_valid;
}

static void note_first(struct prefetch_staged *staged, const struct staged_load *load)
{
    staged->accesses++;
    sample_global(staged, load);
    note_filters(staged, load->pc);
    note_detectors(staged, load);
    for (unsigned i = 0; i < STAGED_GLOBAL; i++)
        if (is_stream_of(staged, i, load->pc))
            note_access(staged, &staged->stream[i], load);
    if (staged->stream[STAGED_GLOBAL].is_valid)
        note_access(staged, &staged->stream[STAGED_GLOBAL], load);
}

static bool is_known(const struct prefetch_staged *staged, uint64_t pc)
{
    for (unsigned i = 0; i < STAGED_FILTERS; i++)
        if (staged->filter[i].is_valid && staged->filter[i].pc == pc)
            return true;
    for (unsigned i = 0; i < STAGED_DETECTORS; i++)
        if (staged->detector[i].is_valid && staged->detector[i].pc == pc)
            return true;
    for (unsigned i = 0; i <= STAGED_GLOBAL; i++)
        if (is_stream_of(staged, i, pc))
            return true;
    return false;
}

static void note_miss(struct prefetch_staged *staged, const struct staged_load *load)
{
    for (unsigned i = 0; i <= STAGED_GLOBAL; i++)
        if (is_stream_of(staged, i, load->pc))
            start(staged, &staged->stream[i], load);
    struct staged_filter *filter = is_known(staged, load->pc) ? NULL : free_filter(staged);
    if (filter != NULL)
        *filter = (struct staged_filter){.pc = load->pc, .is_valid = true,
                                         .heard = staged->accesses};
}

void staged_train(struct prefetch_staged *staged, const struct staged_load *load)
{
    settle_global(staged, load->committed);
    settle_detectors(staged, load->committed);
    if (!was_seen(staged, load->id))
        note_first(staged, load);
    if (load->begins_miss)
        note_miss(staged, load);
    if (staged->may_promote)
        promote_filters(staged);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The next stream to request, round robin among the streams that can. */
static struct staged_stream *choose(struct prefetch_staged *staged, uint64_t *at)
{
    struct staged_stream *chosen = NULL;
    *at = UINT64_MAX;
    for (unsigned n = 1; n <= STAGED_GLOBAL + 1; n++) {
        struct staged_stream *stream = &staged->stream[(staged->last + n) % (STAGED_GLOBAL + 1)];
        uint64_t from = later(stream->at, staged->free_at);
        if (!stream->is_valid || !(stream->l1.is_wanted || stream->l2.is_wanted) || from >= *at)
            continue;
        *at = from;
        chosen = stream;
    }
    return chosen;
}

/* The cycle in which two line-fill buffers are free: one stays reserved for the program. */
static uint64_t room_from(const uint64_t *pending, unsigned count)
{
    uint64_t first = UINT64_MAX, second = UINT64_MAX;
    for (unsigned i = 0; i < count; i++)
        if (pending[i] < first) {
            second = first;
            first = pending[i];
        } else if (pending[i] < second) {
            second = pending[i];
        }
    return second == UINT64_MAX ? second : second + 1;
}

/* The hardware knows a cycle late if the lane is near, so the value before this step counts. */
static void step_lanes(struct prefetch_staged *staged, struct staged_stream *stream,
                       bool is_for_l1, uint64_t at)
{
    bool are_one = stream->l1.pa == stream->l2.pa;
    uint64_t page = is_for_l1 ? stream->l1.pa : stream->l2.pa;
    bool leaves = !prefetch_same_page(page, page + (uint64_t)stream->step);
    stream->l1.is_wanted = stream->l2.is_wanted = false;
    stream->idle = 0;
    stream->at = 0;
    want_more(staged, stream, at + (leaves ? PAGE_CYCLES : STEP_CYCLES));
    if (is_for_l1)
        stream->l1.pa += (uint64_t)stream->step;
    if (!is_for_l1 || are_one)
        stream->l2.pa += (uint64_t)stream->step;
    look_around(staged, stream, true);
    look_around(staged, stream, false);
}

bool staged_next(struct prefetch_staged *staged, const uint64_t *pending, unsigned count,
                 uint64_t until, struct staged_request *request)
{
    uint64_t at, room;
    if (until < staged->quiet_until)
        return false;
    for (struct staged_stream *stream; (stream = choose(staged, &at)) != NULL;) {
        staged->quiet_until = at + ASK_CYCLES;
        if (at + ASK_CYCLES > until)
            return false;
        room = room_from(pending, count);
        bool is_for_l1 = stream->l1.is_wanted && room <= at;
        if (!is_for_l1 && !stream->l2.is_wanted) {
            stream->l1.is_wanted = room != UINT64_MAX;
            stream->at = room;
            continue;
        }
        *request = (struct staged_request){
            .pa = is_for_l1 ? stream->l1.pa : stream->l2.pa, .at = at + ASK_CYCLES,
            .stream = (unsigned)(stream - staged->stream), .is_for_l1 = is_for_l1,
        };
        step_lanes(staged, stream, is_for_l1, at);
        return true;
    }
    staged->quiet_until = UINT64_MAX;
    return false;
}

void staged_done(struct prefetch_staged *staged, const struct staged_request *request,
                 uint64_t taken, bool was_here)
{
    struct staged_stream *stream = &staged->stream[request->stream];
    staged->free_at = taken;
    staged->last = request->stream;
    if (!request->is_for_l1)
        return;
    if (was_here && stream->was_here)
        stream->is_valid = false;
    stream->was_here = was_here;
}
