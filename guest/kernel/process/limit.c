/* Resource limits: descriptors and the size of files (which the host observes), stack, address
 * space, data, threads, processor time, queued signals (signal.c). The others are kept and have no
 * effect. Source: getrlimit(2). */
#include "process/limit.h"
#include "file/file.h"
#include "syscall/syscall.h"

enum { CPU = 0, FILE_BYTES = 1, DATA = 2, STACK = 3, THREADS = 6, FILES = 7,
       ADDRESS_SPACE = 9 };

void process_set_limits(struct process *process)
{
    unsigned i;

    for (i = 0; i < LIMITS; i++)
        process->limit[i] = (struct limit){NEVER, NEVER};
    process->limit[STACK].soft = STACK_SPACE;
    process->limit[LIMIT_CORE].soft = 0;
    process->limit[FILES] = (struct limit){FILES_LIMIT, FILES_MAX};
}

static void set_file_limit(const struct process *process)
{
    struct kernel_call call = {.op = KERNEL_OP_FILE_LIMIT, .context = process->context,
                               .argument = {process->limit[FILES].soft,
                                            process->limit[FILE_BYTES].soft}};

    host_call(&call);
}

uint64_t limit_of_stack(const struct process *process)
{
    return process->limit[STACK].soft < STACK_SPACE ? process->limit[STACK].soft : STACK_SPACE;
}

/* Private memory that can be written, but for the stack. */
static bool is_data(const struct region *region)
{
    return (region->prot & PROT_WRITE) && (region->flags & (REGION_SHARED | REGION_STACK)) == 0;
}

static bool allows(const struct process *process, uint64_t limit, uint64_t bytes, bool only_data)
{
    uint64_t used = 0;
    struct list *at;

    if (limit == NEVER)
        return true;
    for (at = process->space->regions.next; at != &process->space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);

        if (!only_data || is_data(region))
            used += region->end - region->start;
    }
    return bytes <= limit && used <= limit - bytes;
}

/* A stack counts with its whole place. */
bool limit_allows(const struct process *process, const struct region *region, uint64_t bytes)
{
    return allows(process, process->limit[ADDRESS_SPACE].soft, bytes, false) &&
           (!is_data(region) || allows(process, process->limit[DATA].soft, bytes, true));
}

/* All processes are one user's. */
bool limit_allows_thread(const struct process *process)
{
    uint64_t threads = 0;
    struct list *at;

    if (process->limit[THREADS].soft == NEVER)
        return true;
    for (at = processes.next; at != &processes; at = at->next)
        threads += container_of(at, struct process, link)->thread_count;
    return threads < process->limit[THREADS].soft;
}

bool limit_is_of_files(const struct process *process)
{
    return process->limit[FILE_BYTES].soft != NEVER;
}

/* At the soft limit, and each second from there on; at the hard one for good. */
static void set_time_limit(struct process *process)
{
    process_time_limit(process, process->limit[CPU].soft, process->limit[CPU].hard);
}

void limits_inherit(struct process *child, const struct process *parent)
{
    memcpy(child->limit, parent->limit, sizeof child->limit);
    set_time_limit(child);
}

static void follow(struct process *process, uint64_t resource)
{
    switch (resource) {
    case CPU: set_time_limit(process); break;
    case STACK: process->space->stack_limit = limit_of_stack(process); break;
    case FILES:
    case FILE_BYTES: set_file_limit(process); break;
    default: break;
    }
}

int64_t sys_prlimit64(struct thread *thread, const uint64_t arg[6])
{
    struct process *process = process_or_self(thread, arg[0]);
    struct limit old, wanted;

    if (process == NULL)
        return -ESRCH;
    if (arg[1] >= LIMITS)
        return -EINVAL;
    old = process->limit[arg[1]];
    if (arg[2] != 0) {
        if (!user_read(arg[2], &wanted, sizeof wanted))
            return -EFAULT;
        if (wanted.soft > wanted.hard)
            return -EINVAL;
        if (wanted.hard > old.hard)
            return -EPERM;
        process->limit[arg[1]] = wanted;
        follow(process, arg[1]);
    }
    return arg[3] != 0 && !user_write(arg[3], &old, sizeof old) ? -EFAULT : 0;
}
