/* Classes of operations, assigned to issue queues and ports, and the largest numbers of queues and
 * ports. */
#ifndef SIM_BASE_UNIT_CLASS_H
#define SIM_BASE_UNIT_CLASS_H

enum unit_class {
#define UNIT_CLASS(id, name, what) CLASS_##id,
#include "sim/base/unit_class.def"
    CLASS_COUNT
};

enum { ISSUE_QUEUES_MAX = 16, ISSUE_PORTS_MAX = 32, ISSUE_QUEUE_SIZE_MAX = 512 };

#endif
