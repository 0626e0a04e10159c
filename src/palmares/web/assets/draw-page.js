// Repeats a draw on its page with draw.js and says whether the places are the same.
"use strict";

(() => {
  const line = document.getElementById("repeated");
  const { announcement, recordedAt, randomness, seed, places, same, other } = line.dataset;
  const drawn = globalThis.palmaresDraw.run(announcement, recordedAt, JSON.parse(randomness), true);
  const identical = drawn.seed === seed && JSON.stringify(drawn.places) === JSON.stringify(JSON.parse(places));
  line.textContent = identical ? same : other;
  line.dataset.repeated = identical ? "same" : "other";
})();
