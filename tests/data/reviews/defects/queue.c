#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

/* Frees a list and returns the sum of its values. */
int drain(struct node *head)
{
    int sum = 0;

    while (head != NULL) {
        free(head);
        sum += head->value;
        head = head->next;
    }
    return sum;
}
