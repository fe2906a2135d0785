// SPDX-License-Identifier: Apache-2.0
// Sorting, filters, tooltips and datasheets of a comparison. Without it, the page is a table with its pictures.
"use strict";
(() => {
  const one = (id) => document.getElementById(id);
  const body = one("table").tBodies[0];
  const rows = Array.from(body.rows);
  const headings = Array.from(one("table").tHead.rows[0].cells);
  const notes = Array.from(document.querySelectorAll(".notes li"));
  const most = Array.from(document.querySelectorAll(".most"));
  const points = Array.from(document.querySelectorAll(".point"));
  const sheets = JSON.parse(one("sheets").textContent);

  // --- sorting: a value that is not there comes last, whichever way
  const sortBy = (column, down) => {
    const numeric = headings[column].classList.contains("right");
    const value = (row) => row.cells[column].dataset.value;
    rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return (down ? -1 : 1) * (numeric ? Number(x) - Number(y) : x.localeCompare(y));
    });
    body.append(...rows);
    headings.forEach((heading, n) => {
      if (n === column) heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
  };
  headings.forEach((heading, n) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", () => sortBy(n, heading.getAttribute("aria-sort") === "ascending"));
    heading.replaceChildren(button);
  });

  // --- filters
  const within = (text, limit, least) => {
    if (limit === "") return true;
    return text !== "" && (least ? Number(text) >= Number(limit) : Number(text) <= Number(limit));
  };
  const filter = () => {
    const words = one("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = new Set();
    for (const row of rows) {
      const data = row.dataset, text = `${row.textContent} ${data.note}`.toLowerCase();
      const show = words.every((word) => text.includes(word))
        && most.every((area) => within(data[area.name], area.value))
        && within(data.fmax, one("min-fmax").value, true)
        && (!one("only-constant").checked || data.constant === "true")
        && (!one("only-measured").checked || data.source === "measured")
        && (!one("only-front").checked || data.front === "true");
      row.hidden = !show;
      if (show) kept.add(data.key);
    }
    notes.forEach((note) => { note.hidden = !kept.has(note.dataset.key); });
    points.forEach((point) => point.classList.toggle("dim", !kept.has(point.dataset.key)));
    one("shown").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
  };
  one("filters").addEventListener("input", filter);
  one("filters").addEventListener("submit", (event) => event.preventDefault());
  one("filters").hidden = false;
  filter();

  // --- a row and its points light up together
  const light = (key, on) => {
    for (const item of [...rows, ...notes, ...points]) if (item.dataset.key === key) item.classList.toggle("lit", on);
  };
  const tip = one("tip");
  const show = (point, x, y) => {
    tip.textContent = point.dataset.tip;
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + 16 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 16}px`;
  };
  const hide = () => { tip.hidden = true; };
  rows.forEach((row) => {
    row.addEventListener("pointerenter", () => light(row.dataset.key, true));
    row.addEventListener("pointerleave", () => light(row.dataset.key, false));
  });

  // --- datasheets
  const open = (key) => {
    if (!(key in sheets)) return;
    one("sheet").srcdoc = sheets[key];
    one("viewer").showModal();
  };
  document.querySelectorAll(".sheet").forEach((button) => {
    button.hidden = false;
    button.nextElementSibling.hidden = true;
    button.addEventListener("click", () => open(button.closest("tr").dataset.key));
  });
  points.forEach((point) => {
    const title = point.querySelector("title"), key = point.dataset.key;
    point.dataset.tip = title.textContent;
    point.setAttribute("aria-label", title.textContent);
    title.remove(); // else the browser shows its own tooltip over ours
    point.addEventListener("pointerenter", (event) => { light(key, true); show(point, event.clientX, event.clientY); });
    point.addEventListener("pointerleave", () => { light(key, false); hide(); });
    point.addEventListener("focus", () => {
      const box = point.getBoundingClientRect();
      light(key, true);
      show(point, box.right, box.top);
    });
    point.addEventListener("blur", () => { light(key, false); hide(); });
    point.addEventListener("click", () => open(key));
    point.addEventListener("keydown", (event) => { if (event.key === "Enter") open(key); });
  });
})();
