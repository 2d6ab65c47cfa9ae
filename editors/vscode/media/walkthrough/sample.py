"""A file to try Redline on. Change it as you like."""


def average(values):
    total = 0
    for value in values:
        total = total + value
    return total / len(values)


def describe(name, values):
    return name + ": " + str(average(values)) + " on average"
