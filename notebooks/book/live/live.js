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
  function slider(label, min, max, value, unit, logarithmic = false) {
    const to = (x) => (logarithmic ? Math.log(x) : x),
      from = (x) => Math.round(logarithmic ? Math.exp(x) : x);
    const out = make("output");
    const show = () => {
      out.textContent = `${from(+input.value)} ${unit}`;
      input.setAttribute("aria-valuetext", out.textContent);
    };
    const input = make("input", {
      type: "range",
      min: to(min),
      max: to(max),
      step: logarithmic ? "any" : 1,
      value: to(Math.min(max, Math.max(min, value))),
      oninput: show,
    });
    show();
    return {
      element: make("label", {}, label, input, out),
      get value() {
        return from(+input.value);
      },
    };
  }

  const round = (x) => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
  const link = new URLSearchParams(location.hash.slice(1)); // settings that somebody has shared
  const linked = (name, otherwise) => Math.max(1, Math.round(+(link.get(name) ?? otherwise))) || otherwise;

  // ---- A text and its clock ----

  const longest = 12; // steps of a character
  const random = (n) => Math.floor(Math.random() * n);
  const first = [1, 3, 2, 5, 1, 8, 10, 6, 2, 1, 4, 9, 12];
  const clocks = {
    Steady: (n) => Array(n).fill(4),
    Slowing: (n) => Array.from({ length: n }, (_, i) => 1 + Math.round((longest - 1) * (i / (n - 1 || 1)) ** 2)),
    Random: (n) => Array.from({ length: n }, () => 1 + random(longest)),
  };
  const shown = (letter) => (letter === " " ? "␣" : letter);

  class Text extends HTMLElement {
    connectedCallback() {
      this.steps = (link.get("clock") ?? "")
        .split("-")
        .map(Number)
        .filter((n) => n >= 1 && n <= longest);
      if (!this.steps.length) this.steps = [...first];
      this.text = make("input", {
        type: "text",
        maxlength: 16,
        size: 16,
        spellcheck: "false",
        value: link.get("text") ?? "time may warp",
        oninput: () => this.draw(),
      });
      this.padded = make(
        "select",
        { "aria-label": "what follows a character", onchange: () => this.draw() },
        make("option", { value: "warp" }, "repeat it (warping)"),
        make("option", { value: "pad" }, "fill with zeros (padding)"),
      );
      this.padded.value = link.get("kind") === "pad" ? "pad" : "warp";
      this.clock = make("div", {
        class: "live-clock",
        role: "group",
        "aria-label": "the clock: left and right choose a character, up and down its steps",
        onpointerdown: (e) => this.drag(e),
        onpointermove: (e) => e.buttons && this.drag(e),
        onkeydown: (e) => this.key(e),
      });
      this.tiles = make("div", { class: "live-tiles", role: "img" });
      const presets = Object.entries(clocks).map(([name, of]) =>
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              this.steps = of([...this.text.value].length);
              this.draw();
            },
          },
          name,
        ),
      );
      this.append(
        row(
          make("label", {}, "Text", this.text),
          make("label", {}, "Clock", ...presets),
          make("label", {}, "After a character", this.padded),
        ),
        make("p", { class: "live-note" }, "Drag across the bars: each says for how many steps its character lasts."),
        this.clock,
        make(
          "p",
          { class: "live-note" },
          "So the network reads the upper row, one character a step, and should answer with the lower row, " +
            "the character before:",
        ),
        this.tiles,
      );
      this.draw();
    }

    // drag sets the bar under the pointer as high as the pointer is.
    drag(e) {
      e.preventDefault();
      const box = this.clock.getBoundingClientRect(),
        n = this.steps.length;
      const at = Math.min(n - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * n)));
      const foot = this.clock.firstChild.lastChild.offsetHeight; // of the letters below the bars
      this.set(at, Math.ceil(((box.bottom - foot - e.clientY) / (box.height - foot)) * longest));
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
      const text = [...this.text.value];
      while (this.steps.length < text.length) this.steps.push(1 + random(longest));
      this.steps.length = text.length;
      if (this.clock.children.length !== text.length) {
        this.clock.replaceChildren(
          ...text.map((_, i) => {
            const bar = make(
              "div",
              { role: "slider", tabindex: i ? -1 : 0, "aria-valuemin": 1, "aria-valuemax": longest },
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
        bar.classList.toggle("full", this.steps[i] > longest - 2);
        bar.lastChild.textContent = shown(letter);
      });
      const pad = this.padded.value === "pad",
        tiles = [];
      text.forEach((letter, i) => {
        for (let t = 0; t < this.steps[i]; t++) {
          const zero = pad && t > 0,
            before = i ? shown(text[i - 1]) : "–";
          tiles.push(
            make(
              "span",
              i % 2 ? { class: "odd" } : {},
              make("b", {}, zero ? "0" : shown(letter)),
              make("i", {}, zero ? "0" : before),
            ),
          );
        }
      });
      this.tiles.replaceChildren(...tiles);
      this.tiles.setAttribute("aria-label", `${text.length} characters take ${tiles.length} steps`);
    }

    // settings are those of a training on texts whose clock varies as much as this one. The text itself, with numbers
    // from 1 to 9 for its letters, is what the gates are drawn for.
    get settings() {
      const max = Math.max(2, ...this.steps),
        pad = this.padded.value === "pad",
        text = [...this.text.value];
      const numbers = [...new Set(text)];
      const symbols = text.flatMap((letter, i) =>
        Array.from({ length: this.steps[i] }, (_, t) => (pad && t ? 0 : 1 + (numbers.indexOf(letter) % 9))),
      );
      return {
        task: this.padded.value,
        longest: pad ? max - 1 || 1 : max,
        symbols: symbols.length ? symbols : undefined,
      };
    }
    // letters are those of the symbols, at the step where each begins.
    get letters() {
      return [...this.text.value].flatMap((letter, i) =>
        Array.from({ length: this.steps[i] }, (_, t) => (t ? "" : shown(letter))),
      );
    }
    get link() {
      return { text: this.text.value, clock: this.steps.join("-"), kind: this.padded.value };
    }
  }

  // ---- Curves ----

  const height = 250,
    left = 38,
    right = 92,
    top = 26,
    bottom = 36;
  const patterns = ["", "9 4", "4 3"];
  const colors = ["var(--one)", "var(--two)", "var(--three)"];
  const ends = [100, 200, 300, 500, 800, 1000, 1500, 2000, 3000, 1e5]; // of the axis of updates

  // smooth returns the means of an arm's losses over the last 25 updates; sentences and thick curves rest on them.
  function smooth(losses, arm) {
    return losses.map((m, i) => {
      let sum = 0,
        n = 0;
      for (let k = i; k >= 0 && losses[k].update > m.update - 25; k--, n++) sum += losses[k].losses[arm] ?? NaN;
      return { update: m.update, loss: sum / n };
    });
  }

  // curves draws the losses of arms over updates, in an axis from 0 to a little above the memoryless loss.
  function curves({ arms, memoryless }, losses, width, unit) {
    const last = losses.at(-1)?.update ?? 0,
      updates = ends.find((n) => n >= last),
      high = memoryless * 1.25;
    const x = (u) => left + ((width - left - right) * u) / updates;
    const y = (l) => top + (height - top - bottom) * (1 - Math.min(l, high) / high);
    const text = (x, y, anchor, words) => make("text", { x, y, "text-anchor": anchor }, words);
    const parts = [
      make("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
      make("line", { class: "reference", x1: left, x2: width - right, y1: y(memoryless), y2: y(memoryless) }),
      text(2, 14, "start", unit),
      text(left - 6, y(0) + 4, "end", "0"),
      text(left - 6, y(memoryless) + 4, "end", memoryless.toPrecision(2)),
    ];
    parts.push(
      text(left, height - bottom + 18, "start", "0"),
      text(x(updates), height - bottom + 18, "end", `${updates} updates`),
    );
    if (width > 450) parts.push(text(x(updates / 2), height - bottom + 18, "middle", updates / 2));
    const names = [{ name: "memoryless", at: y(memoryless) }];
    arms.forEach((arm, i) => {
      const line = (points, width) => {
        const shown = points
          .filter((p) => Number.isFinite(p.loss))
          .map((p) => `${x(p.update).toFixed(1)},${y(p.loss).toFixed(1)}`);
        if (shown.length)
          parts.push(
            make("path", {
              d: "M" + shown.join("L"),
              class: width,
              style: `--color:${colors[i]}`,
              "stroke-dasharray": width ? "" : patterns[i],
            }),
          );
      };
      const means = smooth(losses, i);
      line(
        losses.map((m) => ({ update: m.update, loss: m.losses[i] ?? NaN })),
        "each",
      );
      line(means, "");
      if (means.length)
        names.push({
          name: arm,
          at: y(Number.isFinite(means.at(-1).loss) ? means.at(-1).loss : high),
          color: colors[i],
        });
    });
    names
      .sort((a, b) => b.at - a.at)
      .forEach((e, k) => {
        // names do not stand on one another
        e.at = Math.min(e.at, k ? names[k - 1].at - 16 : y(0));
        parts.push(
          make(
            "text",
            { class: e.color ? "arm" : "", x: width - right + 6, y: e.at + 4, style: `--color:${e.color}` },
            e.name,
          ),
        );
      });
    return parts;
  }

  // ---- A training ----

  const arms = {
    plain: "the plain network",
    leaky: "the leaky network",
    gated: "the gated network",
    standard: "the standard LSTM",
    chrono: "the chrono LSTM",
  };
  const percent = (share) =>
    share > 1.05 ? "above it" : share > 0.9 ? "close to it" : `at ${Math.max(1, Math.round(100 * share))}\u00a0%`;
  const list = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);

  // finding says in one sentence what is seen: what each network's loss is, and when each had learned the half.
  function finding({ arms: names, memoryless }, losses) {
    const update = losses.at(-1).update;
    const found = names.map((arm, i) => {
      const means = smooth(losses, i);
      return {
        name: arms[arm],
        share: means.at(-1).loss / memoryless,
        half: means.find((m) => m.loss < memoryless / 2)?.update,
      };
    });
    if (found.some((f) => Number.isNaN(f.share)))
      return `After ${update} updates a network has diverged; press Another seed.`;
    found.sort((a, b) => a.share - b.share);
    if (found[0].share > 0.9) return `After ${update} updates no network is clearly better than one without memory.`;
    const at = found.map(
      (f, i) => `${f.name} ${i ? percent(f.share) : `is ${percent(f.share)} of the memoryless loss`}`,
    );
    const halves = found.filter((f) => f.half).sort((a, b) => a.half - b.half);
    const half = halves.map((f, i) => `${f.half}${i ? "" : " updates"} (${f.name.split(" ")[1]})`);
    const reached = half.length ? `; half of the memoryless loss was reached after ${list(half)}` : "";
    return `After ${update} updates ${list(at)}${reached}.`;
  }

  const still = matchMedia("(prefers-reduced-motion: reduce)");

  class Train extends HTMLElement {
    connectedCallback() {
      this.kind = this.getAttribute("task");
      this.warps = this.kind === "warp";
      this.seed = linked("seed", 1);
      this.controls = row();
      if (this.warps) {
        this.longest = slider(
          "Slowest character",
          2,
          20,
          linked("longest", +(this.getAttribute("longest") ?? 10)),
          "steps",
        );
        if (!this.source()) this.controls.append(this.longest.element);
      } else {
        this.task = make(
          "select",
          {},
          make("option", { value: "adding" }, "adding"),
          make("option", { value: "copy" }, "copy"),
        );
        this.task.value = link.get("task") ?? this.kind;
        if (!this.task.value) this.task.value = this.kind;
        const t = linked("t", +(this.getAttribute("steps") ?? 60)),
          tmax = make("span", {}, "T", make("sub", {}, "max"));
        this.steps = slider("T", 10, 200, t, "steps");
        this.tmax = slider(tmax, 2, 1000, linked("tmax", t), "steps", true);
        this.controls.append(make("label", {}, "Task", this.task), this.steps.element, this.tmax.element);
      }
      this.button = make("button", {
        type: "button",
        class: "main",
        onclick: () => (this.stop ? this.end("Stopped.") : this.begin()),
      });
      this.buttons = row(
        this.button,
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              this.seed = 1 + random(9999);
              this.begin();
            },
          },
          "Another seed",
        ),
        make("button", { type: "button", onclick: () => this.reset() }, "Reset"),
        make("button", { type: "button", onclick: () => this.share() }, "Copy link"),
      );
      this.append(
        this.controls,
        this.buttons,
        (this.status = make("p", { class: "live-note", role: "status" })),
        (this.seen = make("p", { class: "live-seen" })),
        (this.plot = make("svg", { class: "live-plot", role: "img" })),
        (this.inside = make("div", { class: "live-inside" })),
      );
      this.reset();
      new ResizeObserver(() => this.draw()).observe(this.plot);
      script("recorded.js").then(
        () => this.draw(),
        () => {},
      ); // without it the panel begins empty
    }

    disconnectedCallback() {
      this.stop?.();
    }

    // source is the text whose clock says what is trained on, if the page has one.
    source() {
      return document.querySelector("warptime-text");
    }

    settings() {
      if (this.warps)
        return {
          steps: 60,
          updates: 1500,
          seed: this.seed,
          task: "warp",
          longest: this.longest.value,
          ...this.source()?.settings,
        };
      const task = this.task.value;
      return {
        task,
        steps: this.steps.value,
        tmax: this.tmax.value,
        updates: task === "copy" ? 3000 : 1500,
        seed: this.seed,
      };
    }

    reset() {
      this.end("Train loads a program of 2 to 4 MB, once. It runs on your machine only.");
      this.losses = [];
      this.start = this.first = this.latest = undefined;
      if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
        for (const button of this.buttons.children) button.disabled = true;
        this.status.textContent =
          "This browser lacks WebAssembly, so nothing can be trained here. The picture shows a recorded training.";
      }
      this.draw();
    }

    begin() {
      this.reset();
      this.button.textContent = "Stop";
      this.status.textContent = "Loading …";
      this.asked = this.settings();
      this.letters = this.asked.symbols && this.source().letters;
      this.stop = train(this.asked, (m) => this.told(m));
    }

    end(status) {
      this.stop?.();
      this.stop = undefined;
      this.button.textContent = "Train";
      this.status.setAttribute("aria-live", "polite");
      this.status.textContent = status;
    }

    told(m) {
      if (m.error) return this.end(`It does not run: ${m.error}`);
      if (m.kind === "start") {
        this.start = m;
        this.started = performance.now();
        this.status.textContent = "Training.";
      }
      if (m.kind === "losses") this.losses.push(m);
      if (m.kind === "gates" || m.kind === "scales") {
        this.first ??= m;
        this.latest = m;
      }
      if (m.kind === "end") this.end(`Trained for ${m.update} updates, ${this.pace()}.`);
      this.waiting ||= setTimeout(
        () =>
          requestAnimationFrame(() => {
            this.waiting = 0;
            this.draw();
          }),
        still.matches && this.stop ? 2000 : 0,
      );
    }

    pace() {
      const update = this.losses.at(-1)?.update ?? 0;
      return `${round((1000 * update) / (performance.now() - this.started))} a second, seed ${this.asked.seed}`;
    }

    // draw shows the training, or before there is one a recorded one.
    draw() {
      const recorded = !this.losses.length && self.warptimeRecorded?.[this.kind];
      const { start, losses, first, latest, settings } = recorded || { ...this, settings: this.asked };
      this.classList.toggle("recorded", Boolean(recorded) && !this.stop);
      const width = Math.min(660, Math.max(290, this.plot.clientWidth));
      this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
      if (!losses?.length) return;
      const unit = settings.task === "adding" ? "squared error" : "loss (nats per step)";
      this.plot.replaceChildren(...curves(start, losses, width, unit));
      const sentence = finding(start, losses);
      this.seen.setAttribute("aria-live", this.stop ? "off" : "polite"); // once, at the end
      const sizes = this.warps
        ? `up to ${settings.longest} steps a character`
        : `${settings.task}, T = ${settings.steps}`;
      this.seen.textContent = recorded
        ? `A recorded training (${sizes}): ${sentence[0].toLowerCase()}${sentence.slice(1)}`
        : sentence;
      this.plot.setAttribute("aria-label", `losses over updates. ${sentence}`);
      if (!recorded) {
        if (this.stop) this.progress(losses.at(-1).update);
        this.dataset.update = losses.at(-1).update;
        this.dataset.losses = JSON.stringify(
          start.arms.map((_, i) => smooth(losses, i).at(-1).loss / start.memoryless),
        );
      }
      if (latest?.kind === "gates") this.gates(latest, recorded ? undefined : this.letters);
      if (latest?.kind === "scales") this.scales(first.scales, latest.scales, width);
    }

    // progress is not announced to those who hear the page: it never stays.
    progress(update) {
      this.status.setAttribute("aria-live", "off");
      this.status.textContent = `${update} of ${this.asked.updates} updates, ${this.pace()}`;
    }

    // gates draws the gates of one sequence: a column a step, a row a unit.
    gates(m, letters) {
      const steps = m.symbols.length,
        units = m.gates.length / steps;
      const canvas = make("canvas", {
        width: steps,
        height: units,
        role: "img",
        "aria-label": "gates of the gated network over one sequence",
      });
      const image = canvas.getContext("2d").createImageData(steps, units);
      const style = getComputedStyle(this);
      const [open, kept] = ["--open", "--kept"].map((name) =>
        style
          .getPropertyValue(name)
          .trim()
          .match(/\w\w/g)
          .map((c) => parseInt(c, 16)),
      );
      for (let t = 0; t < steps; t++) {
        for (let u = 0; u < units; u++) {
          const share = Math.max(0, 1 + Math.log10(Math.max(m.gates[t * units + u], 1e-3)) / 2); // 1: open, 0: 1/100
          image.data.set(
            [...open.map((c, i) => kept[i] + (c - kept[i]) * share), 255],
            4 * ((units - 1 - u) * steps + t),
          );
        }
      }
      canvas.getContext("2d").putImageData(image, 0, 0);
      letters ??= m.symbols.map((s, t) => (s === (m.symbols[t - 1] ?? 0) ? "" : "0abcdefghi"[s]));
      this.inside.replaceChildren(
        make(
          "p",
          { class: "live-note" },
          `The gates of the gated network while it reads ${letters === this.letters ? "your" : "a random"} text ` +
            `(a letter stands where its character begins): a row for each of its ${units} units, slow units at the ` +
            "bottom.",
        ),
        make("div", { class: "live-letters", "aria-hidden": "true" }, ...letters.map((l) => make("span", {}, l))),
        canvas,
        make("p", { class: "live-note live-key" }, "1 (takes in what it reads)", make("i"), "1/100 (keeps its state)"),
      );
    }

    // scales draws how long the units of the chrono LSTM remember by their forget biases, before training and now.
    scales(before, now, width) {
      const high = 104,
        x = (s) => left + ((width - left - right) * Math.log(Math.min(Math.max(s, 1), 2000))) / Math.log(2000);
      const dots = (scales, y, name) =>
        scales.map((s, i) => make("circle", { class: name, cx: x(s), cy: y + (i % 3) * 4, r: 3.2 }));
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
          make("text", { x: width - right + 6, y: 94 }, "steps"),
          make("text", { x: width - right + 6, y: 20 }, "before"),
          make("text", { x: width - right + 6, y: 54 }, "now"),
        ),
      );
    }

    // share puts the settings into the page's address.
    share() {
      const all = this.warps
        ? { ...this.source()?.link, longest: this.longest.value }
        : { task: this.task.value, t: this.steps.value, tmax: this.tmax.value };
      location.hash = new URLSearchParams({ ...all, seed: this.seed });
      const told = (how) => {
        this.status.textContent = `These settings are in the page's address${how}.`;
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
