"""Read metrics from standard input as Prometheus does; print their samples as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {
    family.name: {
        "type": family.type,
        "samples": [[each.name, each.labels, each.value] for each in family.samples],
    }
    for family in text_string_to_metric_families(sys.stdin.read())
}
print(json.dumps(families))
