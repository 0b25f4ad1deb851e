// The list of jobs. Its parts are changed in place, so that what has the focus keeps it.

import {element, post, remove} from "./api.js";

const list = document.querySelector("#job-list");
const STATES = {
  waiting: "waiting for a core",
  running: "running",
  done: "done",
  stopped: "stopped",
  failed: "failed",
  interrupted: "cut off",
};
const SURE = 4000;  // milliseconds in which a second press removes

function newItem(job, {onChoose, onAgain, onChange}) {
  const button = (name, label, action) => {
    const made = element("button", {type: "button", className: `quiet ${name}`, textContent: label});
    made.addEventListener("click", action);
    return made;
  };
  const path = `api/jobs/${job.id}`;
  const name = element("button", {type: "button", className: "name"});
  name.addEventListener("click", () => onChoose(job.id));
  const again = button("again", "Use again", () => onAgain(item.job.request));
  const stop = button("stop", "Stop", () => act(() => post(`${path}/stop`), again));
  const resume = button("resume", "Go on", () => act(() => post(`${path}/resume`), stop));
  const discard = button("remove", "Remove", () => {
    if (discard.dataset.sure) {
      act(() => remove(path), name);
      return;
    }
    discard.dataset.sure = "yes";
    discard.textContent = "Remove for good?";
    setTimeout(() => {
      delete discard.dataset.sure;
      discard.textContent = "Remove";
    }, SURE);
  });
  const act = async (request, next) => {
    await request();
    await onChange();
    if (document.activeElement === document.body) {
      (next.isConnected && !next.hidden ? next : document.querySelector("#jobs")).focus();
    }
  };
  const item = element("li", {className: "job", id: `job-${job.id}`},
    element("div", {className: "row"}, name, element("span", {className: "state"})),
    element("progress", {max: 1, value: 0}),
    element("p", {className: "facts"}),
    element("p", {className: "bad"}),
    element("div", {className: "actions"}, stop, resume, again, discard));
  return item;
}

const put = (item, selector, text) => {
  const part = item.querySelector(selector);
  if (part.textContent !== text) part.textContent = text;
  part.hidden = !text;
};

function update(item, job, chosen) {
  item.job = job;
  const others = job.targets.length + job.more - 1;
  const name = job.targets[0] + (others ? ` and ${others} more` : "");
  put(item, ".name", name);
  item.querySelector(".name").setAttribute("aria-pressed", String(chosen));
  item.classList.toggle("chosen", chosen);
  const active = job.status === "running" || job.status === "waiting";
  const state = item.querySelector(".state");
  state.className = `state ${job.status}`;
  put(item, ".state", STATES[job.status]);
  const bar = item.querySelector("progress");
  bar.hidden = !active;
  bar.max = job.wanted;
  bar.value = job.found;
  bar.setAttribute("aria-label", `Designs of ${name}`);
  const {playouts, seconds} = job.progress;
  const facts = [`${job.found} of ${job.wanted} designs`, ...asked(job.request)];
  if (job.status === "running") {
    facts.push(playouts ? `${playouts.toLocaleString("en")} folds, ${Math.round(seconds)} s` : "getting ready, the first time half a minute");
  }
  facts.push(`${job.id.slice(9, 11)}:${job.id.slice(11, 13)}`);
  put(item, ".facts", facts.join(" · "));
  put(item, ".bad", job.message);
  item.querySelector(".stop").hidden = !active;
  item.querySelector(".resume").hidden = active || job.status === "done";
}

function asked({min_distance, gc, gap, objective, engine, celsius, within, protein, seed, forbid, require}) {
  return [
    min_distance > 1 && `distance ${min_distance}`,
    gc !== "0-100" && `GC ${gc} %`,
    gap > 0 && `gap ${gap}`,
    objective !== "mfe" && objective,
    forbid && `no ${forbid}`,
    require && `with ${require}`,
    engine !== "vienna2" && engine,
    celsius !== 37 && `${celsius} °C`,
    within !== 1 && `within ${within}`,
    protein && `protein ${protein}`,
    seed > 0 && `seed ${seed}`,
  ].filter(Boolean);
}

export function render(jobs, chosen, actions) {
  document.querySelector("#no-jobs").hidden = jobs.length > 0;
  const known = new Set(jobs.map(job => `job-${job.id}`));
  for (const item of [...list.children]) if (!known.has(item.id)) item.remove();
  jobs.forEach((job, place) => {
    let item = document.getElementById(`job-${job.id}`);
    if (!item) {
      item = newItem(job, actions);
      list.insertBefore(item, list.children[place] ?? null);
    }
    update(item, job, job.id === chosen);
  });
}
