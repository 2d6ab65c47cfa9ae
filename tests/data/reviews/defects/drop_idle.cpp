#include <vector>

struct Client {
    int idle_seconds;
};

// Removes the clients that have been idle for too long.
void drop_idle(std::vector<Client> &clients, int limit)
{
    for (auto it = clients.begin(); it != clients.end(); ++it) {
        if (it->idle_seconds > limit)
            clients.erase(it);
    }
}
