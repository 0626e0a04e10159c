// A file that is dropped anywhere on a form that takes one is chosen in its field.
"use strict";

const fieldOf = (event) =>
  event.dataTransfer.types.includes("Files") &&
  event.target.closest?.("form")?.querySelector("input[type=file]");

addEventListener("dragover", (event) => {
  if (fieldOf(event)) event.preventDefault();
});

addEventListener("drop", (event) => {
  const field = fieldOf(event);
  if (!field || event.target === field) return;
  event.preventDefault();
  field.files = event.dataTransfer.files;
});
