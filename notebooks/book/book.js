"use strict";
// What scrolls can be reached by the keyboard, and the page of claims can be filtered by verdict.

const scrolls = () => {
  const boxes = "div.math, .bd-article pre, .cell_output, .cell_output .output, .conditions, .pst-scrollable-table-container";
  for (const box of document.querySelectorAll(boxes)) {
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    const what = box.matches("div.math") ? "An equation" : box.querySelector("img") ? "A picture" : "Text";
    box.setAttribute("aria-label", `${what} wider than the page`);
    box.classList.add("scrolls");
  }
};

// On a phone each cell of these tables has lines of its own, which begin with the name of its column.
const labels = () => {
  for (const table of document.querySelectorAll("table.findings"))
    for (const row of table.tBodies[0].rows)
      [...row.cells].forEach((cell, i) => (cell.dataset.label = table.tHead.rows[0].cells[i].textContent));
};

const filter = () => {
  const cards = [...document.querySelectorAll(".card-of-claim")];
  if (cards.length < 20) return; // a notebook shows a few
  const names = ["all", "reproduced", "not-reproduced", "undecided", "not-run"];
  const of = (name) => cards.filter((card) => name === "all" || card.classList.contains(name));
  const bar = document.createElement("fieldset");
  bar.className = "filter";
  bar.innerHTML = "<legend>Show the claims, and checks of our own, that are</legend>";
  for (const name of names.filter((name) => of(name).length)) {
    const label = document.createElement("label");
    label.className = `answer ${name}`;
    label.innerHTML = `<input type="radio" name="verdict"> ${name.replace("-", " ")} <b>${of(name).length}</b>`;
    const input = label.querySelector("input");
    input.checked = name === "all";
    input.addEventListener("change", () => {
      const shown = new Set(of(name));
      for (const part of document.querySelectorAll(".bd-article > section section > *:not(h2, h3, section)"))
        part.hidden = name !== "all" && !shown.has(part); // summaries and tables, too
    });
    bar.append(label);
  }
  const page = document.querySelector(".bd-article > section");
  page.insertBefore(bar, page.querySelector("section"));
};

// The theme names what has a text by another one, which who speaks to a computer cannot know, and some by none.
const names = () => {
  for (const control of document.querySelectorAll(":is(button, summary)[aria-label]"))
    if (control.textContent.trim() || control.querySelector("[title]")) control.removeAttribute("aria-label");
  for (const summary of document.querySelectorAll("nav summary"))
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", "The pages below");
};

// Sphinx's search takes this in place of its own. T_max, as readers type the formula, is Tmax in the index, which is made
// from code and captions.
var splitQuery = (query) => query.replace(/\bT_\W*max\b/gi, "Tmax").split(/[^\p{Letter}\p{Number}_]+/u).filter(Boolean);

addEventListener("DOMContentLoaded", () => {
  filter();
  labels();
  names();
});
addEventListener("load", () => {
  names(); // the theme has drawn its icons
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(scrolls);
});
addEventListener("resize", scrolls);
