#include <vector>

struct Client {
    int idle_seconds;
};

void drop_idle(std::vector<Client> &clients, int limit)
{
    std::erase_if(clients, [limit](const Client &client) {
        return client.idle_seconds > limit;
    });
}
