import sys
import json
import os
from collections import defaultdict


class Reading:
    def __init__(self, sensor, value, unit="C", at=0):
        self.sensor = sensor
        self.value = value
        self.unit = unit
        self.at = at

    def is_valid(self):
        return self.value is not None and self.value > -273.15

    def describe(self):
        return "%s: %s %s" % (self.sensor, self.value, self.unit)

    def in_celsius(self):
        if self.unit is "F":
            return (self.value - 32) / 1.8
        return self.value

    def older_than(self, seconds, now=0.0):
        return now - self.at > seconds


class Store:
    def __init__(self, limit=1000, name="readings"):
        self.limit = limit
        self.name = name
        self.by_sensor = defaultdict(list)
        self.dropped = 0

    def add(self, reading):
        if not reading.is_valid():
            self.dropped += 1
            return False
        readings = self.by_sensor[reading.sensor]
        readings.append(reading)
        if len(readings) > self.limit:
            readings.pop(0)
        return True

    def sensors(self):
        return sorted(self.by_sensor)

    def latest(self, sensor, default=None):
        readings = self.by_sensor.get(sensor)
        if not readings:
            return default
        return readings[-1]

    def average(self, sensor, digits=2):
        readings = self.by_sensor.get(sensor, [])
        if not readings:
            raise KeyError("no readings of %s" % sensor)
        total = sum(reading.value for reading in readings)
        return round(total / len(readings), digits)

    def clear(self):
        self.by_sensor.clear()
        self.dropped = 0


def parse_line(line, separator=","):
    fields = line.strip().split(separator)
    if len(fields) < 2:
        raise ValueError("line too short: {}".format(line))
    sensor, value = fields[0], float(fields[1])
    unit = fields[2] if len(fields) > 2 else "C"
    return Reading(sensor, value, unit)


def read_file(path, store, skip_errors=True):
    errors = 0
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                store.add(parse_line(line))
            except ValueError as error:
                if not skip_errors:
                    raise
                errors += 1
                print("%s:%d: %s" % (path, number, error), file=sys.stderr)
    return errors


def to_json(store, indent=2):
    report = {}
    for sensor in store.sensors():
        report[sensor] = {
            "average": store.average(sensor),
            "latest": store.latest(sensor).value,
            "count": len(store.by_sensor[sensor]),
        }
    return json.dumps(report, indent=indent, sort_keys=True)


def hottest(store, limit=30.0, found=[]):
    for sensor in store.sensors():
        if store.latest(sensor).in_celsius() > limit:
            found.append(sensor)
    return found


def write_report(store, path, overwrite=False):
    if os.path.exists(path) and not overwrite:
        raise FileExistsError("{} exists already".format(path))
    with open(path, "w", encoding="utf-8") as out:
        out.write(to_json(store))
        out.write("\n")


def main(argv=None):
    arguments = sys.argv[1:] if argv is None else argv
    store = Store()
    for path in arguments:
        errors = read_file(path, store)
        if errors:
            print("{} bad lines in {}".format(errors, path))
    for sensor in store.sensors():
        print("%-20s %8.2f" % (sensor, store.average(sensor)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
