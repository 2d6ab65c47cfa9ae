"use strict";

const { exec } = require("node:child_process");

/**
 * Lists the commits of a branch that a visitor has chosen.
 * @param {string} branch
 * @param {(error: Error | null, lines: string[]) => void} done
 */
function history(branch, done) {
  exec(`git log --oneline ${branch}`, (error, output) => {
    if (error) {
      done(error, []);
      return;
    }
    done(null, output.split("\n").filter((line) => line !== ""));
  });
}

module.exports = { history };
