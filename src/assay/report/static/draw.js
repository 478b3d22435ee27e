"use strict";
// Draws the page's charts. Vega's expressions are interpreted (ast), so the page's policy needs no eval.
(async () => {
  const page = document.documentElement;
  const options = {
    ast: true, renderer: "svg", actions: false, config: { legend: { disable: true } },
    defaultStyle: false, tooltip: { disableDefaultStyle: true }, // page.css has them: no policy allows others
  };
  try {
    const held = document.getElementById("charts"); // a page of a site has them at an address of their own
    const specs = held ? JSON.parse(held.textContent) : await (await fetch(document.body.dataset.charts)).json();
    const draw = async (within) => {
      for (const place of within.querySelectorAll("[data-chart]")) {
        if (place.dataset.begun) continue;
        place.dataset.begun = "yes";
        const spec = specs[Number(place.dataset.chart)];
        await vegaEmbed(place, spec, options);
        asOnePicture(place.querySelector("svg"), spec.description);
      }
    };
    document.addEventListener("htmx:load", (event) => draw(event.target)); // a part that came later
    await draw(document);
    page.dataset.charts = "drawn";
  } catch (error) {
    page.dataset.charts = "failed";
    console.error(error);
  }
})();

// Its figures are in tables: who hears the page is told what a chart shows, not each of its lines.
function asOnePicture(drawn, description) {
  for (const part of drawn.querySelectorAll("[role], [aria-label], [aria-roledescription]")) {
    for (const name of ["role", "aria-label", "aria-roledescription", "aria-hidden"]) part.removeAttribute(name);
  }
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", description || "chart");
}
