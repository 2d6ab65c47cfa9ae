#!/usr/bin/env bash
set -euo pipefail
target=${1:?name a target}
rm -rf -- "${BUILD_ROOT:?is not set}/$target"
