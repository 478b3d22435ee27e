"use strict";
// What pages do beyond showing; each works without it.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});
// Charts that came with a part of the page; where none was before, what draws them is not here yet.
document.addEventListener("htmx:afterSwap", () => {
  if (!document.querySelector("[data-chart]:empty")) return;
  if (document.body.dataset.charts) document.dispatchEvent(new Event("charts"));
  else window.location.reload();
});
// What was followed is over: the page says what can be done next.
document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail.type === "message") window.location.replace(window.location.pathname);
});
