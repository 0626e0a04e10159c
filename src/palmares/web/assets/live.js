"use strict";
// Replaces the live part of a page when the stream of its event says that there is more.
(() => {
  const live = document.getElementById("live");
  if (!live || !window.EventSource) return;
  const stream = new EventSource(live.dataset.stream);
  let shown = live.dataset.sequence;
  let waiting = 0;
  stream.onerror = () => { // refused, such as where too many watch: look again now and then
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 30000);
  };
  stream.onmessage = (message) => {
    if (message.data === shown || waiting) return;
    // not every phone of the hall in the same instant
    waiting = setTimeout(async () => {
      waiting = 0;
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (!fresh) return;
      shown = fresh.dataset.sequence;
      live.replaceChildren(...fresh.childNodes);
    }, Math.random() * 1000);
  };
})();
