#!/usr/bin/env bash
# Removes the build of one target: clean_up.sh TARGET
target=$1

if [ -n "$target" ]; then
  echo "cleaning $target"
fi
rm -rf $BUILD_ROOT/$target
