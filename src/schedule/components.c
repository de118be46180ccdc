/* Strongly connected components of a nest's data flow and dependences: where recurrences are.
 *
 * R. E. Tarjan, "Depth-first search and linear graph algorithms", 1972; with a stack of its own in
 * place of recursion, as bodies can be long. */
#include "schedule/modulo.h"

typedef struct Search {
    const Problem *problem;
    int *order, *low;         /* number of first visit, from 1; the least one that is reached */
    int *stack, depth;        /* visited, of no component yet */
    int *path, *next, length; /* the path of the search, and the next edge of each on it */
    int visited, components;
} Search;

static void enter(Search *search, int operation) {
    search->order[operation] = search->low[operation] = ++search->visited;
    search->stack[search->depth++] = operation;
    search->path[search->length++] = operation;
}

static void leave(Search *search, int operation) {
    if (search->low[operation] == search->order[operation]) {
        int member;
        do {
            member = search->stack[--search->depth];
            search->problem->component[member] = search->components;
        } while (member != operation);
        search->components++;
    }
    search->length--;
    if (search->length > 0) {
        int before = search->path[search->length - 1];
        if (search->low[operation] < search->low[before])
            search->low[before] = search->low[operation];
    }
}

static void search_from(Search *search, int start) {
    const Problem *problem = search->problem;
    enter(search, start);
    while (search->length > 0) {
        int operation = search->path[search->length - 1];
        const IntList *outgoing = &problem->outgoing[operation];
        if (search->next[operation] == outgoing->count) {
            leave(search, operation);
            continue;
        }
        int to = problem->edges.items[outgoing->items[search->next[operation]++]].to;
        if (search->order[to] == 0)
            enter(search, to);
        else if (problem->component[to] < 0 && search->order[to] < search->low[operation])
            search->low[operation] = search->order[to];
    }
}

void problem_components(Problem *problem) {
    size_t count = (size_t)problem->count + 1;
    problem->component = arena_array(problem->arena, count, sizeof(int));
    int *lists[5];
    for (int k = 0; k < 5; k++) lists[k] = arena_array(problem->arena, count, sizeof(int));
    Search search = {.problem = problem,
                     .order = lists[0],
                     .low = lists[1],
                     .stack = lists[2],
                     .path = lists[3],
                     .next = lists[4]};
    for (int i = 0; i < problem->count; i++) problem->component[i] = -1;
    for (int i = 0; i < problem->count; i++)
        if (search.order[i] == 0) search_from(&search, i);

    int *sizes = arena_array(problem->arena, count, sizeof(int));
    problem->recurrent = arena_array(problem->arena, count, sizeof(bool));
    for (int i = 0; i < problem->count; i++) sizes[problem->component[i]]++;
    for (int i = 0; i < problem->count; i++)
        problem->recurrent[i] = sizes[problem->component[i]] > 1;
}
