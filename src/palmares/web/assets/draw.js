// The public draw, version 1: docs/reference/draw.md, sections 1 to 5, without any library.
//
// palmaresDraw.run(text, recordedAt, reveals) takes an announcement as the text of its file, the
// time it was recorded, and what its sources revealed. It returns {announcement, seed, places,
// attempts, bytes, feeds, seedText}, or {refused: code}. Signatures of drand are not verified. Of a
// draw that is recorded (a fourth argument, true) the rehearsals are left out: they change nothing.
"use strict";

globalThis.palmaresDraw = (() => {
  class Refused extends Error {
    constructor(code) {
      super(code);
      this.code = code;
    }
  }

  const demand = (condition, code) => {
    if (!condition) throw new Refused(code);
  };

  // ── SHA-256 (FIPS 180-4); crypto.subtle is missing on pages without HTTPS ─────────────────────

  const primes = (count) => {
    const found = [];
    for (let n = 2; found.length < count; n++) if (found.every((p) => n % p)) found.push(n);
    return found;
  };
  const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  const ROUND = primes(64).map((p) => fraction(Math.cbrt(p)));
  const START = primes(8).map((p) => fraction(Math.sqrt(p)));
  const turn = (x, n) => (x >>> n) | (x << (32 - n));

  function sha256(bytes) {
    const length = ((bytes.length + 72) >> 6) << 6;
    const padded = new Uint8Array(length);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(length - 4, bytes.length << 3);
    const state = [...START];
    const w = new Int32Array(64);
    for (let at = 0; at < length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const p = w[i - 15];
        const q = w[i - 2];
        const s0 = turn(p, 7) ^ turn(p, 18) ^ (p >>> 3);
        const s1 = turn(q, 17) ^ turn(q, 19) ^ (q >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
        const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] + x) | 0));
    }
    const out = new Uint8Array(32);
    state.forEach((x, i) => new DataView(out.buffer).setInt32(4 * i, x));
    return out;
  }

  const utf8 = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  const hashOf = (text) => hex(sha256(utf8(text)));

  // ── 1. the announcement: shape ────────────────────────────────────────────────────────────────

  const isText = (most) => (x) =>
    typeof x === "string" && x.length >= 1 && x.length <= most &&
    !/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(x) &&
    !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(x);
  const isId = (x) => typeof x === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(x);
  const isHash = (x) => typeof x === "string" && /^[0-9a-f]{64}$/.test(x);
  const isBoolean = (x) => typeof x === "boolean";
  const isNumber = (least, most) => (x) => Number.isInteger(x) && x >= least && x <= most;
  const isAmong = (...values) => (x) => values.includes(x);
  const isList = (of) => (x) => Array.isArray(x) && x.every(of);
  const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
  const has = (x, shape, optional = {}) =>
    isObject(x) &&
    Object.keys(shape).every((key) => Object.hasOwn(x, key)) &&
    Object.keys(x).every((key) => {
      const check = Object.hasOwn(shape, key) ? shape[key] : Object.hasOwn(optional, key) && optional[key];
      return check && check(x[key]);
    });

  function secondsOf(text) {
    const parts = /^(20[2-9]\d)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/.exec(text);
    if (typeof text !== "string" || !parts) return NaN;
    const time = Date.parse(text);
    return new Date(time).toISOString().slice(0, 19) + "Z" === text ? time / 1000 : NaN;
  }
  const isTime = (x) => {
    try {
      return Number.isFinite(secondsOf(x));
    } catch {
      return false;
    }
  };

  const SOURCES = {
    numbers: {
      kind: isAmong("numbers"), source: isText(200), when: isTime, count: isNumber(1, 1000),
      from: isNumber(0, 999999), to: isNumber(0, 999999), repeats: isBoolean, ascending: isBoolean,
    },
    secrets: {
      kind: isAmong("secrets"), when: isTime, missing: isAmong("void", "leave_out"),
      commitments: isList((x) => has(x, { id: isId, sha256: isHash })),
    },
    drand: { kind: isAmong("drand"), chain: isHash, round: isNumber(1, 2 ** 40), when: isTime },
  };
  const isSource = (x) => isObject(x) && Object.hasOwn(SOURCES, x.kind) && has(x, SOURCES[x.kind]);
  const isSet = (x) => has(x, { who: isList(isId), rounds: isNumber(1, 12), why: isText(200) });
  const isFeed = (x) => has(x, { name: isId, of: isId, rounds: isList(isNumber(1, 64)) });
  const isNotes = (x) => isObject(x) && Object.entries(x).every(([k, v]) => isId(k) && isText(2000)(v));
  const isPlace = (x) => x === "+" || x === "-" || isId(x);

  const EVERY = {
    palmares_draw: isAmong(1), draw: isId, event: isText(200), format: (x) => typeof x === "string",
    entries: isList(isId), randomness: isList(isSource),
  };
  const SOME = { notes: isNotes, replaces: isHash, reason: isText(2000) };
  const ids = isList(isId);
  const sets = isList(isSet);
  const FORMATS = {
    knockout: [
      { seeding: isAmong("placed", "bands"), byes: isAmong("highest", "drawn") },
      { seeds: ids, apart: sets, feeds: isList(isFeed), alternates: ids },
    ],
    groups: [{ groups: isNumber(1, 4096) }, { seeds: ids, pots: isList(ids), apart: sets, alternates: ids }],
    pairs: [{}, { apart: sets }],
    order: [{}, {}],
    late: [{ of: isHash, layout: isList(isPlace) }, { apart: sets }],
  };

  function canonical(x) {
    if (Array.isArray(x)) return `[${x.map(canonical).join(",")}]`;
    if (!isObject(x)) return JSON.stringify(x);
    const inner = Object.keys(x).sort().map((key) => `${JSON.stringify(key)}:${canonical(x[key])}`);
    return `{${inner.join(",")}}`;
  }

  function parse(text) {
    let a;
    try {
      a = JSON.parse(text);
    } catch {
      throw new Refused("shape");
    }
    demand(isObject(a) && Object.hasOwn(FORMATS, a.format), "shape");
    const [must, may] = FORMATS[a.format];
    demand(has(a, { ...EVERY, ...must }, { ...SOME, ...may }), "shape");
    demand(Object.hasOwn(a, "replaces") === Object.hasOwn(a, "reason"), "shape");
    demand(canonical(a) === text, "shape");
    return a;
  }

  // ── 1, 2 and 5. rules ─────────────────────────────────────────────────────────────────────────

  const different = (list) => new Set(list).size === list.length;
  const bracketSize = (n) => 2 ** Math.ceil(Math.log2(n));
  const sum = (list) => list.reduce((a, b) => a + b, 0);

  function checkEntries(a) {
    const n = a.entries.length;
    demand(n >= (a.format === "late" ? 1 : 2) && n <= 4096, "entries");
    demand(different(a.entries), "entries");
    if (a.format === "groups") demand(n >= 2 * a.groups, "entries");
    demand(different([...a.entries, ...(a.alternates ?? [])]), "entries");
    if (a.format !== "late") return;
    const p = a.layout.length;
    demand(p >= 2 && p <= 4096 && (p & (p - 1)) === 0, "entries");
    demand(different([...standingOf(a), ...a.entries]), "entries");
    demand(a.layout.filter((x) => x === "+").length >= n, "entries");
  }

  const standingOf = (a) => (a.layout ?? []).filter((x) => x !== "+" && x !== "-");

  function checkSeeds(a) {
    const seeds = a.seeds ?? [];
    const entered = new Set(a.entries);
    demand(seeds.every((x) => entered.has(x)) && different(seeds), "seeds");
    if (a.format === "groups") demand(seeds.length <= a.groups, "seeds");
    if (a.format !== "knockout") return;
    const all = a.seeding === "placed" && a.byes === "highest";
    demand(seeds.length <= (all ? a.entries.length : bracketSize(a.entries.length) / 2), "seeds");
  }

  function checkApart(a) {
    const known = new Set([...a.entries, ...standingOf(a)]);
    const pots = a.pots ?? [];
    demand(pots.every((pot) => pot.length), "apart");
    demand(different(pots.flat()) && pots.flat().every((x) => known.has(x)), "apart");
    let most = 1;
    if (a.format === "knockout") most = Math.log2(bracketSize(a.entries.length)) - 1;
    if (a.format === "late") most = Math.log2(a.layout.length) - 1;
    for (const set of a.apart ?? []) {
      demand(set.who.length >= 2 && different(set.who), "apart");
      demand(set.who.every((x) => known.has(x)) && set.rounds <= most, "apart");
    }
  }

  function feedsOf(a) {
    const matches = { main: [] };
    for (let n = bracketSize(a.entries.length) / 2; n >= 1; n /= 2) matches.main.push(n);
    const out = {};
    for (const { name, of, rounds } of a.feeds ?? []) {
      demand(!Object.hasOwn(matches, name) && Object.hasOwn(matches, of), "feeds");
      demand(rounds.every((r, i) => i === 0 || r > rounds[i - 1]), "feeds");
      demand(rounds.every((r) => r <= matches[of].length), "feeds");
      demand(sum(rounds.map((r) => matches[of][r - 1])) >= 2, "feeds");
      const played = [];
      let slots = null;
      const play = (pairs) => {
        played.push(pairs);
        slots = pairs.map((_, i) => `W:${played.length}:${i + 1}`);
      };
      const halve = () => play(slots.flatMap((s, i) => (i % 2 ? [] : [[s, slots[i + 1]]])));
      rounds.forEach((r, g) => {
        const n = matches[of][r - 1];
        const loser = (i) => `L:${of}:${r}:${i + 1}`;
        if (g === 0) {
          slots = Array.from({ length: n }, (_, i) => loser(i));
          return;
        }
        while (slots.length > n) halve();
        const w = Math.log2(n);
        const digits = [...g.toString(2).padStart(w, "0")].reverse().slice(0, w).join("");
        const flip = w ? parseInt(digits, 2) : 0;
        play(slots.map((s, i) => [s, loser(i ^ flip)]));
      });
      while (slots.length > 1) halve();
      matches[name] = played.map((pairs) => pairs.length);
      out[name] = played;
    }
    return out;
  }

  const CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

  function checkRandomness(a, recordedAt) {
    demand(a.randomness.length >= 1, "randomness");
    const recorded = secondsOf(recordedAt);
    let outcomes = 1n;
    for (const s of a.randomness) {
      demand(secondsOf(s.when) - recorded >= 60, "randomness");
      if (s.kind === "secrets") {
        const who = s.commitments.map((c) => c.id);
        demand(who.length >= 2 && different(who), "randomness");
      } else if (s.kind === "drand") {
        demand(s.chain === CHAIN, "randomness");
        demand(secondsOf(s.when) === 1692803367 + 3 * (s.round - 1), "randomness");
      } else {
        const n = s.to - s.from + 1;
        demand(n >= 2 && !(s.repeats && s.ascending), "randomness");
        demand(s.repeats || s.count <= n, "randomness");
        let ways = 1n;
        for (let i = 0; i < s.count; i++) ways *= BigInt(s.repeats ? n : n - i);
        outcomes *= s.ascending ? binomial(n, s.count) : ways;
      }
    }
    const onlyNumbers = a.randomness.every((s) => s.kind === "numbers");
    demand(!onlyNumbers || outcomes >= 2n ** 40n, "randomness");
  }

  function binomial(n, k) {
    if (k < 0 || k > n) return 0n;
    let value = 1n;
    for (let i = 1; i <= k; i++) value = (value * BigInt(n - k + i)) / BigInt(i);
    return value;
  }

  // ── 2. what was revealed ──────────────────────────────────────────────────────────────────────

  function seedTextOf(a, announcementHash, reveals) {
    demand(Array.isArray(reveals) && reveals.length === a.randomness.length, "reveal");
    const lines = ["palmares-draw-1", announcementHash];
    a.randomness.forEach((s, i) => {
      const given = reveals[i];
      if (s.kind === "numbers") {
        demand(has(given, { numbers: isList(isNumber(s.from, s.to)) }), "reveal");
        const { numbers } = given;
        demand(numbers.length === s.count, "reveal");
        demand(s.repeats || different(numbers), "reveal");
        demand(!s.ascending || numbers.every((x, j) => j === 0 || x > numbers[j - 1]), "reveal");
        lines.push(["numbers", ...numbers].join(" "));
      } else if (s.kind === "drand") {
        const isSignature = (x) => typeof x === "string" && /^[0-9a-f]{96}$/.test(x);
        demand(has(given, { signature: isSignature }), "reveal");
        const bytes = Uint8Array.from(given.signature.match(/../g), (x) => parseInt(x, 16));
        lines.push(`drand ${s.chain} ${s.round} ${hex(sha256(bytes))}`);
      } else {
        demand(has(given, { secrets: isObject }), "reveal");
        const committed = new Map(s.commitments.map((c) => [c.id, c.sha256]));
        for (const [who, secret] of Object.entries(given.secrets)) {
          demand(committed.has(who) && (secret === "-" || isHash(secret)), "reveal");
          if (secret === "-") continue;
          const text = `palmares-secret-1\n${a.draw}\n${who}\n${secret}\n`;
          demand(hashOf(text) === committed.get(who), "reveal");
        }
        const secretOf = (who) => (Object.hasOwn(given.secrets, who) ? given.secrets[who] : "-");
        const secrets = [...committed.keys()].map((who) => [who, secretOf(who)]);
        const missing = secrets.filter(([, secret]) => secret === "-").length;
        demand(!missing || (s.missing === "leave_out" && missing < secrets.length), "void");
        for (const [who, secret] of secrets) lines.push(`secret ${who} ${secret}`);
      }
    });
    return lines.map((line) => `${line}\n`).join("");
  }

  // ── 3. the generator ──────────────────────────────────────────────────────────────────────────

  class Stream {
    constructor(seed) {
      this.seed = seed;
      this.block = new Uint8Array(0);
      this.next = 0;
      this.blocks = 0;
      this.bytes = 0;
    }

    byte() {
      if (this.next === this.block.length) {
        this.block = sha256(utf8(`${this.seed}:draw:${this.blocks}`));
        this.blocks += 1;
        this.next = 0;
      }
      this.bytes += 1;
      return this.block[this.next++];
    }

    below(n) {
      const big = BigInt(n);
      if (big === 1n) return 0n;
      const digits = (big - 1n).toString(2).length;
      for (;;) {
        let x = 0n;
        for (let i = 0; i < Math.ceil(digits / 8); i++) x = x * 256n + BigInt(this.byte());
        x = BigInt.asUintN(digits, x);
        if (x < big) return x;
      }
    }

    shuffle(list) {
      for (let i = list.length - 1; i >= 1; i--) {
        const j = Number(this.below(i + 1));
        [list[i], list[j]] = [list[j], list[i]];
      }
      return list;
    }
  }

  // ── 4. the draw ───────────────────────────────────────────────────────────────────────────────

  // What is known before anything is drawn: places, blocks, the sets in step order.
  function boardOf(a) {
    const n = a.entries.length;
    let size = n;
    if (a.format === "knockout") size = bracketSize(n);
    if (a.format === "late") size = a.layout.length;
    if (a.format === "pairs") size = n + (n % 2);
    const groupOf = [];
    const heads = [];
    if (a.format === "groups") {
      for (let g = 0; g < a.groups; g++) {
        heads.push(groupOf.length);
        const places = Math.floor(n / a.groups) + (g < n % a.groups ? 1 : 0);
        for (let i = 0; i < places; i++) groupOf.push(g);
      }
    }
    const block = (place, rounds) =>
      a.format === "groups" ? groupOf[place] : Math.floor(place / 2 ** rounds);
    const order = new Map([...standingOf(a), ...a.entries].map((who, i) => [who, i]));
    const inEntryOrder = (who) => [...who].sort((x, y) => order.get(x) - order.get(y));
    const apart = [...(a.apart ?? [])].sort((x, y) => y.rounds - x.rounds || y.who.length - x.who.length);
    const steps = [...(a.pots ?? []).map((who) => ({ who, rounds: 1 })), ...apart].map(({ who, rounds }) => ({
      who: inEntryOrder(who), rounds, blocks: block(size - 1, rounds) + 1,
      largest: a.format === "groups" ? Math.ceil(n / a.groups) : 2 ** rounds,
    }));
    let numbers = [1];
    while (a.format === "knockout" && numbers.length < size) {
      const total = 2 * numbers.length + 1;
      numbers = numbers.flatMap((x, i) => (i % 2 ? [total - x, x] : [x, total - x]));
    }
    const bands = [];
    if (a.seeding === "bands") {
      for (let b = 3; b <= (a.seeds ?? []).length && b < size; b = 2 * b - 1) bands.push(b);
    }
    return { size, heads, block, steps, numbers, bands };
  }

  // Steps 1 to 3. Without a stream: only what does not depend on lots.
  function begin(a, board, stream) {
    const places = new Array(board.size).fill(undefined); // undefined: free; null: nobody
    if (a.format === "pairs" && a.entries.length % 2) places[board.size - 1] = null;
    if (a.format === "late") {
      a.layout.forEach((x, p) => {
        if (x !== "+") places[p] = x === "-" ? null : x;
      });
    }
    if (a.format === "groups") (a.seeds ?? []).forEach((who, i) => (places[board.heads[i]] = who));
    if (a.format !== "knockout") return places;
    const lineOf = [];
    board.numbers.forEach((x, p) => (lineOf[x] = p));
    for (const first of board.bands) {
      const lines = lineOf.slice(first, 2 * first - 1);
      if (stream) stream.shuffle(lines);
      lines.forEach((p, i) => (lineOf[first + i] = stream ? p : undefined));
    }
    const byes = board.size - a.entries.length;
    if (a.byes === "highest") {
      for (let x = 1; x <= byes; x++) if (lineOf[x] !== undefined) places[lineOf[x] ^ 1] = null;
    } else if (stream) {
      drawByes(board, places, stream, 0, board.size, byes);
    }
    (a.seeds ?? []).forEach((who, i) => {
      if (lineOf[i + 1] !== undefined) places[lineOf[i + 1]] = who;
    });
    return places;
  }

  function drawByes(board, places, stream, from, to, byes) {
    if (to - from === 2) {
      if (byes) places[board.numbers[from] > board.numbers[from + 1] ? from : from + 1] = null;
      return;
    }
    let upper = Math.floor(byes / 2);
    if (byes % 2 && stream.below(2) === 0n) upper += 1;
    const middle = (from + to) / 2;
    drawByes(board, places, stream, from, middle, upper);
    drawByes(board, places, stream, middle, to, byes - upper);
  }

  function clash(board, places) {
    const placeOf = new Map();
    places.forEach((who, p) => {
      if (who) placeOf.set(who, p);
    });
    return board.steps.some(({ who, rounds }) => {
      const blocks = who.filter((x) => placeOf.has(x)).map((x) => board.block(placeOf.get(x), rounds));
      return !different(blocks);
    });
  }

  // e_s of the blocks from number i on, for every i and every s up to g.
  function tails(free, g) {
    const rows = [[1n, ...new Array(g).fill(0n)]];
    for (const f of [...free].reverse()) {
      const after = rows[0];
      rows.unshift(after.map((x, s) => (s ? x + BigInt(f) * after[s - 1] : x)));
    }
    return rows;
  }

  function boundOf(b, largest, free, g) {
    const t = Math.min(free, b * largest);
    const q = Math.floor(t / b);
    const r = t % b;
    let total = 0n;
    for (let j = 0; j <= g; j++) {
      const ways = binomial(r, j) * binomial(b - r, g - j);
      if (ways) total += ways * BigInt(q + 1) ** BigInt(j) * BigInt(q) ** BigInt(g - j);
    }
    return total;
  }

  function attempt(a, board, stream) {
    const places = begin(a, board, stream);
    if (clash(board, places)) return null;
    for (const { who, rounds, blocks, largest } of board.steps) {
      const stands = new Set(places.filter((x) => x));
      const waiting = who.filter((x) => !stands.has(x));
      const g = waiting.length;
      if (!g) continue;
      const members = new Set(who);
      const shut = new Set();
      const open = new Map();
      let free = 0;
      places.forEach((x, p) => x && members.has(x) && shut.add(board.block(p, rounds)));
      places.forEach((x, p) => {
        if (x !== undefined) return;
        free += 1;
        const b = board.block(p, rounds);
        if (shut.has(b)) return;
        if (!open.has(b)) open.set(b, []);
        open.get(b).push(p);
      });
      const lists = [...open.values()];
      const e = tails(lists.map((list) => list.length), g);
      let x = stream.below(boundOf(blocks - (who.length - g), largest, free, g));
      if (x >= e[0][g]) return null;
      const chosen = [];
      for (let i = 0, s = g; s; i++) {
        const t = e[i + 1][s];
        if (x < t) continue;
        x -= t;
        const u = e[i + 1][s - 1];
        chosen.push(lists[i][Number(x / u)]);
        x %= u;
        s -= 1;
      }
      stream.shuffle(waiting).forEach((member, i) => (places[chosen[i]] = member));
      if (clash(board, places)) return null;
    }
    const stands = new Set(places.filter((x) => x));
    const others = a.entries.filter((x) => !stands.has(x));
    const free = places.flatMap((x, p) => (x === undefined ? [p] : []));
    while (others.length < free.length) others.push(null);
    stream.shuffle(others).forEach((x, i) => (places[free[i]] = x));
    return places;
  }

  function drawn(a, board, seed, most) {
    const stream = new Stream(seed);
    for (let attempts = 1; attempts <= most; attempts++) {
      const places = attempt(a, board, stream);
      if (places) return { places, attempts, bytes: stream.bytes };
    }
    return null;
  }

  // ── 4. impossible and too tight ───────────────────────────────────────────────────────────────

  function checkPossible(a, board) {
    demand(board.steps.every((set) => set.who.length <= set.blocks), "impossible");
    const places = begin(a, board, null);
    demand(!clash(board, places), "impossible");
    const inside = (x, y) => x.who.every((who) => y.members.has(who));
    const all = board.steps.map((set, at) => ({ ...set, at, members: new Set(set.who) }));
    const left = all.filter((x) => !all.some((y) => y !== x && inside(x, y) && y.rounds >= x.rounds &&
      (y.who.length > x.who.length || y.rounds > x.rounds || y.at < x.at)));
    const kept = [];
    for (const x of left) {
      const apart = (y) => !x.who.some((who) => y.members.has(who));
      if (kept.every((y) => apart(y) || inside(x, y) || inside(y, x))) kept.push(x);
    }
    demand(flows(board, places, kept), "impossible");
  }

  // Each unplaced member needs a way through blocks of their sets to a free place (Ford, Fulkerson).
  function flows(board, places, kept) {
    const stands = new Set(places.filter((x) => x));
    const shut = new Set();
    kept.forEach((set, k) => places.forEach((who, p) => {
      if (who && set.members.has(who)) shut.add(`${k}/${board.block(p, set.rounds)}`);
    }));
    const free = places.flatMap((x, p) => (x === undefined ? [p] : []));
    const pathOf = new Map(); // member: the sets they are in, innermost first
    for (const k of kept.keys()) {
      for (const who of kept[k].who) if (!stands.has(who)) pathOf.set(who, [...(pathOf.get(who) ?? []), k]);
    }
    for (const path of pathOf.values()) path.sort((x, y) => kept[x].who.length - kept[y].who.length);
    // A node stands for one unit: a block of a set, or a place. `from` says who came through it.
    const next = new Map();
    const link = (x, y) => {
      if (!next.has(x)) next.set(x, new Set());
      next.get(x).add(y);
    };
    const starts = [];
    for (const [who, path] of pathOf) {
      starts.push(who);
      for (const p of free) {
        const nodes = path.map((k) => `${k}/${board.block(p, kept[k].rounds)}`);
        if (nodes.some((node) => shut.has(node))) continue;
        [`>${who}`, ...nodes].forEach((node, i) => link(node, i < nodes.length ? nodes[i] : `#${p}`));
      }
    }
    const after = new Map();
    const before = new Map();
    // Node splitting: a unit may enter a used node only to push back along the way it came.
    for (const who of starts) {
      const queue = [[`>${who}`, "out"]];
      const came = new Map([[`>${who}|out`, null]]);
      let end = null;
      while (queue.length && end === null) {
        const [node, side] = queue.shift();
        const reach = (to, toSide) => {
          const key = `${to}|${toSide}`;
          if (came.has(key)) return;
          came.set(key, [node, side]);
          if (to.startsWith("#") && toSide === "in" && !before.has(to)) end = to;
          queue.push([to, toSide]);
        };
        if (side === "out") {
          for (const to of next.get(node) ?? []) if (after.get(node) !== to) reach(to, "in");
          if (before.has(node)) reach(node, "in");
        } else {
          if (!before.has(node)) reach(node, "out");
          else reach(before.get(node), "out");
        }
        if (end !== null) break;
      }
      if (end === null) return false;
      const trail = [];
      for (let at = [end, "in"]; at; at = came.get(`${at[0]}|${at[1]}`)) trail.unshift(at);
      const removed = [];
      const added = [];
      for (let i = 1; i < trail.length; i++) {
        const [x, xs] = trail[i - 1];
        const [y, ys] = trail[i];
        if (xs === "out" && ys === "in" && x !== y) added.push([x, y]);
        if (xs === "in" && ys === "out" && x !== y) removed.push([y, x]);
      }
      for (const [x, y] of removed) {
        after.delete(x);
        before.delete(y);
      }
      for (const [x, y] of added) {
        after.set(x, y);
        before.set(y, x);
      }
    }
    return true;
  }

  function rehearse(a, board, announcementHash) {
    const stands = new Set(begin(a, board, null).filter((x) => x));
    if (!board.steps.some(({ who }) => who.some((x) => !stands.has(x)))) return;
    for (let i = 1; i <= 16; i++) {
      const seed = hashOf(`palmares-draw-1\n${announcementHash}\nrehearsal ${i}\n`);
      demand(drawn(a, board, seed, 4096), "too_tight");
    }
  }

  // ── all of it ─────────────────────────────────────────────────────────────────────────────────

  function draw(text, recordedAt, reveals, isRecorded) {
    const a = parse(text);
    checkEntries(a);
    checkSeeds(a);
    checkApart(a);
    const feeds = feedsOf(a);
    checkRandomness(a, recordedAt);
    const board = boardOf(a);
    const announcement = hashOf(text);
    if (!isRecorded) {
      checkPossible(a, board);
      rehearse(a, board, announcement);
    }
    const seedText = seedTextOf(a, announcement, reveals);
    const seed = hashOf(seedText);
    const result = drawn(a, board, seed, 65536);
    demand(result, "too_tight");
    const fed = Object.keys(feeds).length ? { feeds } : {};
    return { announcement, seed, ...result, ...fed, seedText };
  }

  function run(text, recordedAt, reveals, isRecorded = false) {
    try {
      return draw(text, recordedAt, reveals, isRecorded);
    } catch (error) {
      if (error instanceof Refused) return { refused: error.code };
      throw error;
    }
  }

  return { run, canonical, hashOf, Stream };
})();
