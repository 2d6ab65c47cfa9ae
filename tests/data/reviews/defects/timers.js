"use strict";

/**
 * Calls back once for each name, one second apart.
 * @param {string[]} names
 * @param {(name: string) => void} callback
 */
function announce(names, callback) {
  for (var i = 0; i < names.length; i++) {
    setTimeout(function () {
      callback(names[i]);
    }, i * 1000);
  }
}

module.exports = { announce };
