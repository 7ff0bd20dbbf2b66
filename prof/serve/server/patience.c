/* See patience.h. A patient's end is announced before its socket is closed, so under the lock a
 * socket in the list is that of its connection. */
#include "prof/serve/server/patience.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "prof/serve/store/writer.h"

#define NS_PER_S UINT64_C(1000000000)

struct patient {
    struct patience *patience;
    struct patient *next, *before;
    int socket;
    uint64_t since_ns;                  /* time since which it waits for a head; 0: it has one */
};

/* ---- the thread ------------------------------------------------------------------------------ */

static void close_late(struct patience *patience)
{
    uint64_t now = writer_now_ns();

    for (struct patient *at = patience->first; at != NULL; at = at->next)
        if (at->since_ns != 0 && now - at->since_ns > patience->ns) {
            shutdown(at->socket, SHUT_RDWR);
            at->since_ns = 0;
        }
}

static void *watch(void *arg)
{
    struct patience *patience = arg;
    struct timespec until;

    pthread_mutex_lock(&patience->lock);
    while (!patience->is_ending) {
        close_late(patience);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&patience->ends, &patience->lock, &until);
    }
    pthread_mutex_unlock(&patience->lock);
    return NULL;
}

enum err patience_start(struct patience *patience, unsigned seconds, struct diag *diag)
{
    *patience = (struct patience){.ns = seconds * NS_PER_S};
    pthread_mutex_init(&patience->lock, NULL);
    pthread_cond_init(&patience->ends, NULL);
    patience->is_started = pthread_create(&patience->thread, NULL, watch, patience) == 0;
    return patience->is_started ? ERR_OK : diag_no_memory(diag, "a thread");
}

void patience_stop(struct patience *patience)
{
    if (!patience->is_started)
        return;
    pthread_mutex_lock(&patience->lock);
    patience->is_ending = true;
    pthread_cond_signal(&patience->ends);
    pthread_mutex_unlock(&patience->lock);
    pthread_join(patience->thread, NULL);
    pthread_cond_destroy(&patience->ends);
    pthread_mutex_destroy(&patience->lock);
    patience->is_started = false;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void add(struct patience *patience, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct patient *patient = info != NULL ? calloc(1, sizeof *patient) : NULL;

    *context = patient;
    if (patient == NULL)
        return;
    *patient = (struct patient){
        .patience = patience, .socket = info->connect_fd, .since_ns = writer_now_ns(),
    };
    pthread_mutex_lock(&patience->lock);
    patient->next = patience->first;
    if (patient->next != NULL)
        patient->next->before = patient;
    patience->first = patient;
    pthread_mutex_unlock(&patience->lock);
}

static void drop(struct patience *patience, struct patient *patient)
{
    if (patient == NULL)
        return;
    pthread_mutex_lock(&patience->lock);
    if (patient->before != NULL)
        patient->before->next = patient->next;
    else
        patience->first = patient->next;
    if (patient->next != NULL)
        patient->next->before = patient->before;
    pthread_mutex_unlock(&patience->lock);
    free(patient);
}

void patience_on_connection(void *patience, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        add(patience, connection, context);
    else
        drop(patience, *context);
}

void patience_has_head(struct MHD_Connection *connection, bool has_head)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct patient *patient = info != NULL ? info->socket_context : NULL;

    if (patient == NULL)
        return;
    pthread_mutex_lock(&patient->patience->lock);
    patient->since_ns = has_head ? 0 : writer_now_ns();
    pthread_mutex_unlock(&patient->patience->lock);
}
