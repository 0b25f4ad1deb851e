// The designs of a job: a table to sort and pick from, and one of them at large.

import {element, get, show} from "./api.js";

const section = document.querySelector("#found");
const detail = document.querySelector("#detail");
const body = document.querySelector("#rows");
const head = document.querySelector("#columns");
const more = document.querySelector("#more");
const LIMIT = 100;  // rows that are shown at first

const fixed = digits => value => value == null ? "–" : value.toFixed(digits);
const yes = value => value == null ? "–" : value ? "yes" : "no";
// name, title, text of a value, whether more is better, unit in the details
const COLUMNS = [
  ["energy", "Energy", fixed(1), false, "kcal/mol"],
  ["gap", "Gap", fixed(2), true, "kcal/mol"],
  ["probability", "Probability", fixed(3), true, ""],
  ["defect", "Defect", fixed(4), false, ""],
  ["gc", "GC", fixed(1), true, "%"],
  ["unique_mfe", "Unique", yes, true, ""],
  ["seconds", "Seconds", fixed(2), false, ""],
];
const FACTS = [...COLUMNS,
  ["distance", "Distance", value => value ?? "–", true, ""],
  ["playouts", "Folds", value => value?.toLocaleString("en") ?? "–", false, ""],
  ["engine", "Engine", value => value ?? "–", false, ""],
  ["seed", "Seed", value => value ?? "–", false, ""],
];

let job = null;
let designs = [];
let picked = new Set();
let order = {column: "number", down: false};
let limit = LIMIT;
let open = null;
let colour = "base";

export const count = () => designs.length;

export function choose(next) {
  job = next;
  designs = [];
  picked = new Set();
  limit = LIMIT;
  open = null;
  detail.hidden = true;
  section.hidden = true;
  body.replaceChildren();
}

export function add(found) {
  if (!found.length && !section.hidden) return;
  designs.push(...found.map((design, place) => ({...design, number: designs.length + place + 1})));
  section.hidden = designs.length === 0;
  render();
}

function value(design, column) {
  if (column === "name") return design.name;
  if (column === "sequence") return design.sequence;
  return design[column] == null ? null : Number(design[column]);
}

function sorted() {
  const {column, down} = order;
  return [...designs].sort((one, other) => {
    const [a, b] = [value(one, column), value(other, column)];
    if (a === b) return one.number - other.number;
    if (a == null || b == null) return a == null ? 1 : -1;  // what is unknown comes last
    return (a < b ? -1 : 1) * (down ? -1 : 1);
  });
}

function render() {
  const several = new Set(designs.map(design => design.name)).size > 1;
  renderHead(several);
  const focus = document.activeElement;
  const rows = sorted().slice(0, limit).map(design => {
    const row = document.getElementById(`design-${design.number}`) ?? newRow(design);
    row.querySelector(".name").hidden = !several;
    row.classList.toggle("chosen", design.number === open);
    row.querySelector("input").checked = picked.has(design.number);
    return row;
  });
  body.replaceChildren(...rows);
  if (focus?.isConnected) focus.focus();  // a row that was moved loses it
  more.hidden = designs.length <= limit;
  more.textContent = `Show all ${designs.length}`;
  renderPicked();
}

function renderHead(several) {
  const titles = [["number", "#", "word"], ["name", "Target", "word"], ["sequence", "Sequence", "word"],
    ...COLUMNS.map(([name, title]) => [name, title, ""])];
  if (!head.children.length) {
    const all = element("input", {type: "checkbox"});
    all.setAttribute("aria-label", "Pick all");
    all.addEventListener("change", () => {
      picked = new Set(all.checked ? designs.filter(one => one.sequence).map(one => one.number) : []);
      render();
    });
    head.append(element("th", {className: "pick", scope: "col"}, all));
    for (const [name, title, kind] of titles) {
      const button = element("button", {type: "button", textContent: title});
      button.addEventListener("click", () => sort(name));
      const cell = element("th", {scope: "col", className: kind}, button);
      cell.dataset.column = name;
      head.append(cell);
    }
  }
  for (const cell of head.querySelectorAll("th[data-column]")) {
    const {column} = cell.dataset;
    if (column === "name") cell.hidden = !several;
    if (column === order.column) cell.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  }
}

function sort(column) {
  const better = COLUMNS.find(([name]) => name === column)?.[3] ?? false;
  order = {column, down: order.column === column ? !order.down : better};
  render();
}

function newRow(design) {
  const box = element("input", {type: "checkbox", disabled: !design.sequence});
  box.setAttribute("aria-label", `Pick design ${design.number}`);
  box.addEventListener("change", () => {
    if (box.checked) picked.add(design.number);
    else picked.delete(design.number);
    renderPicked();
  });
  const row = element("tr", {id: `design-${design.number}`},
    element("td", {className: "pick"}, box),
    element("td", {className: "word", textContent: design.number}),
    element("td", {className: "word name", textContent: design.name}));
  if (!design.sequence) {
    const text = design.error ?? "nothing found in this time";
    row.append(element("td", {className: "word bad", colSpan: COLUMNS.length + 1, textContent: text}));
    return row;
  }
  const look = element("button", {type: "button", textContent: design.sequence, title: design.sequence});
  look.setAttribute("aria-label", `Design ${design.number}, ${design.sequence}`);
  look.addEventListener("click", () => openDetail(design));
  row.append(element("td", {className: "word letters"}, look));
  for (const [name, , text] of COLUMNS) {
    const bad = name === "unique_mfe" && design[name] === false;
    row.append(element("td", {textContent: text(design[name]), className: bad ? "bad" : ""}));
  }
  if (!design.solved) {
    const lack = design.missing ?? "another fold";
    row.querySelector(".letters").append(element("span", {className: "error", textContent: `not solved: ${lack}`}));
  }
  return row;
}

function renderPicked() {
  const some = picked.size > 0;
  const kept = designs.filter(design => design.sequence).length;
  document.querySelector("#picked").textContent =
    some ? `${picked.size} of ${kept} picked` : `${kept} to download; pick some to have those alone`;
  const all = head.querySelector("input");
  all.checked = some && picked.size === kept;
  all.indeterminate = some && picked.size < kept;
  const rows = sorted().map(one => one.number).filter(number => picked.has(number)).map(number => number - 1);
  for (const form of ["fasta", "csv"]) {
    const query = some ? `?pick=${rows.join(",")}` : "";
    document.getElementById(form).href = `api/jobs/${job}/designs.${form}${query}`;
  }
}

async function openDetail(design) {
  open = design.number;
  render();
  detail.hidden = false;
  document.querySelector("#detail-title").textContent = `Design ${design.number} of ${design.name}`;
  document.querySelector("#sequence").textContent = `${design.sequence}\n${design.structure}`;
  document.querySelector("#numbers").replaceChildren(...FACTS.map(([name, title, text, , unit]) =>
    element("div", {}, element("dt", {textContent: title}), element("dd", {}, String(text(design[name])),
      element("small", {textContent: unit && design[name] != null ? ` ${unit}` : ""})))));
  detail.focus({preventScroll: true});
  await draw(design.number);
  detail.scrollIntoView({block: "nearest"});
}

async function draw(number) {
  const path = `api/jobs/${job}/designs/${number - 1}`;
  const found = await get(`${path}?colour=${colour}`);
  if (number !== open) return;
  for (const kind of ["structure", "dots"]) {
    const figure = document.getElementById(kind);
    figure.hidden = !found[kind];
    if (found[kind]) show(figure, found[kind]);
    figure.querySelector("a").href = `${path}/${kind}.svg?colour=${colour}`;
  }
}

function close() {
  const row = document.getElementById(`design-${open}`);
  open = null;
  detail.hidden = true;
  row?.classList.remove("chosen");
  row?.querySelector(".letters button")?.focus();
}

export function begin() {
  more.addEventListener("click", () => {
    limit = Infinity;
    render();
  });
  document.querySelector("#close").addEventListener("click", close);
  detail.addEventListener("keydown", event => {
    if (event.key === "Escape") close();
  });
  const buttons = [...detail.querySelectorAll("[data-colour]")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      colour = button.dataset.colour;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      draw(open);
    });
  }
}
