// Walks through a run: the data of the page say which event leads to which states, and this shows them in the ring and
// in the table. It decides nothing about the run itself.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const run = JSON.parse(byId("run").textContent);

  // As ring_stage.hpp has them.
  const LOOK = 15, FAILED = 16, CULPRIT = 32, AT_ROOT = 64, HAS_HANDS = 128, ROOT_LOST = 16;

  const events = [];
  let now = 0;
  for (const [since, who, from, text, ...changes] of run.events) {
    now += since;
    events.push({ at: now, who, from, text: run.texts[text], changes });
  }

  const stage = document.querySelector(".stage svg");
  const rankMarks = [...stage.querySelectorAll(".rank")];
  const rootMarks = [...stage.querySelectorAll(".root")];
  const hands = [...stage.querySelectorAll(".hand")];
  const checkIns = [...stage.querySelectorAll(".checkin")];
  const arrow = byId("stage-message");
  const actor = byId("stage-actor");
  const rows = [...byId("rank-table").tBodies[0].rows];
  const counts = [...byId("counts").children];
  const slider = byId("when");
  const follow = byId("follow");
  const play = byId("play");
  const described = stage.querySelector("desc");

  // --- words --------------------------------------------------------------------------------------------------------

  // All digits: "1.00004 s".
  const exactTime = (ns) => {
    const [unit, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(([one]) => ns >= one) || [1, "ns"];
    const rest = ns % unit;
    const digits = rest === 0 ? "" : "." + String(unit + rest).slice(1).replace(/0+$/, "");
    return Math.floor(ns / unit) + digits + " " + name;
  };
  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, " ");
  const nameOf = (process) =>
    process < 0 ? "nobody" :
    process < run.ranks ? "rank " + process :
    process < run.ranks + run.roots ? "root " + (process - run.ranks) :
    run.extras[process - run.ranks - run.roots] || "somebody";
  const stateWords = (state) => (state & FAILED ? "failed, was " : "") + run.looks[state & LOOK];
  const rootWords = (state) => (state & ROOT_LOST ? "lost" : run.rootPhases[state & LOOK]);

  const VERBS = {
    start: "starts", listening: "listens", listen_failed: "cannot listen", accept_failed: "cannot let anybody in", timer: "is woken by its timer",
    connected: "is connected", connect_failed: "could not connect", accepted: "accepts a connection",
    queued: "sees callers wait", closed: "sees a connection closed", sent: "has sent all of it",
    inspected: "has looked at a table", operate: "is asked by its program", collected: "has collected a table",
    abort: "is told to abort", close: "is told to close", resume: "goes on",
  };
  const deedOf = (event) => {
    if (event.who < 0)
      return event.text;
    const [first, second] = event.text.split(" ");
    const who = nameOf(event.who);
    if (first === "frame")
      return who + " receives " + second.replace(/_/g, " ") + " from " + nameOf(event.from);
    if (first === "fault")
      return who + " is struck: " + event.text.slice(6);
    return Object.hasOwn(VERBS, first) ? who + " " + VERBS[first] : who + ": " + event.text;
  };

  // --- states -------------------------------------------------------------------------------------------------------

  // After the first `count` events.
  const statesAfter = (count) => {
    const states = run.first.slice();
    const since = new Array(states.length).fill(-1);
    for (let i = 0; i < count; ++i) {
      const { at, changes } = events[i];
      for (let c = 0; c < changes.length; c += 2) {
        const process = changes[c];
        if ((states[process] ^ changes[c + 1]) & (LOOK | FAILED))
          since[process] = at;
        states[process] = changes[c + 1];
      }
    }
    return { states, since };
  };

  const setUse = (element, look) => element.setAttribute("href", "#look" + look);

  const showRanks = ({ states, since }) => {
    for (let rank = 0; rank < run.ranks; ++rank) {
      const state = states[rank];
      const look = state & LOOK;
      const mark = rankMarks[rank];
      setUse(mark.querySelector("use"), look);
      mark.classList.toggle("failed", (state & FAILED) !== 0);
      mark.classList.toggle("culprit", (state & CULPRIT) !== 0);
      mark.classList.toggle("on-dark", run.dark[look] === 1);
      const next = (rank + 1) % run.ranks;
      if (rank in hands)
        hands[rank].classList.toggle("held", (state & states[next] & HAS_HANDS) !== 0);
      checkIns[rank].classList.toggle("there", (state & AT_ROOT) !== 0);
      const cells = rows[rank].cells;
      setUse(cells[2].querySelector("use"), look);
      cells[2].querySelector("span").textContent = stateWords(state);
      cells[3].textContent = since[rank] < 0 ? "–" : exactTime(since[rank]);
    }
  };

  const showRoots = ({ states }) => {
    for (let root = 0; root < run.roots; ++root) {
      const state = states[run.ranks + root];
      rootMarks[root].classList.toggle("lost", (state & ROOT_LOST) !== 0);
      rootMarks[root].querySelectorAll("text")[1].textContent = rootWords(state);
    }
  };

  const showCounts = ({ states }) => {
    const numbers = new Array(counts.length).fill(0);
    for (let rank = 0; rank < run.ranks; ++rank) {
      ++numbers[states[rank] & LOOK];
      numbers[counts.length - 2] += states[rank] & FAILED ? 1 : 0;
      numbers[counts.length - 1] += states[rank] & CULPRIT ? 1 : 0;
    }
    const told = [];
    counts.forEach((item, i) => {
      item.hidden = numbers[i] === 0;
      item.querySelector("b").textContent = grouped(numbers[i]);
      if (numbers[i] !== 0)
        told.push(item.textContent.trim());
    });
    described.textContent = run.ranks + " ranks in a circle, clockwise from the top. " + told.join(", ") +
      ". The table below says how each of them stands.";
  };

  // --- who acts -----------------------------------------------------------------------------------------------------

  const boxOf = (element) => ["x", "y", "width", "height"].map((name) => Number(element.getAttribute(name)));
  const placeOf = (process) => {
    const mark = process < 0 ? undefined :
      process < run.ranks ? rankMarks[process].querySelector("use") :
      process < run.ranks + run.roots ? rootMarks[process - run.ranks].querySelector("rect") : undefined;
    if (mark === undefined)
      return undefined;
    const [x, y, width, height] = boxOf(mark);
    return { x: x + width / 2, y: y + height / 2, reach: (process < run.ranks ? width / 3 : height / 2) };
  };

  const showDeed = (event) => {
    const to = event && placeOf(event.who);
    const from = event && placeOf(event.from);
    actor.setAttribute("r", to ? to.reach * 1.6 : 0);
    arrow.style.display = to && from && event.who !== event.from ? "" : "none";
    if (!to)
      return;
    actor.setAttribute("cx", to.x);
    actor.setAttribute("cy", to.y);
    if (!from)
      return;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const part = Math.max(0, 1 - to.reach * 1.6 / length);
    arrow.setAttribute("x1", from.x);
    arrow.setAttribute("y1", from.y);
    arrow.setAttribute("x2", from.x + (to.x - from.x) * part);
    arrow.setAttribute("y2", from.y + (to.y - from.y) * part);
  };

  const changesOf = (event, before, after) => {
    const told = [];
    for (let c = 0; c < event.changes.length; c += 2) {
      const process = event.changes[c];
      const words = process < run.ranks ? stateWords : rootWords;
      const [was, is] = [words(before[process]), words(after[process])];
      if (was !== is)
        told.push((process === event.who ? "" : nameOf(process) + " ") + was + " → " + is);
    }
    return told.length > 4 ? told.slice(0, 4).join("; ") + "; and " + (told.length - 4) + " more" : told.join("; ");
  };

  const NEAR = 4;
  const showNear = (position) => {
    const first = Math.max(0, Math.min(position - 1 - NEAR, events.length - 2 * NEAR - 1));
    const items = [];
    for (let i = first; i < Math.min(events.length, first + 2 * NEAR + 1); ++i) {
      const item = document.createElement("li");
      const code = document.createElement("code");
      code.textContent = events[i].text;
      item.append(exactTime(events[i].at) + " " + (events[i].who < 0 ? "" : nameOf(events[i].who) + " "), code);
      if (i === position - 1)
        item.setAttribute("aria-current", "step");
      items.push(item);
    }
    byId("near").replaceChildren(...items);
  };

  // --- moving -------------------------------------------------------------------------------------------------------

  let position = events.length;
  let timer = 0;

  const show = (wanted) => {
    position = Math.max(0, Math.min(events.length, wanted));
    const after = statesAfter(position);
    const event = events[position - 1];
    showRanks(after);
    showRoots(after);
    showCounts(after);
    showDeed(event);
    showNear(position);
    const time = event ? exactTime(event.at) : "0 ns";
    let deed = "Before the first event";
    if (event) {
      const changed = changesOf(event, statesAfter(position - 1).states, after.states);
      deed = deedOf(event) + (changed ? ": " + changed : "");
    }
    const count = "event " + grouped(position) + " of " + grouped(events.length);
    slider.value = String(position);
    slider.setAttribute("aria-valuetext", time + ", " + count);
    byId("clock").textContent = time;
    byId("deed").textContent = count + ": " + deed;
    byId("moment").textContent = position === events.length ? "at " + time + ", when all was over" : "at " + time + ", " + count;
    byId("strip-mark").style.width = (run.end === 0 ? 100 : 100 * (event ? event.at : 0) / run.end) + "%";
  };

  const concerns = (event) => {
    const process = Number(follow.value);
    return follow.value === "" || event.who < 0 || event.who === process || event.from === process;
  };
  const next = () => {
    let wanted = position + 1;
    while (events.length > wanted && !concerns(events[wanted - 1]))
      ++wanted;
    return wanted;
  };
  const previous = () => {
    let wanted = position - 1;
    while (wanted > 0 && !concerns(events[wanted - 1]))
      --wanted;
    return wanted;
  };

  // What happens is said aloud, but not at the pace of a film.
  const say = (yes) => byId("deed").setAttribute("aria-live", yes ? "polite" : "off");
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    say(true);
    play.textContent = "▶ Play";
  };
  // Each state can be seen, and long runs do not take for ever.
  const start = () => {
    const stride = Math.max(1, Math.ceil(events.length / 600));
    if (position === events.length)
      show(0);
    say(false);
    play.textContent = "Pause";
    timer = setInterval(() => {
      show(follow.value === "" ? position + stride : next());
      if (position === events.length)
        stop();
    }, 150);
  };

  const click = (id, act) => {
    const button = byId(id);
    if (button)
      button.addEventListener("click", () => { stop(); act(); });
  };
  click("to-start", () => show(0));
  click("previous", () => show(previous()));
  click("next", () => show(next()));
  click("to-failure", () => show(run.failure + 1));
  click("to-end", () => show(events.length));
  play.addEventListener("click", () => (timer === 0 ? start() : stop()));
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });

  for (let process = 0; process !== run.ranks + run.roots; ++process)
    follow.append(new Option(nameOf(process), String(process)));
  byId("player").hidden = false;
  show(events.length);
})();
