"use strict";
// Draws the page's charts. Vega's expressions are interpreted (ast), so the page's policy needs no eval.
const views = new Map();
let turn = draw();
document.addEventListener("charts", () => { turn = turn.then(draw); }); // there are more, or others

async function draw() {
  const page = document.documentElement;
  const options = {
    ast: true, renderer: "svg", actions: false, config: { legend: { disable: true } },
    defaultStyle: false, tooltip: { disableDefaultStyle: true }, // page.css has them: no policy allows others
  };
  try {
    if (!window.vegaEmbed) runAll(await unpacked("library")); // a page of a site loads it
    const specs = await unpacked("charts") ?? await (await fetch(document.body.dataset.charts)).json();
    for (const [place, view] of views) if (!place.isConnected) { view.finalize(); views.delete(place); }
    for (const place of document.querySelectorAll("[data-chart]:empty")) {
      const spec = specs[Number(place.dataset.chart)];
      views.set(place, await vegaEmbed(place, spec, options));
      asOnePicture(place.querySelector("svg"), spec.description);
    }
    page.dataset.charts = "drawn";
  } catch (error) {
    page.dataset.charts = "failed";
    console.error(error);
  }
}

// Returns what a file holds packed (JSON, by zlib, in base64); undefined where it holds no such thing.
async function unpacked(id) {
  const held = document.getElementById(id);
  if (!held) return undefined;
  const bytes = Uint8Array.from(atob(held.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Each of the library's scripts runs because the page's policy names its hash.
function runAll(scripts) {
  for (const text of scripts) {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
  }
}

// Its figures are in tables: who hears the page is told what a chart shows, not each of its lines.
function asOnePicture(drawn, description) {
  for (const part of drawn.querySelectorAll("[role], [aria-label], [aria-roledescription]")) {
    for (const name of ["role", "aria-label", "aria-roledescription", "aria-hidden"]) part.removeAttribute(name);
  }
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", description || "chart");
}
