// The panels of the book that train networks in the browser: <warptime-text>, a text and its clock, and
// <warptime-train task="warp">, a training. A page that has one loads this file and live.css.
(() => {
  "use strict";
  const here = new URL(".", document.currentScript.src);

  // ---- The engine: chrono in WebAssembly, loaded when first needed ----

  let engine; // a promise of {module, glue}

  const script = (name) =>
    new Promise((done, failed) => {
      const s = document.createElement("script");
      s.src = new URL(name, here);
      s.onload = done;
      s.onerror = () => failed(new Error(`${name} cannot be loaded`));
      document.head.append(s);
    });

  // A page from a disk may load scripts only: there the program stands in one, packed, as text.
  async function load() {
    await script("glue.js");
    const glue = self.warptimeGlue;
    if (location.protocol.startsWith("http")) {
      return { glue, module: await WebAssembly.compileStreaming(fetch(new URL("live.wasm", here))) };
    }
    await script("packed.js");
    const packed = Uint8Array.from(atob(self.warptimePacked), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return { glue, module: await WebAssembly.compile(await new Response(stream).arrayBuffer()) };
  }

  // train starts a training in a worker of its own, and returns a function that ends it.
  function train(settings, told) {
    let worker, ended = false;
    engine ??= load();
    engine.then(
      ({ module, glue }) => {
        if (ended) return;
        const run = `onmessage = async (e) => {
          self.settings = e.data.settings;
          const go = new Go();
          go.run(await WebAssembly.instantiate(e.data.module, go.importObject));
        };`;
        worker = new Worker(URL.createObjectURL(new Blob([glue, run], { type: "text/javascript" })));
        worker.onmessage = (e) => told(JSON.parse(e.data));
        worker.onerror = (e) => told({ error: e.message });
        worker.postMessage({ settings: JSON.stringify(settings), module });
      },
      (e) => {
        engine = undefined;
        told({ error: e.message });
      },
    );
    return () => {
      ended = true;
      worker?.terminate();
    };
  }

  // ---- Elements ----

  const make = (tag, attributes = {}, ...children) => {
    const svg = ["svg", "path", "line", "text", "circle", "g", "title"].includes(tag);
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else if (value !== undefined) e.setAttribute(name, value);
    }
    e.append(...children);
    return e;
  };
  const row = (...children) => make("div", { class: "live-row" }, ...children);

  // A slider of whole numbers with its value beside it. On a logarithmic one steps grow with the number.
  function slider(label, min, max, value, changed, logarithmic = false) {
    const to = (x) => (logarithmic ? Math.log(x) : x), from = (x) => Math.round(logarithmic ? Math.exp(x) : x);
    const out = make("output", {}, String(value));
    const input = make("input", {
      type: "range", min: to(min), max: to(max), step: logarithmic ? "any" : 1, value: to(value),
      oninput: () => {
        out.textContent = from(+input.value);
        input.setAttribute("aria-valuetext", out.textContent);
        changed?.();
      },
    });
    return { element: make("label", {}, label, input, out), get value() { return from(+input.value); } };
  }

  const round = (x) => (x >= 10 ? x.toFixed(0) : x.toFixed(1));

  // ---- A text and its clock ----

  const longest = 12; // steps of a character
  const random = (n) => Math.floor(Math.random() * n);
  const clocks = {
    "a steady clock": (n) => Array(n).fill(4),
    "slower and slower": (n) => Array.from({ length: n }, (_, i) => 1 + Math.round((longest - 1) * (i / (n - 1 || 1)) ** 2)),
    "a random clock": (n) => Array.from({ length: n }, () => 1 + random(longest)),
  };

  class Text extends HTMLElement {
    connectedCallback() {
      const link = new URLSearchParams(location.hash.slice(1));
      this.steps = (link.get("clock") ?? "").split("-").map(Number).filter((n) => n >= 1 && n <= longest);
      this.text = make("input", {
        type: "text", maxlength: 16, size: 16, value: link.get("text") ?? "time may warp", "aria-label": "a text",
        oninput: () => this.draw(),
      });
      this.padded = make("select", { "aria-label": "what a character does with its time", onchange: () => this.draw() },
        make("option", { value: "warp" }, "a character stays (warping)"),
        make("option", { value: "pad" }, "zeros follow it (padding)"));
      this.padded.value = link.get("kind") === "pad" ? "pad" : "warp";
      this.clock = make("div", { class: "live-clock", onpointerdown: (e) => this.drag(e), onpointermove: (e) => e.buttons && this.drag(e) });
      this.letters = make("div", { class: "live-letters", "aria-hidden": "true" });
      this.tiles = make("div", { class: "live-tiles", role: "img" });
      const presets = Object.entries(clocks).map(([name, of]) =>
        make("button", { type: "button", onclick: () => { this.steps = of(this.text.value.length); this.draw(); } }, name));
      this.append(
        row(make("label", {}, "Text", this.text), this.padded),
        row(...presets),
        make("p", { class: "live-note" }, "Draw the clock: drag across the bars. A bar is as high as its character is long."),
        this.clock, this.letters,
        make("p", { class: "live-note" }, "What a network reads (above) and has to say (below), step by step:"),
        this.tiles);
      if (!this.steps.length) this.steps = clocks["a random clock"](this.text.value.length);
      this.draw();
    }

    // drag sets the bar under the pointer as high as the pointer is.
    drag(e) {
      e.preventDefault();
      const box = this.clock.getBoundingClientRect(), n = this.steps.length;
      const at = Math.min(n - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * n)));
      this.set(at, Math.ceil(((box.bottom - e.clientY) / box.height) * longest));
    }

    set(at, steps) {
      this.steps[at] = Math.min(longest, Math.max(1, steps));
      this.draw();
    }

    draw() {
      const text = [...this.text.value];
      while (this.steps.length < text.length) this.steps.push(1 + random(longest));
      this.steps.length = text.length;
      if (this.clock.children.length !== text.length) {
        this.clock.replaceChildren(...text.map((_, i) => make("span", {
          role: "slider", tabindex: 0, "aria-valuemin": 1, "aria-valuemax": longest,
          onkeydown: (e) => {
            const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[e.key];
            if (!by) return;
            e.preventDefault();
            this.set(i, this.steps[i] + by);
          },
        })));
      }
      text.forEach((letter, i) => {
        const bar = this.clock.children[i];
        bar.style.setProperty("--height", `${(100 * this.steps[i]) / longest}%`);
        bar.setAttribute("aria-valuenow", this.steps[i]);
        bar.setAttribute("aria-label", `steps of “${letter}”`);
      });
      const shown = (letter) => (letter === " " ? "␣" : letter);
      this.letters.replaceChildren(...text.map((l) => make("span", {}, shown(l))));
      const pad = this.padded.value === "pad", tiles = [];
      text.forEach((letter, i) => {
        for (let t = 0; t < this.steps[i]; t++) {
          const zero = pad && t > 0, before = i ? shown(text[i - 1]) : "–";
          tiles.push(make("span", t ? {} : { class: "new" },
            make("b", {}, zero ? "0" : shown(letter)), make("i", {}, zero ? "0" : before)));
        }
      });
      this.tiles.replaceChildren(...tiles);
      this.tiles.setAttribute("aria-label", `${text.length} characters take ${tiles.length} steps`);
      this.dispatchEvent(new CustomEvent("clock", { bubbles: true }));
    }

    // settings are those of a training on texts whose clock varies as much as this one.
    get settings() {
      const max = Math.max(2, ...this.steps), pad = this.padded.value === "pad";
      return { task: this.padded.value, longest: pad ? max - 1 || 1 : max };
    }
    get link() {
      return { text: this.text.value, clock: this.steps.join("-"), kind: this.padded.value };
    }
  }

  // ---- Curves ----

  const height = 230, left = 46, right = 84, top = 12, bottom = 34;
  let width = 640; // as wide as the panel, so that letters are of one size on every screen
  const patterns = ["", "9 4", "4 3"];
  const colors = ["var(--one)", "var(--two)", "var(--three)"];

  // curves draws the losses of arms over updates, in an axis from 0 to a little above the memoryless loss.
  function curves(arms, losses, memoryless, unit) {
    const updates = Math.max(100, losses.at(-1)?.update ?? 0), high = memoryless * 1.25;
    const x = (u) => left + ((width - left - right) * u) / updates;
    const y = (l) => top + (height - top - bottom) * (1 - Math.min(l, high) / high);
    const parts = [
      make("line", { class: "axis", x1: left, x2: left, y1: top, y2: height - bottom }),
      make("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
      make("line", { class: "reference", x1: left, x2: width - right, y1: y(memoryless), y2: y(memoryless) }),
      make("text", { x: width - right - 4, y: y(memoryless) - 6, "text-anchor": "end" }, "memoryless"),
      make("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "updates"),
      make("text", { x: 2, y: top + 2, "dominant-baseline": "hanging" }, unit),
      make("text", { x: left - 6, y: height - bottom, "text-anchor": "end" }, "0"),
      make("text", { x: left - 6, y: y(memoryless) + 4, "text-anchor": "end" }, memoryless.toPrecision(2)),
      make("text", { x: width - right, y: height - bottom + 16, "text-anchor": "middle" }, updates),
    ];
    const ends = [];
    arms.forEach((arm, i) => {
      const points = losses.filter((m) => m.losses[i] !== null).map((m) => `${x(m.update).toFixed(1)},${y(m.losses[i]).toFixed(1)}`);
      if (!points.length) return;
      parts.push(make("path", { d: "M" + points.join("L"), style: `--color:${colors[i]}`, "stroke-dasharray": patterns[i] }));
      ends.push({ arm, i, at: y(recent(losses, i)) });
    });
    ends.sort((a, b) => a.at - b.at).forEach((e, k) => { // names do not stand on one another
      e.at = Math.max(e.at, k ? ends[k - 1].at + 16 : 0);
      parts.push(make("text", { class: "arm", x: width - right + 6, y: e.at + 4, style: `--color:${colors[e.i]}` }, e.arm));
    });
    return parts;
  }

  // recent is the mean of an arm's last losses; sentences and names of curves rest on it.
  function recent(losses, arm) {
    const last = losses.slice(-6).map((m) => m.losses[arm]);
    return last.includes(null) ? NaN : last.reduce((a, b) => a + b, 0) / last.length;
  }

  // ---- A training ----

  const arms = { plain: "the plain network", leaky: "the leaky one", gated: "the gated one", standard: "the standard LSTM", chrono: "the chrono LSTM" };
  const percent = (share) => (share >= 0.995 ? "all" : `${Math.max(1, Math.round(100 * share))} %`);

  class Train extends HTMLElement {
    connectedCallback() {
      this.kind = this.getAttribute("task");
      this.warps = this.kind === "warp";
      const link = new URLSearchParams(location.hash.slice(1));
      const from = (name, otherwise) => Math.max(1, Math.round(+(link.get(name) ?? otherwise))) || otherwise;
      this.seed = from("seed", 1);
      this.controls = row();
      if (this.warps) {
        this.longest = slider("slowest character", 2, 20, from("longest", +(this.getAttribute("longest") ?? 10)));
        if (!this.source()) this.controls.append(this.longest.element);
      } else {
        this.task = make("select", { "aria-label": "task" }, make("option", { value: "adding" }, "adding"), make("option", { value: "copy" }, "copy"));
        this.task.value = link.get("task") ?? this.kind;
        if (!this.task.value) this.task.value = "adding";
        const t = from("t", +(this.getAttribute("steps") ?? 60));
        this.steps = slider("T", 10, 200, Math.min(200, Math.max(10, t)));
        this.tmax = slider("Tmax", 2, 1000, Math.min(1000, Math.max(2, from("tmax", t))), undefined, true);
        this.controls.append(make("label", {}, "Task", this.task), this.steps.element, this.tmax.element);
      }
      this.button = make("button", { type: "button", class: "main", onclick: () => (this.stop ? this.end("Stopped.") : this.begin()) }, "Train");
      this.append(this.controls,
        row(this.button,
          make("button", { type: "button", onclick: () => { this.seed = 1 + random(9999); this.begin(); } }, "Another seed"),
          make("button", { type: "button", onclick: () => this.reset() }, "Reset"),
          make("button", { type: "button", onclick: () => this.share() }, "Link to these settings")),
        this.status = make("p", { class: "live-note", role: "status" }),
        this.plot = make("svg", { class: "live-plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "losses over updates" }),
        this.seen = make("p", { class: "live-seen", "aria-live": "polite" }),
        this.inside = make("div", { class: "live-gates" }));
      this.reset();
      if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
        this.button.disabled = true;
        this.status.textContent = "This browser lacks WebAssembly or DecompressionStream. The pictures on this page show what would be seen.";
      }
    }

    disconnectedCallback() { this.stop?.(); }

    // source is the text whose clock says what is trained on, if the page has one.
    source() { return document.querySelector("warptime-text"); }

    settings() {
      if (this.warps) return { steps: 60, updates: 1500, seed: this.seed, task: "warp", longest: this.longest.value, ...this.source()?.settings };
      return { task: this.task.value, steps: this.steps.value, tmax: this.tmax.value, updates: 3000, seed: this.seed };
    }

    reset() {
      this.end("The program of 2 to 4 MB is loaded when you press Train. It then runs on your machine alone.");
      this.losses = [];
      this.first = this.latest = undefined;
      this.seen.textContent = "";
      this.inside.replaceChildren();
      this.plot.replaceChildren(make("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "The losses will grow here."));
    }

    begin() {
      this.reset();
      this.button.textContent = "Stop";
      this.status.textContent = "Loading …";
      this.asked = this.settings();
      this.stop = train(this.asked, (m) => this.told(m));
    }

    end(status) {
      this.stop?.();
      this.stop = undefined;
      this.button.textContent = "Train";
      this.status.textContent = status;
    }

    told(m) {
      if (m.error) return this.end(`It does not run: ${m.error}`);
      if (m.kind === "start") {
        this.start = m;
        this.started = performance.now();
      }
      if (m.kind === "losses") this.losses.push(m);
      if (m.kind === "gates" || m.kind === "scales") {
        this.first ??= m;
        this.latest = m;
      }
      if (m.kind === "end") this.end(`Trained for ${m.update} updates.`);
      if (!this.waiting) this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
    }

    draw() {
      const { arms, memoryless } = this.start;
      width = Math.min(640, Math.max(300, this.plot.clientWidth));
      this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
      if (this.losses.length) {
        const update = this.losses.at(-1).update, seconds = (performance.now() - this.started) / 1000;
        this.plot.replaceChildren(...curves(arms, this.losses, memoryless, this.asked.task === "adding" ? "error" : "nats"));
        if (this.stop) this.status.textContent = `${update} of ${this.asked.updates} updates, ${round(update / seconds)} a second, seed ${this.asked.seed}`;
        this.seen.textContent = this.sentence(update);
        this.dataset.update = update;
        this.dataset.losses = JSON.stringify(arms.map((_, i) => recent(this.losses, i) / memoryless));
      }
      if (this.latest?.kind === "gates") this.gates(this.latest);
      if (this.latest?.kind === "scales") this.scales(this.first.scales, this.latest.scales);
    }

    // sentence says what has just been seen: how much of what there is to learn each network still misses.
    sentence(update) {
      const missing = this.start.arms.map((arm, i) => ({ arm, share: recent(this.losses, i) / this.start.memoryless }));
      if (missing.some((m) => Number.isNaN(m.share))) return `After ${update} updates a network has diverged.`;
      missing.sort((a, b) => a.share - b.share);
      const best = missing[0], last = missing.at(-1);
      if (best.share > 0.9) return `After ${update} updates no network is clearly below the memoryless loss.`;
      const others = missing.slice(1).map((m) => `${arms[m.arm]} ${m.share > 1 ? "is still at or above it" : `at ${percent(m.share)}`}`);
      const line = `After ${update} updates ${arms[best.arm]} is at ${percent(best.share)} of the memoryless loss; ${others.join(", ")}.`;
      return line + (last.share > 2 * best.share ? "" : " They are still close.");
    }

    // gates draws the gates of one sequence: a column a step, a row a unit, dark where the state is kept.
    gates(m) {
      const steps = m.symbols.length, units = m.gates.length / steps;
      const canvas = make("canvas", { width: steps, height: units, role: "img", "aria-label": "gates of the gated network over one sequence" });
      const image = canvas.getContext("2d").createImageData(steps, units);
      for (let t = 0; t < steps; t++) {
        for (let u = 0; u < units; u++) {
          const open = Math.max(0, 1 + Math.log10(Math.max(m.gates[t * units + u], 1e-3)) / 2); // 1: open, 0: 1/100
          image.data.set([0xff * open, 0x42 + (0xff - 0x42) * open, 0x72 + (0xff - 0x72) * open, 255], 4 * ((units - 1 - u) * steps + t));
        }
      }
      canvas.getContext("2d").putImageData(image, 0, 0);
      const letters = m.symbols.map((s, t) => make("span", {}, t && s === m.symbols[t - 1] ? "·" : String(s)));
      this.inside.replaceChildren(
        make("p", { class: "live-note" }, "The gated network's gates over one sequence, a row for each unit. White: the state is replaced at this step; dark: it is kept."),
        make("div", { class: "live-letters", "aria-hidden": "true" }, ...letters), canvas);
    }

    // scales draws how long the units of the chrono LSTM remember by their forget biases, before training and now.
    scales(before, now) {
      const high = 90, x = (s) => left + ((width - left - right) * Math.log(Math.min(Math.max(s, 1), 2000))) / Math.log(2000);
      const dots = (scales, y, name) => scales.map((s, i) => make("circle", { class: name, cx: x(s), cy: y + (i % 3) * 4, r: 3.2 }));
      const parts = [1, 10, 100, 1000].map((s) => make("text", { x: x(s), y: high - 4, "text-anchor": "middle" }, s));
      const standard = x(1 + Math.E); // a forget bias of 1
      this.inside.replaceChildren(
        make("p", { class: "live-note" }, "For how many steps each unit of the chrono LSTM remembers by its forget bias: before training (rings) and now (dots). The dotted line is a bias of 1."),
        make("svg", { class: "live-plot", viewBox: `0 0 ${width} ${high}`, role: "img", "aria-label": "time scales of the forget biases, before and after" },
          make("line", { class: "axis", x1: left, x2: width - right, y1: high - 20, y2: high - 20 }),
          make("line", { class: "reference", x1: standard, x2: standard, y1: 4, y2: high - 20 }),
          ...parts, ...dots(before, 14, "before"), ...dots(now, 44, "now"),
          make("text", { x: width - right + 6, y: high - 16 }, "steps"),
          make("text", { x: width - right + 6, y: 22 }, "before"), make("text", { x: width - right + 6, y: 52 }, "now")));
    }

    // share puts the settings into the page's address.
    share() {
      const all = this.warps ? { ...this.source()?.link, longest: this.longest.value } : { task: this.task.value, t: this.steps.value, tmax: this.tmax.value };
      location.hash = new URLSearchParams({ ...all, seed: this.seed });
      navigator.clipboard?.writeText(location.href).catch(() => {});
      this.status.textContent = "The address of this page now holds the settings.";
    }
  }

  customElements.define("warptime-text", Text);
  customElements.define("warptime-train", Train);
})();
