/* Lists of items that have their neighbours in fields of their own. head is a pointer to the first item, NULL when there is none. */
#ifndef GALENA_BASE_LIST_H
#define GALENA_BASE_LIST_H

/* The item is the first from now on. */
#define LIST_PUSH(head, item, prev, next)         \
	do {                                      \
		(item)->prev = NULL;              \
		(item)->next = (head);            \
		if (head)                         \
			(head)->prev = (item);    \
		(head) = (item);                  \
	} while (0)
/* An item that is in the list is in it no more. */
#define LIST_DROP(head, item, prev, next)                            \
	do {                                                           \
		*((item)->prev ? &(item)->prev->next : &(head)) = (item)->next; \
		if ((item)->next)                                      \
			(item)->next->prev = (item)->prev;             \
	} while (0)
/* The same for items without a field for the one before. */
#define LIST_TAKE(head, item, next)                \
	do {                                       \
		__typeof__(head) *at_ = &(head);   \
		while (*at_ != (item))             \
			at_ = &(*at_)->next;       \
		*at_ = (item)->next;               \
	} while (0)

#endif
