// The page: asks every moment how the jobs stand, and shows it.

import {get, Refused} from "./api.js";
import * as designs from "./designs.js";
import * as form from "./form.js";
import * as jobs from "./jobs.js";

const BUSY = 600;  // milliseconds between two questions while something runs, and while nothing does
const IDLE = 2500;

const connection = document.querySelector("#connection");
const arrivals = document.querySelector("#arrivals");
let chosen = location.hash.slice(1);  // letters, digits and - alone
let resumed = 0;
let known = new Map();
let timer;
let asking = Promise.resolve();

function choose(id) {
  chosen = id;
  history.replaceState(null, "", `#${id}`);
  designs.choose(id);
  return ask();
}

function announce(list) {
  for (const {id, targets, found, wanted, status} of list) {
    const before = known.get(id);
    if (before && (before.found !== found || before.status !== status)) {
      arrivals.textContent = `${targets[0]}: ${found} of ${wanted} designs, ${status}`;
    }
  }
  known = new Map(list.map(job => [job.id, job]));
}

async function look() {
  clearTimeout(timer);
  let pause = IDLE;
  try {
    const id = chosen;
    const state = await get(`api/state?job=${encodeURIComponent(id)}&from=${designs.count()}`);
    connection.textContent = "";
    announce(state.jobs);
    if (id === chosen) showState(state);
    if (state.jobs.some(job => job.status === "running" || job.status === "waiting")) pause = BUSY;
  } catch (error) {
    connection.textContent = error instanceof Refused && error.status === 403
      ? "This page is of a server that has ended. Open the address that the new one printed."
      : "The server does not answer.";
  }
  timer = setTimeout(ask, pause);
}

// One question after the other: two at once would add the same designs twice.
function ask() {
  asking = asking.then(look);
  return asking;
}

function showState(state) {
  const job = state.jobs.find(one => one.id === chosen);
  if (!job) {
    const first = state.jobs[0];
    if (first) choose(first.id);
    else if (chosen) choose("");
  } else if (job.resumed !== resumed || job.rows < designs.count()) {
    resumed = job.resumed;
    designs.choose(chosen);
    ask();
  } else {
    designs.add(state.designs);
  }
  jobs.render(state.jobs, chosen, {onChoose: choose, onAgain: form.fill, onChange: ask});
}

designs.begin();
designs.choose(chosen);
form.begin(async id => {
  await choose(id);
  document.querySelector("#jobs").scrollIntoView({block: "nearest"});  // on a phone it is far below
});
ask();
