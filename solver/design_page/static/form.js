// The form: targets are drawn while they are typed, errors marked where they are.

import {element, post, Refused, show} from "./api.js";

const EXAMPLE = `>two-hairpins
(((((((...)))))))....((((((.....))))))....
GGNNNNNNNNNNNNNNNNNNNNNNNNNGAAANNNNNNNNNNN
`;
const PAUSE = 200;  // milliseconds without a key until what was typed is looked at
const DRAFT = "draft";

const form = document.querySelector("#form");
const text = document.querySelector("#targets");
const marks = document.querySelector("#marks");
const said = document.querySelector("#targets-error");
const preview = document.querySelector("#preview");
const fields = [...form.querySelectorAll("input, select")];

let shown = 0;
let asked = 0;
let timer;

export const request = () => ({
  targets: text.value,
  ...Object.fromEntries(fields.map(field => [field.name, field.value])),
});

export function fill(values) {
  text.value = values.targets;
  for (const field of fields) field.value = values[field.name] ?? field.value;
  changed(0);
}

function changed(pause = PAUSE) {
  sessionStorage.setItem(DRAFT, JSON.stringify(request()));
  marks.textContent = "";
  pressChips();
  clearTimeout(timer);
  timer = setTimeout(look, pause);
}

async function look() {
  const number = ++asked;
  try {
    const found = await post(`api/check?shown=${shown}`, request());
    if (number === asked) tell(found);
  } catch (error) {
    if (error instanceof Refused && error.status === 413) complain([{message: "More than a million characters."}]);
  }
}

function tell({targets, drawing, errors, shown: now}) {
  complain(errors);
  preview.hidden = !targets.length;
  if (!targets.length) return;
  shown = now;
  preview.querySelector(".picture").hidden = !drawing;
  if (drawing) show(preview, drawing);
  const caption = preview.querySelector("figcaption");
  const {name, length} = targets[now];
  const facts = `${name}, ${length} bases${drawing ? "" : ", too long to be drawn"}`;
  if (targets.length === 1) {
    caption.replaceChildren(facts);
  } else {
    const turn = (label, step) => {
      const button = element("button", {type: "button", className: "quiet", textContent: label});
      button.addEventListener("click", () => {
        shown = (shown + step + targets.length) % targets.length;
        look().then(() => caption.querySelector(`button:${step < 0 ? "first" : "last"}-of-type`).focus());
      });
      return button;
    };
    caption.replaceChildren(turn("Previous", -1), `${facts} (${now + 1} of ${targets.length})`, turn("Next", 1));
  }
}

export function complain(errors) {
  said.replaceChildren();
  form.querySelectorAll(".field .error").forEach(one => one.remove());
  for (const field of [text, ...fields]) field.removeAttribute("aria-invalid");
  for (const error of errors) {
    const field = error.field && form.elements[error.field];
    if (field) {
      field.setAttribute("aria-invalid", "true");
      field.parentElement.append(element("p", {className: "error", textContent: error.message}));
    } else {
      text.setAttribute("aria-invalid", "true");
      said.append(element("span", {textContent: error.message}));
      if (error.line) mark(error);
    }
  }
}

function mark({line, column, length}) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  marks.replaceChildren(
    text.value.slice(0, start),
    element("mark", {textContent: text.value.slice(start, start + length) || " "}),
    `${text.value.slice(start + length)}\n`,
  );
  follow();
  const button = element("button", {type: "button", className: "quiet", textContent: "Go there"});
  button.addEventListener("click", () => {
    text.focus();
    text.setSelectionRange(start, start + length);
  });
  said.append(button);
}

function follow() {
  marks.scrollTop = text.scrollTop;
  marks.scrollLeft = text.scrollLeft;
}

const words = () => form.elements.forbid.value.split(",").map(word => word.trim()).filter(Boolean);

function pressChips() {
  const chosen = new Set(words().map(word => word.toLowerCase()));
  for (const chip of form.querySelectorAll(".chip")) {
    chip.setAttribute("aria-pressed", String(chosen.has(chip.dataset.word.toLowerCase())));
  }
}

function toggle(chip) {
  const word = chip.dataset.word;
  const others = words().filter(one => one.toLowerCase() !== word.toLowerCase());
  const pressed = chip.getAttribute("aria-pressed") === "true";
  form.elements.forbid.value = (pressed ? others : [...others, word]).join(",");
  changed();
}

export function begin(onStart) {
  text.addEventListener("scroll", follow);
  new ResizeObserver(follow).observe(text);
  form.addEventListener("input", () => changed());
  form.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.querySelectorAll(".chip").forEach(chip => chip.addEventListener("click", () => toggle(chip)));
  document.querySelector("#example").addEventListener("click", () => fill({targets: EXAMPLE}));
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const sent = document.querySelector("#form-error");
    sent.textContent = "";
    clearTimeout(timer);
    asked += 1;
    try {
      const {id, errors} = await post("api/jobs", request());
      if (errors.length) {
        complain(errors);
        form.querySelector("[aria-invalid]").focus();
        return;
      }
      look();
      onStart(id);
    } catch (error) {
      if (!(error instanceof Refused)) {
        sent.textContent = "The server does not answer.";
      } else {
        sent.textContent = error.status === 413 ? "More than a million characters." : error.message;
      }
    }
  });
  const draft = sessionStorage.getItem(DRAFT);
  if (draft) fill(JSON.parse(draft));
}
