#include <string>
#include <string_view>

std::string full_name(const std::string &first, const std::string &last)
{
    return first + " " + last;
}

// Returns the initials of a person.
std::string initials(const std::string &first, const std::string &last)
{
    std::string_view name = full_name(first, last);
    auto blank = name.find(' ');
    return std::string{name[0], name[blank + 1]};
}
