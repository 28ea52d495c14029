// The panels of the book that train networks in the browser: <warptime-text>, a text and its clock, and
// <warptime-train task="warp">, a training. A page that has one loads this file and live.css.
(() => {
  "use strict";
  const here = new URL(".", document.currentScript.src);

  // ---- The engine: chrono in WebAssembly, loaded when first needed ----

  let engine; // a promise of {module, glue}
  const work = `onmessage = async (e) => {
    let error = "the program has crashed"; // it does not end by itself
    try {
      self.settings = e.data.settings;
      const go = new Go();
      await go.run(await WebAssembly.instantiate(e.data.module, go.importObject));
    } catch (e) {
      error = e.message;
    }
    postMessage(JSON.stringify({ error }));
  };`;

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
      const module = await WebAssembly.compileStreaming(fetch(new URL("live.wasm", here))).catch(() => undefined);
      if (module) return { glue, module }; // else the server does not say that it is WebAssembly
    }
    await script("packed.js");
    const packed = Uint8Array.from(atob(self.warptimePacked), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return { glue, module: await WebAssembly.compile(await new Response(stream).arrayBuffer()) };
  }

  // train starts a training in a worker of its own, and returns a function that ends it.
  function train(settings, told) {
    let worker,
      ended = false;
    const tell = (message) => ended || told(message);
    engine ??= load();
    engine.then(
      ({ module, glue }) => {
        if (ended) return;
        worker = new Worker(URL.createObjectURL(new Blob([glue, work], { type: "text/javascript" })));
        worker.onmessage = (e) => tell(JSON.parse(e.data));
        worker.onerror = (e) => tell({ error: e.message });
        worker.postMessage({ settings: JSON.stringify(settings), module });
      },
      (e) => {
        engine = undefined;
        tell({ error: e.message });
      },
    );
    return () => {
      ended = true;
      worker?.terminate();
    };
  }

  // ---- Elements ----

  const make = (tag, attributes = {}, ...children) => {
    const svg = ["svg", "path", "line", "text", "circle"].includes(tag);
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
  function slider(label, min, max, unit, logarithmic = false) {
    const to = (x) => (logarithmic ? Math.log(x) : x),
      from = (x) => Math.round(logarithmic ? Math.exp(x) : x);
    const out = make("output", { "aria-hidden": "true" }); // the slider says it
    const show = () => {
      out.textContent = `${from(+input.value)} ${unit}`;
      input.setAttribute("aria-valuetext", out.textContent);
    };
    const input = make("input", {
      type: "range",
      min: to(min),
      max: to(max),
      step: logarithmic ? "any" : 1,
      oninput: show,
    });
    return {
      element: make("label", {}, label, input, out),
      get value() {
        return from(+input.value);
      },
      set value(x) {
        input.value = to(x);
        show();
      },
    };
  }

  const round = (x) => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
  const link = new URLSearchParams(location.hash.slice(1)); // settings that somebody has shared
  const linked = (name, otherwise) =>
    Math.min(9999, Math.max(1, Math.round(+(link.get(name) ?? otherwise)))) || otherwise;
  const select = (options, attributes) =>
    make("select", attributes, ...Object.entries(options).map(([value, text]) => make("option", { value }, text)));
  const note = (...words) => make("p", { class: "live-note" }, ...words);

  // ---- A text and its clock ----

  const longest = 20; // steps of a character
  const longestText = 16; // letters
  const random = (n) => Math.floor(Math.random() * n);
  const first = { text: "time warp", clock: [1, 6, 2, 20, 1, 12, 3, 5, 10] };
  const clocks = {
    Steady: (n) => Array(n).fill(12),
    Slowing: (n) => Array.from({ length: n }, (_, i) => 1 + Math.round((longest - 1) * (i / (n - 1 || 1)) ** 2)),
    Random: (n) => Array.from({ length: n }, () => 1 + random(longest)),
  };
  const shown = (letter) => (letter === " " ? "␣" : letter);

  // symbolsOf numbers letters from 1 to 9, as the tasks do. A tenth letter shares a number, with none beside it.
  function symbolsOf(letters) {
    const symbols = new Map();
    for (const letter of letters) {
      if (symbols.has(letter)) continue;
      const taken =
        symbols.size < 9
          ? [...symbols.keys()]
          : letters.filter((other, i) => letters[i - 1] === letter || letters[i + 1] === letter);
      const numbers = new Set(taken.map((other) => symbols.get(other)));
      symbols.set(letter, [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => !numbers.has(n)) ?? 9);
    }
    return letters.map((letter) => symbols.get(letter));
  }

  // stepsOf are the steps of a text: what a network reads and should answer at each, as letters and as symbols.
  function stepsOf({ text, clock, kind }) {
    const letters = [...text],
      symbols = symbolsOf(letters),
      zero = { letter: "0", symbol: 0 },
      none = { letter: "–", symbol: 0 };
    const at = (i) => (i < 0 ? none : { letter: shown(letters[i]), symbol: symbols[i] });
    return letters.flatMap((_, i) =>
      Array.from({ length: clock[i] }, (_, t) => {
        const fill = kind === "pad" && t > 0;
        return { odd: i % 2 === 1, read: fill ? zero : at(i), want: fill ? zero : at(i - 1) };
      }),
    );
  }

  const right = 92; // of a plot: room for names

  // rows draws steps from left to right, on as many lines as it takes: one row a name, with a cell a step.
  function rows(steps, width, names, cell) {
    const each = Math.max(8, Math.floor((width - right) / 16)),
      lines = [];
    for (let from = 0; from < steps.length; from += each)
      lines.push(
        make(
          "div",
          {},
          ...names.map(({ name, color }, k) =>
            make(
              "div",
              {},
              make("b", { style: color && `color:${color}` }, name),
              ...steps.slice(from, from + each).map((step, t) => cell(step, k, from + t)),
            ),
          ),
        ),
      );
    return lines;
  }
  const tile = (step, k) =>
    make("span", { class: `${k ? "want" : "read"} ${step.odd ? "odd" : ""}` }, (k ? step.want : step.read).letter);

  class Text extends HTMLElement {
    connectedCallback() {
      this.steps = (link.get("clock") ?? "")
        .split("-")
        .map(Number)
        .filter((n) => Number.isInteger(n) && n >= 1 && n <= longest);
      if (!this.steps.length) this.steps = [...first.clock];
      this.text = make("input", {
        type: "text",
        maxlength: longestText,
        size: longestText,
        spellcheck: "false",
        value: (link.get("text") ?? first.text).slice(0, longestText),
        placeholder: first.text, // stands for an empty text
        oninput: () => this.draw(),
      });
      this.kind = select(
        { warp: "repeat it (warping)", pad: "fill with zeros (padding)" },
        { onchange: () => this.draw() },
      );
      this.kind.value = link.get("kind") === "pad" ? "pad" : "warp";
      this.clock = make("div", {
        class: "live-clock",
        role: "group",
        "aria-label": "the clock: left and right choose a character, up and down its steps",
        onpointerdown: (e) => this.drag(e),
        onpointermove: (e) => e.buttons && this.drag(e),
        onkeydown: (e) => this.key(e),
      });
      const presets = Object.entries(clocks).map(([name, of]) =>
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              this.steps = of(this.letters.length);
              this.draw();
            },
          },
          name,
        ),
      );
      this.append(
        row(
          make("label", {}, "Text", this.text),
          make("div", { class: "live-group", role: "group", "aria-label": "Clock" }, "Clock", ...presets),
          make("label", {}, "After a character", this.kind),
        ),
        note(
          "Drag across the bars: each is the number of steps from its character to the next. ␣ is a space, and – the " +
            "answer while the first character lasts.",
        ),
        this.clock,
        (this.doubled = note("Two equal letters in a row look like one: no network can see where the second begins.")),
        (this.tiles = make("div", { class: "live-tiles", role: "img" })),
      );
      new ResizeObserver(() => this.draw()).observe(this.clock);
    }

    // drag sets the bar under the pointer as high as the pointer is.
    drag(e) {
      e.preventDefault();
      const box = this.clock.getBoundingClientRect(),
        bar = this.clock.querySelector("span").getBoundingClientRect(),
        n = this.clock.children.length;
      const at = Math.min(n - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * n)));
      this.set(at, Math.ceil(((bar.bottom - e.clientY) / bar.height) * longest));
    }

    key(e) {
      const at = [...this.clock.children].indexOf(e.target);
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4, Home: -longest, End: longest }[e.key];
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[e.key];
      if (!by && to === undefined) return;
      e.preventDefault();
      if (by) this.set(at, this.steps[at] + by);
      else this.clock.children[to]?.focus();
    }

    set(at, steps) {
      this.steps[at] = Math.min(longest, Math.max(1, steps));
      this.draw();
    }

    draw() {
      const text = this.letters;
      while (this.steps.length < text.length) this.steps.push(1 + random(longest)); // a shorter text keeps them
      if (this.clock.children.length !== text.length) {
        this.clock.replaceChildren(
          ...text.map((_, i) => {
            const bar = make(
              "div",
              { role: "slider", tabindex: i ? -1 : 0, "aria-valuemin": 1, "aria-valuemax": longest },
              make("small"),
              make("span"),
              make("b", { "aria-hidden": "true" }),
            );
            bar.addEventListener("focus", () => {
              for (const other of this.clock.children) other.tabIndex = other === bar ? 0 : -1;
            });
            return bar;
          }),
        );
      }
      text.forEach((letter, i) => {
        const bar = this.clock.children[i];
        bar.style.setProperty("--share", this.steps[i] / longest);
        bar.setAttribute("aria-valuenow", this.steps[i]);
        bar.setAttribute("aria-label", `steps of “${letter}”`);
        bar.firstChild.textContent = this.steps[i];
        bar.lastChild.textContent = shown(letter);
      });
      const { kind } = this.drawn,
        steps = stepsOf(this.drawn);
      this.doubled.hidden = kind === "pad" || text.every((letter, i) => letter !== text[i - 1]);
      this.tiles.replaceChildren(
        ...rows(steps, this.tiles.clientWidth, [{ name: "reads" }, { name: "should say" }], tile),
      );
      this.tiles.setAttribute("aria-label", `${text.length} characters take ${steps.length} steps`);
      this.dispatchEvent(new Event("drawn"));
    }

    get letters() {
      return [...(this.text.value || this.text.placeholder)];
    }

    // drawn is the text, its clock, and what follows a character.
    get drawn() {
      return { text: this.letters.join(""), clock: this.steps.slice(0, this.letters.length), kind: this.kind.value };
    }
  }

  // ---- Curves ----

  const height = 250,
    left = 38,
    top = 26,
    bottom = 36;
  const patterns = ["", "9 4", "4 3"];
  const colors = ["var(--one)", "var(--two)", "var(--three)"];
  const looks = { plain: 0, leaky: 1, gated: 2, minGRU: 0, selective: 1, standard: 0, chrono: 1 };

  // smooth returns the means of an arm's losses over the last 25 updates, as shares of the memoryless loss; sentences
  // and thick curves rest on them.
  function smooth({ start, losses }, arm) {
    return losses.map((m, i) => {
      let sum = 0,
        n = 0;
      for (let k = i; k >= 0 && losses[k].update > m.update - 25; k--, n++) sum += losses[k].losses[arm] ?? NaN;
      return { update: m.update, share: sum / n / start.memoryless };
    });
  }

  // curves draws the losses of a training over updates, up to a little above the memoryless loss, and faintly those of
  // the same networks in the training before it.
  function curves(run, before, width) {
    const updates = run.asked.updates,
      high = 1.25;
    const x = (u) => left + ((width - left - right) * u) / updates;
    const y = (share) => top + (height - top - bottom) * (1 - Math.min(share, high) / high);
    const text = (x, y, anchor, words) => make("text", { x, y, "text-anchor": anchor }, words);
    const parts = [
      make("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
      make("line", { class: "reference", x1: left, x2: width - right, y1: y(1), y2: y(1) }),
      text(2, 14, "start", "loss, in % of the memoryless loss"),
      ...[0, 50, 100].map((percent) => text(left - 6, y(percent / 100) + 4, "end", percent)),
      text(left, height - bottom + 18, "start", "0"),
      text(x(updates), height - bottom + 18, "end", `${updates} updates`),
    ];
    if (width > 450) parts.push(text(x(updates / 2), height - bottom + 18, "middle", updates / 2));
    const line = (points, look, name) => {
      const shown = points
        .filter((p) => Number.isFinite(p.share))
        .map((p) => `${x(p.update).toFixed(1)},${y(p.share).toFixed(1)}`);
      if (shown.length)
        parts.push(
          make("path", {
            d: "M" + shown.join("L"),
            class: name,
            style: `--color:${colors[look]}`,
            "stroke-dasharray": name === "each" ? "" : patterns[look],
          }),
        );
    };
    before?.start.arms.forEach((arm, i) => {
      if (run.start.arms.includes(arm)) line(smooth(before, i), looks[arm], "before");
    });
    const names = [{ name: "memoryless", at: y(1), after: x(updates) }];
    run.start.arms.forEach((arm, i) => {
      const each = run.losses.map((m) => ({ update: m.update, share: (m.losses[i] ?? NaN) / run.start.memoryless }));
      line(each, looks[arm], "each");
      const means = smooth(run, i),
        end = means.at(-1);
      if (!end) return;
      line(means, looks[arm], "");
      names.push({
        name: arm,
        at: y(Number.isFinite(end.share) ? end.share : high),
        after: x(end.update),
        color: colors[looks[arm]],
      });
    });
    names
      .sort((a, b) => b.at - a.at)
      .forEach((e, k) => {
        // names do not stand on one another
        const under = names.slice(0, k).findLast((other) => Math.abs(other.after - e.after) < right);
        e.at = Math.min(e.at, under ? under.at - 16 : y(0));
        parts.push(
          make(
            "text",
            { class: e.color ? "arm" : "", x: e.after + 6, y: e.at + 4, style: `--color:${e.color}` },
            e.name,
          ),
        );
      });
    return parts;
  }

  // ---- A training ----

  const percent = (share) => (share < 0.01 ? "below 1\u00a0%" : `at ${Math.round(100 * share)}\u00a0%`);
  const list = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);
  const lstm = { standard: "standard LSTM", chrono: "chrono LSTM" };

  // usual are the settings of the LSTMs' tasks, as recorded, until the reader chooses others.
  const usual = {
    adding: { steps: 60, tmax: 60, updates: 800, seed: 1 },
    copy: { steps: 20, tmax: 30, updates: 3000, seed: 1 },
  };
  const settings = ({ asked, drawn }) => JSON.stringify([asked, drawn]);

  // about says what a training was set to.
  function about({ asked, drawn }) {
    const { task, shortest, longest, steps, tmax, seed } = asked;
    if (!drawn) return `${task}, T = ${steps}, Tmax = ${tmax}, seed ${seed}`;
    const span = shortest === longest ? `exactly ${longest}` : `${shortest} to ${longest}`;
    return `${task === "pad" ? "padding" : "warping"}, ${span} steps a character, seed ${seed}`;
  }

  // wrong counts the steps at which an arm's answer is wrong.
  const wrong = (steps, answers) => steps.filter((step, t) => step.want.symbol !== answers[t]).length;

  // finding says in one sentence what is seen: what each network's loss is, and how many of its answers are wrong, or
  // when it had learned the half.
  function finding(run) {
    const { start, losses, latest, drawn } = run,
      update = losses.at(-1).update;
    const steps = drawn && stepsOf(drawn);
    const found = start.arms.map((arm, i) => {
      const means = smooth(run, i);
      return {
        name: lstm[arm] ?? `${arm} network`,
        share: means.at(-1).share,
        half: means.find((m) => m.share < 0.5)?.update,
        wrong: steps && wrong(steps, latest.answers[i]),
      };
    });
    const diverged = found.filter((f) => Number.isNaN(f.share)).map((f) => `the ${f.name}`);
    if (diverged.length) return `By update ${update} ${list(diverged)} had diverged; press Another seed.`;
    found.sort((a, b) => a.share - b.share);
    const at = found.map(
      (f, i) => `the ${f.name} ${i ? percent(f.share) : `is ${percent(f.share)} of the memoryless loss`}`,
    );
    const losing = found[0].share > 0.9 ? "no network is clearly better than one without memory" : list(at);
    const halves = found.filter((f) => f.half).sort((a, b) => a.half - b.half);
    const half = halves.map((f, i) => `${f.half}${i ? "" : " updates"} (${f.name.split(" ")[0]})`);
    const rest = steps
      ? `; of their answers below (${steps.length} steps), ${list(found.map((f) => `${f.wrong} (${f.name.split(" ")[0]})`))} are wrong`
      : half.length
        ? `; half of the memoryless loss was reached after ${list(half)}`
        : "";
    return `After ${update} updates ${losing}${rest}.`;
  }

  const recorded = script("recorded.js").catch(() => {}); // without it panels begin empty
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  class Train extends HTMLElement {
    connectedCallback() {
      const task = this.getAttribute("task");
      this.text = task === "warp" && document.querySelector("warptime-text");
      this.runs = {}; // by task, the training that is shown
      this.seed = link.has(this.text ? "clock" : "task") ? linked("seed", 1) : 1;
      this.controls = row();
      if (this.text) {
        this.networks = select(
          {
            "plain leaky gated": "plain, leaky, gated",
            "minGRU selective gated": "minGRU, selective, gated",
          },
          {},
        );
        this.networks.value = link.get("networks") ?? "";
        if (!this.networks.value) this.networks.selectedIndex = 0;
        this.controls.append(make("label", {}, "Networks", this.networks));
      } else {
        this.task = select({ adding: "adding", copy: "copy" }, {});
        this.task.value = link.get("task") ?? task;
        if (!this.task.value) this.task.value = task;
        const { steps, tmax } = usual[this.task.value];
        this.steps = slider("T", 10, 200, "steps");
        this.tmax = slider(make("span", {}, "T", make("sub", {}, "max")), 2, 1000, "steps", true);
        this.steps.value = linked("t", steps);
        this.tmax.value = linked("tmax", tmax);
        this.controls.append(make("label", {}, "Task", this.task), this.steps.element, this.tmax.element);
      }
      const button = (name, onclick, more) => make("button", { type: "button", onclick, ...more }, name);
      this.buttons = row(
        (this.button = button("Train", () => (this.stop ? this.end("Stopped.") : this.begin()), { class: "main" })),
        button("Another seed", () => {
          this.seed = 1 + random(9999);
          this.begin();
        }),
        button("Reset", () => {
          delete this.runs[this.chosen];
          this.choose();
        }),
        button("Copy link", () => this.share()),
      );
      this.append(
        this.controls,
        (this.today = note(
          "minGRU (a minimal GRU) and selective (a selective state space model, Mamba's form) are networks of today. " +
            "Their gates see only the current character.",
        )),
        this.buttons,
        (this.status = make("p", { class: "live-note", role: "status" })),
        (this.hint = note()),
        (this.seen = make("p", { class: "live-seen" })),
        (this.plot = make("svg", { class: "live-plot", role: "img" })),
        (this.faint = note()),
        (this.inside = make("div", { class: "live-inside" })),
      );
      if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined")
        for (const button of this.buttons.children) button.disabled = true;
      this.chosen = this.asked().asked.task;
      this.end(this.idle);
      const changed = () => (this.chosen === this.asked().asked.task ? this.compare() : this.choose());
      this.controls.addEventListener("input", changed);
      if (this.text) this.text.addEventListener("drawn", changed);
      new ResizeObserver(() => this.draw()).observe(this.plot);
      recorded.then(() => this.draw());
    }

    disconnectedCallback() {
      this.stop?.();
    }

    // idle is what is said while nothing trains.
    get idle() {
      if (this.button.disabled)
        return "This browser lacks WebAssembly, so nothing can be trained here. What is shown is recorded.";
      return engine ? "" : "Train loads a program of 4 to 12 MB, once. It runs on your machine only.";
    }

    // asked is what the controls say: the settings of a training, and the text on which its networks answer. They train
    // on texts whose clock varies as much as the one that is drawn.
    asked() {
      const seed = this.seed;
      if (!this.text) {
        const task = this.task.value,
          { updates } = usual[task];
        return { asked: { task, steps: this.steps.value, tmax: this.tmax.value, updates, seed } };
      }
      const drawn = this.text.drawn;
      return {
        drawn,
        asked: {
          task: drawn.kind,
          networks: this.networks.value.split(" "),
          steps: 100,
          shortest: Math.min(...drawn.clock),
          longest: Math.max(...drawn.clock),
          updates: 1000,
          seed,
          symbols: stepsOf(drawn).map((step) => step.read.symbol),
        },
      };
    }

    // shown is the last training of the chosen task, from its first look into the networks on, else a recorded one.
    get shown() {
      const run = self.warptimeRecorded?.[this.chosen],
        drawn = run?.asked.symbols && { ...first, kind: this.chosen };
      return (this.runs[this.chosen] ??= run && { ...run, drawn, recorded: true });
    }

    // choose changes the task, and takes the settings of the training that is shown of it.
    choose() {
      this.chosen = this.asked().asked.task;
      const asked = this.shown?.asked ?? usual[this.chosen];
      this.seed = asked?.seed ?? 1;
      if (!this.text) {
        this.steps.value = asked.steps;
        this.tmax.value = asked.tmax;
      } else if (asked) this.networks.value = asked.networks.join(" ");
      this.end(this.idle);
    }

    begin() {
      this.end("Loading …");
      this.run = { ...this.asked(), losses: [] };
      this.button.textContent = "Stop";
      this.stop = train(this.run.asked, (m) => this.told(m));
      this.compare();
    }

    end(status) {
      this.stop?.();
      this.stop = undefined;
      this.button.textContent = "Train";
      this.status.setAttribute("aria-live", "polite");
      this.status.textContent = status;
      this.draw();
    }

    told(m) {
      const { run, shown } = this;
      if (m.error) return this.end(`Training failed: ${m.error}`);
      if (m.kind === "end") return this.end(`Trained for ${m.update} updates, ${round(this.rate())} a second.`);
      if (m.kind === "start") {
        run.start = m;
        run.started = performance.now();
      }
      if (m.kind === "losses") run.losses.push(m);
      if (m.kind === "answers" || m.kind === "scales") {
        run.first ??= m;
        run.latest = m;
        if (run !== shown) {
          run.before = shown?.losses.length ? { ...shown, before: undefined } : shown?.before;
          this.runs[this.chosen] = run;
        }
      }
      this.waiting ||= setTimeout(
        () =>
          requestAnimationFrame(() => {
            this.waiting = 0;
            this.draw();
          }),
        still.matches ? 2000 : 0,
      );
    }

    // rate is in updates a second.
    rate() {
      const { losses, started } = this.run;
      return (1000 * losses.at(-1).update) / (performance.now() - started);
    }

    draw() {
      const run = this.shown,
        before = run?.before;
      this.compare();
      this.classList.toggle("recorded", !!run?.recorded);
      const width = Math.min(660, Math.max(290, this.plot.clientWidth));
      this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
      if (!run) return [this.seen, this.plot, this.faint, this.inside].forEach((part) => part.replaceChildren());
      this.plot.replaceChildren(...curves(run, before, width));
      const sentence = run.losses.length ? finding(run) : "",
        set = make("b", {}, `${run.recorded ? "recorded on another machine: " : ""}${about(run)}. `);
      this.seen.setAttribute("aria-live", this.stop ? "off" : "polite"); // once, at the end
      this.seen.replaceChildren(set, sentence);
      this.plot.setAttribute("aria-label", `losses over updates. ${set.textContent}${sentence}`);
      const past = before?.recorded ? "recorded training" : "training before",
        same = before?.start.arms.filter((arm) => run.start.arms.includes(arm));
      this.faint.textContent = before ? `Faint: the ${past} (${same.join(", ")}; ${about(before)}).` : "";
      if (run === this.run && this.stop) this.progress(run.losses.at(-1)?.update);
      if (run.drawn) this.answers(run);
      else this.scales(run.first.scales, run.latest.scales, width);
    }

    // compare shows a hint unless what is drawn below, or is about to be, is trained with the settings chosen now.
    compare() {
      const chosen = this.asked(),
        run = this.stop ? this.run : this.shown;
      this.today.hidden = !chosen.asked.networks?.includes("minGRU");
      this.hint.hidden = this.button.disabled || (run && settings(run) === settings(chosen));
      this.hint.textContent = run
        ? `The result below has other settings. Press ${this.stop ? "Stop, and then " : ""}Train to use the ones above.`
        : "Nothing is trained on this task yet. Press Train.";
    }

    // progress is not announced to those who hear the page: it never stays.
    progress(update) {
      const { updates } = this.run.asked;
      this.status.setAttribute("aria-live", "off");
      const left = update >= 50 ? `, about ${Math.ceil((updates - update) / this.rate())} s left` : "";
      this.status.textContent = update
        ? `${update} of ${updates} updates${left}`
        : "Training. The first updates take a few seconds.";
    }

    // answers draws what each network answers on the text, and the gates of the gated one: a column a step.
    answers({ start, latest, drawn }) {
      const steps = stepsOf(drawn);
      const letters = new Map(
        steps.flatMap(({ read, want }) => [
          [read.symbol, read.letter],
          [want.symbol, want.letter],
        ]),
      );
      const cell = (step, k, t) => {
        if (k < 2) return tile(step, k);
        const symbol = latest.answers[k - 2][t],
          right = symbol === step.want.symbol;
        return make("span", { class: right ? "" : "wrong" }, right ? step.want.letter : (letters.get(symbol) ?? "?"));
      };
      const names = [
        { name: "reads" },
        { name: "should say" },
        ...start.arms.map((name) => ({ name, color: colors[looks[name]] })),
      ];
      const errors = start.arms.map((arm, i) => `${arm} ${wrong(steps, latest.answers[i])}`);
      this.inside.replaceChildren(
        note(
          "What the networks answer on the text as it was drawn. ",
          make("b", { class: "wrong" }, "x"),
          " is a wrong answer; ? is a symbol that is not in this text.",
          drawn.kind !== "pad" && [...drawn.text].some((letter, i, all) => letter === all[i - 1])
            ? " While the second of two equal letters lasts, no network can know that it has begun."
            : "",
        ),
        make(
          "div",
          {
            class: "live-tiles",
            role: "img",
            "aria-label": `answers on a text of ${steps.length} steps; wrong: ${errors.join(", ")}`,
          },
          ...rows(steps, this.inside.clientWidth, names, cell),
        ),
        ...this.gates(latest, steps, drawn),
      );
    }

    // gates draws gates over the text: a column a step, a row a unit.
    gates(m, steps, { text, clock }) {
      const units = m.gates.length / steps.length;
      const canvas = make("canvas", {
        width: steps.length,
        height: units,
        role: "img",
        "aria-label": "gates of the gated network over the text",
      });
      const image = canvas.getContext("2d").createImageData(steps.length, units);
      const [open, kept] = [
        [255, 255, 255],
        [0, 66, 114],
      ]; // as live.css has them
      for (let t = 0; t < steps.length; t++) {
        for (let u = 0; u < units; u++) {
          const share = Math.max(0, 1 + Math.log10(Math.max(m.gates[t * units + u], 1e-3)) / 2); // 1: open, 0: 1/100
          image.data.set(
            [...open.map((c, i) => kept[i] + (c - kept[i]) * share), 255],
            4 * ((units - 1 - u) * steps.length + t),
          );
        }
      }
      canvas.getContext("2d").putImageData(image, 0, 0);
      const letters = [...text].map((letter, i) => make("span", { style: `flex-grow: ${clock[i]}` }, shown(letter)));
      return [
        note(
          "The gates of the gated network while it reads (a letter, or ␣ for a space, stands where its character begins): a row for " +
            `each of its ${units} units. The higher the row, the higher the gate's bias, and the more easily it opens.`,
        ),
        make("div", { class: "live-letters", "aria-hidden": "true" }, ...letters),
        canvas,
        make("p", { class: "live-note live-key" }, "1 (takes in what it reads)", make("i"), "1/100 (keeps its state)"),
      ];
    }

    // scales draws how long the units of the chrono LSTM remember by their forget biases, before training and now.
    scales(before, now, width) {
      const high = 104,
        x = (s) => left + ((width - left - right) * Math.log(Math.min(Math.max(s, 1), 2000))) / Math.log(2000);
      const dots = (scales, y, name) =>
        scales
          .filter((s) => s !== null) // diverged
          .map((s, i) => make("circle", { class: name, cx: x(s), cy: y + (i % 3) * 4, r: 3.2 }));
      const standard = x(1 + Math.E); // a forget bias of 1
      this.inside.replaceChildren(
        make(
          "p",
          { class: "live-note" },
          "For how many steps each unit of the chrono LSTM remembers, by its forget bias. " +
            "Dotted: the standard LSTM before training.",
        ),
        make(
          "svg",
          {
            class: "live-plot",
            viewBox: `0 0 ${width} ${high}`,
            role: "img",
            "aria-label": "time scales of the forget biases, before and after",
          },
          make("line", { class: "axis", x1: left, x2: width - right, y1: 72, y2: 72 }),
          make("line", { class: "reference", x1: standard, x2: standard, y1: 4, y2: 72 }),
          ...[1, 10, 100, 1000].map((s) => make("text", { x: x(s), y: 90, "text-anchor": "middle" }, s)),
          ...dots(before, 12, "before"),
          ...dots(now, 46, "now"),
          make("text", { x: width - right + 6, y: 90 }, "steps"),
          make("text", { x: width - right + 6, y: 20 }, "before"),
          make("text", { x: width - right + 6, y: 54 }, "now"),
        ),
      );
    }

    // share puts the settings into the page's address.
    share() {
      const { asked, drawn } = this.asked();
      const all = drawn
        ? { ...drawn, clock: drawn.clock.join("-"), networks: this.networks.value }
        : { task: asked.task, t: asked.steps, tmax: asked.tmax };
      location.hash = new URLSearchParams({ ...all, seed: this.seed });
      const told = (how) => {
        this.status.textContent = `The settings were put into the page's address${how}.`;
      };
      told("");
      navigator.clipboard?.writeText(location.href).then(
        () => told(", and copied"),
        () => {},
      );
    }
  }

  customElements.define("warptime-text", Text);
  customElements.define("warptime-train", Train);
})();
