// Makes charts of pictures: a figure with data-chart has the address of a Vega-Lite description.
// Nothing is evaluated: Vega's own interpreter takes expressions, as the content security policy
// asks for. Vega is loaded when the first chart comes near; without it the pictures stay.
(() => {
  "use strict";
  const here = document.currentScript.src.replace(/charts\.js.*$/, "vendor/");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let ready;

  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = here + name;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  const vega = () =>
    (ready ??= load("vega.min.js")
      .then(() => load("vega-lite.min.js"))
      .then(() => load("vega-embed.min.js")));

  const draw = async (figure) => {
    const address = new URL(figure.dataset.chart, location.href);
    address.searchParams.set("theme", dark.matches ? "dark" : "light");
    if (address.origin !== location.origin) return;
    const [answer] = await Promise.all([fetch(address), vega()]);
    if (!answer.ok) return;
    const description = await answer.json();
    const wide = figure.clientWidth - 80;
    for (const part of description.vconcat ?? []) part.width = Math.max(200, Math.min(part.width, wide));
    const place = document.createElement("div");
    place.className = "drawn";
    const picture = figure.querySelector("picture, img, .drawn");
    const told = figure.querySelector("img")?.alt ?? figure.dataset.told ?? "";
    figure.dataset.told = told;
    await vegaEmbed(place, description, {
      mode: "vega-lite",
      actions: false,
      ast: true,
      defaultStyle: false,
      renderer: "canvas",
      tooltip: { disableDefaultStyle: true },
    });
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", told);
    picture.replaceWith(place);
  };

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const near = new IntersectionObserver((seen) => {
    for (const one of seen) {
      if (one.isIntersecting) {
        near.unobserve(one.target);
        draw(one.target).catch(() => {});
      }
    }
  }, { rootMargin: "200px" });
  figures.forEach((one) => near.observe(one));
  dark.addEventListener("change", () => {
    figures.filter((one) => one.querySelector(".drawn")).forEach((one) => draw(one).catch(() => {}));
  });
})();
