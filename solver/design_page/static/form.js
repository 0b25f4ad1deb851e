// The form: targets are drawn while they are typed, errors marked where they are.

import {element, post, Refused, show} from "./api.js";

const EXAMPLES = {
  hairpins: `>two-hairpins
(((((((...)))))))....((((((.....))))))....
GGNNNNNNNNNNNNNNNNNNNNNNNNNGAAANNNNNNNNNNN
`,
  switch: `>switch
((((((....))))))..........
..........((((((....))))))
`,
  strands: `>split
((((((....((((&))))..))))))
`,
  toehold: `>toehold
domain toe = N12
domain foot = N9
domain across = NNN
domain top = N6
strand switch = GG toe foot across top AACAGAGGAGA top* AUG foot* AACCUGGCGGCAGCGCAAAAG
strand trigger = top* across* foot* toe*
state OFF: switch = .14(9...(6.11)6...)9N21
state ON: switch trigger = ..(30N50&)30
`,
};
const MOST_BYTES = 900000;
const MOST_DRAWN = 1000;  // bases
const PAUSE = 200;  // milliseconds without a key until what was typed is looked at
const DRAFT = "draft";
const OPENED = "opened";

const form = document.querySelector("#form");
const text = document.querySelector("#targets");
const marks = document.querySelector("#marks");
const said = document.querySelector("#targets-error");
const preview = document.querySelector("#preview");
const fields = [...form.querySelectorAll("input[name], select[name]")];
const chooser = document.querySelector("#file");
const sent = document.querySelector("#form-error");

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
  const facts = `${name}, ${length} bases${drawing ? "" : length > MOST_DRAWN ? ", too long to be drawn" : ", not drawn"}`;
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

// As `solve` reads files: UTF-16 by its mark, else UTF-8.
async function openFile(file) {
  chooser.value = "";
  if (!file) return;
  sent.textContent = "";
  if (file.size > MOST_BYTES) {
    sent.textContent = `${file.name} is no file of targets: more than 900,000 bytes.`;
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = bytes[0] << 8 | bytes[1];
  const coding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    fill({targets: new TextDecoder(coding, {fatal: true}).decode(bytes).replaceAll("\r\n", "\n")});
  } catch {
    sent.textContent = `${file.name} is no text.`;
  }
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
  const examples = document.querySelector("#example");
  examples.addEventListener("change", event => {
    event.stopPropagation();
    if (EXAMPLES[examples.value]) fill({targets: EXAMPLES[examples.value]});
    examples.value = "";
  });
  document.querySelector("#open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => openFile(chooser.files[0]));
  const editor = text.parentElement;
  for (const kind of ["dragover", "dragleave", "drop"]) {
    editor.addEventListener(kind, event => {
      if (kind !== "dragleave" && !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      editor.classList.toggle("over", kind === "dragover");
      if (kind === "drop") openFile(event.dataTransfer.files[0]);
    });
  }
  form.addEventListener("submit", async event => {
    event.preventDefault();
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
  const {opened} = text.dataset;
  if (draft) fill(JSON.parse(draft));
  if (opened && sessionStorage.getItem(OPENED) !== opened) {  // not what was typed since
    sessionStorage.setItem(OPENED, opened);
    fill({targets: opened});
  }
}
