"use strict";

const { execFile } = require("node:child_process");

function history(branch, done) {
  execFile("git", ["log", "--oneline", "--end-of-options", branch], (error, output) => {
    done(error, error ? [] : output.trimEnd().split("\n"));
  });
}

module.exports = { history };
