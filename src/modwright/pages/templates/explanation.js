// SPDX-License-Identifier: Apache-2.0
// Steps through the cycles of one operation: lights units, moves the cursor of the schedule, shows numbers and registers.
"use strict";
(() => {
  const one = (id) => document.getElementById(id);
  const data = JSON.parse(one("data").textContent);
  const boxes = new Map(Array.from(document.querySelectorAll(".block"), (box) => [box.dataset.name, box]));
  const picture = document.querySelector("#schedule svg");
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("y", 0);
  cursor.setAttribute("width", Math.max(data.width, 2));
  cursor.setAttribute("height", data.bottom);
  picture.append(cursor);
  const written = one("numbers") ? Array.from(one("numbers").tBodies[0].rows) : [];
  const rows = data.registers.map((register) => {
    const row = one("rows").insertRow();
    for (const text of [register.name, register.bits, "", ""]) row.insertCell().textContent = text;
    for (const cell of Array.from(row.cells).slice(1)) cell.className = "right";
    return row;
  });
  let now = 0, timer = null;

  // --- values: changes are in order of their cycles
  const at = (changes, cycle) => {
    let low = 0, high = changes.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (changes[middle][0] <= cycle) low = middle; else high = middle;
    }
    return changes[low];
  };
  const item = (list, text, note) => {
    const entry = list.appendChild(document.createElement("li"));
    entry.textContent = text + " ";
    entry.appendChild(document.createElement("small")).textContent = note;
    return entry;
  };

  const showRegisters = () => {
    const pattern = one("find").value.toLowerCase(), only = one("changed").checked;
    data.registers.forEach((register, n) => {
      const [since, value] = at(register.changes, now), fresh = now > 0 && since === now;
      const cells = rows[n].cells;
      cells[2].textContent = now > 0 ? at(register.changes, now - 1)[1] : "";
      cells[3].textContent = value;
      rows[n].className = fresh ? "new" : "";
      rows[n].hidden = !register.name.toLowerCase().includes(pattern) || (only && !fresh);
    });
  };

  const show = (cycle) => {
    now = Math.min(Math.max(cycle, 0), data.cycles);
    one("slider").value = now;
    one("cycle").textContent = `cycle ${now} of ${data.cycles}`;
    const list = document.createElement("ul"), lit = new Set();
    for (const step of data.steps) {
      if (step.start <= now && now < step.start + step.busy) {
        for (const unit of [step.resource, ...step.also]) lit.add(data.boxes[unit]);
        const until = step.busy > 1 ? `, busy until cycle ${step.start + step.busy - 1}` : "";
        item(list, step.name, `on ${step.resource}${until}, readable in cycle ${step.end}`);
      }
    }
    for (const number of data.numbers)
      if (number.cycle === now) item(list, `${number.name} = ${number.value}`, number.why).className = "number";
    if (now === data.cycles) item(list, "The result is valid.", "");
    else if (!list.children.length) item(list, "No unit takes a step; values are on their way.", "");
    one("now").replaceChildren(list);
    boxes.forEach((box, name) => box.classList.toggle("lit", lit.has(name)));
    cursor.setAttribute("x", data.left + now * data.width);
    written.forEach((row, n) => row.classList.toggle("new", data.numbers[n].cycle === now));
    showRegisters();
  };

  const stop = () => { clearInterval(timer); timer = null; one("play").textContent = "▶▶"; };
  const play = () => {
    if (timer !== null) return stop();
    if (now === data.cycles) show(0);
    one("play").textContent = "❚❚";
    timer = setInterval(() => { if (now === data.cycles) stop(); else show(now + 1); }, 700);
    return undefined;
  };
  const by = (id, action) => one(id).addEventListener("click", () => { stop(); action(); });
  by("first", () => show(0));
  by("back", () => show(now - 1));
  by("next", () => show(now + 1));
  by("last", () => show(data.cycles));
  one("play").addEventListener("click", play);
  one("slider").addEventListener("input", () => { stop(); show(Number(one("slider").value)); });
  one("find").addEventListener("input", showRegisters);
  one("changed").addEventListener("change", showRegisters);
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") return;
    if (event.key === "ArrowRight") { stop(); show(now + 1); }
    if (event.key === "ArrowLeft") { stop(); show(now - 1); }
  });
  for (const id of ["player", "now", "registers"]) one(id).hidden = false;
  show(Number(location.hash.slice(1)) || 0);  // page.html#7 opens in cycle 7
})();
