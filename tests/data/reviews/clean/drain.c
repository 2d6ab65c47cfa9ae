#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int drain(struct node *head)
{
    int sum = 0;

    while (head != NULL) {
        struct node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    return sum;
}
