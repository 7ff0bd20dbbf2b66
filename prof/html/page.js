'use strict';
/* The page's parts, from the data above: every number is the profile's. Names come from programs, so
 * they only ever become text. */
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter(child => child !== null));
  return made;
};
const number = value => Math.round(value).toLocaleString('en-US');
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(2) + ' %' : '0.00 %';
const colours = {retiring: '--retiring', bad_speculation: '--bad', front_end: '--front', back_end: '--back'};
const colour = word => `var(${colours[word] || '--other'})`;
const words = name => name.replace(/_/g, ' ').replace(/\b(l[123]|dram|btb|[id]?tlb)\b/g, word => word.toUpperCase())
  .replace('icache', 'instruction cache').replace('dcache', 'data cache').replace('insns', 'instructions');
const meter = (part, whole, fill) => {
  const bar = element('i', {});
  bar.style.width = (whole ? Math.min(100, 100 * part / whole) : 0) + '%';
  if (fill) bar.style.background = fill;
  const box = element('span', {className: 'meter'}, bar);
  box.setAttribute('aria-hidden', 'true');
  return box;
};
/* A cause below the cause that it is a part of. */
const causeName = row => {
  const name = element('span', {textContent: words(row.name), className: 'cause'});
  name.style.setProperty('--depth', row.depth);
  if (row.depth <= 1) name.style.fontWeight = 600;
  return name;
};
const legendItem = (word, text) => {
  const swatch = element('i', {});
  swatch.style.background = colour(word);
  return element('span', {}, swatch, text);
};
const cell = (content, kind) => element('td', {className: kind || ''}, content);

/* ---- tables: headers sort, rows may be chosen by mouse or keyboard ---- */
function table(box, columns, rows, choose, few = 14) {
  const body = element('tbody', {}), more = element('button', {type: 'button', className: 'more'});
  let sorted = -1, falling = true, shown = few;
  const fill = () => {
    more.hidden = rows.length <= few;
    more.textContent = shown < rows.length ? `Show all ${rows.length}` : 'Show fewer';
    body.replaceChildren(...rows.slice(0, shown).map(makeRow));
  };
  more.onclick = () => { shown = shown < rows.length ? rows.length : few; fill(); };
  const makeRow = row => {
    const line = element('tr', {}, ...columns.map(column => cell(column.show(row), column.kind)));
    if (choose && choose.can(row)) {
      line.tabIndex = 0;
      line.onclick = () => choose.act(row);
      line.onkeydown = event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose.act(row); }
        const next = event.key === 'ArrowDown' ? line.nextSibling
                   : event.key === 'ArrowUp' ? line.previousSibling : null;
        if (next) { event.preventDefault(); next.focus(); }
      };
    }
    return line;
  };
  const heads = columns.map((column, at) => {
    const head = element('th', {className: column.kind === 'src' ? '' : column.kind || ''});
    if (!column.sort) { head.append(column.name); return head; }
    head.append(element('button', {type: 'button', textContent: column.name, onclick: () => {
      falling = sorted === at ? !falling : true;
      sorted = at;
      rows.sort((a, b) => {
        const x = column.sort(a), y = column.sort(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (falling ? -1 : 1);
      });
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      fill();
    }}));
    return head;
  });
  fill();
  box.replaceChildren(element('div', {className: 'scroll'}, element('table', {},
    element('thead', {}, element('tr', {}, ...heads)), body)), more);
}

/* ---- summary, slots, caches ---- */
function summary() {
  const card = (value, what) => element('div', {className: value.length > 16 ? 'card long' : 'card'},
                                        element('b', {textContent: value}),
                                        element('span', {textContent: what}));
  byId('cards').append(...data.summary.map(item => card(words(item.value), item.name)));
  if (!data.slots.length) {
    byId('words').remove();
    document.querySelector('#summary .note').textContent = 'The run as a whole.';
    return;
  }
  const total = data.slots[0].slots;
  const first = data.slots.filter(slot => slot.depth === 1 && slot.slots >= total / 10000);
  const bar = element('div', {className: 'share'}), legend = element('div', {className: 'legend'});
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', 'dispatch slots: ' +
    first.map(slot => words(slot.name) + ' ' + percent(slot.slots, total)).join(', '));
  for (const slot of first) {
    const piece = element('i', {title: words(slot.name) + ' ' + percent(slot.slots, total)});
    piece.style.cssText = `width:${100 * slot.slots / total}%;background:${colour(slot.name)}`;
    bar.append(piece);
    legend.append(legendItem(slot.name, words(slot.name) + ' ' + percent(slot.slots, total)));
  }
  byId('words').append(bar, legend);
}
/* A cause with parts shows or hides them; those of less than a hundredth begin hidden. Below the tree are
 * the routines that have most of the chosen word. */
function topdown() {
  if (!data.slots.length) { drop('topdown'); return; }
  const total = data.slots[0].slots, box = byId('topdown-box');
  let word = '';
  const all = data.slots.filter(slot => slot.slots >= total / 2000).map(slot => {
    if (slot.depth <= 1) word = slot.name;
    return Object.assign({word}, slot);
  });
  all.forEach((row, at) => {
    row.hasParts = at + 1 < all.length && all[at + 1].depth > row.depth;
    row.isOpen = row.slots >= total / 100;
  });
  const visible = () => {
    let hidden = Infinity;
    return all.filter(row => {
      if (row.depth > hidden) return false;
      hidden = row.hasParts && !row.isOpen ? row.depth : Infinity;
      return true;
    });
  };
  const draw = focus => {
    const rows = visible();
    table(box, [
      {name: 'cause', show: row => {
        const name = causeName(row);
        name.classList.add(row.hasParts ? row.isOpen ? 'open' : 'shut' : 'leaf');
        return name;
      }},
      {name: '', show: row => meter(row.slots, total, row.depth ? colour(row.word) : 'var(--other)')},
      {name: 'share', kind: 'n', show: row => percent(row.slots, total)},
      {name: 'slots', kind: 'n wide', show: row => number(row.slots)},
    ], rows, {can: () => true, act: toggle}, Infinity);
    box.querySelectorAll('tbody tr').forEach((line, at) => {
      const row = rows[at];
      if (row.hasParts) line.setAttribute('aria-expanded', row.isOpen);
      const keys = line.onkeydown;
      line.onkeydown = event => {
        const opens = {ArrowRight: true, ArrowLeft: false}[event.key];
        if (opens === undefined) { keys(event); return; }
        event.preventDefault();
        if (row.hasParts && row.isOpen !== opens) toggle(row);
      };
      if (row === focus) line.focus({preventScroll: true});
    });
  };
  const toggle = row => {
    row.isOpen = !row.isOpen;
    draw(row);
    topdownTell(row.word);
  };
  draw(null);
  topdownTell(first_word(all));
}
const first_word = rows => rows.filter(row => row.depth === 1 && row.name !== 'retiring' && row.name !== 'idle')
  .reduce((most, row) => row.slots > most.slots ? row : most, {slots: 0, name: ''}).name;
function topdownTell(word) {
  const told = byId('topdown-told'), of = row => row[word] || 0;
  const most = data.routines.filter(row => row.lines && of(row)).sort((a, b) => of(b) - of(a)).slice(0, 5);
  told.hidden = !most.length;
  told.replaceChildren(`Most cycles of ${words(word)}: `, ...most.map(row => element('button', {type: 'button',
    onclick: () => showCode(row), textContent: `${row.name}  ${percent(of(row), data.total[word])}`})));
}
function caches() {
  if (!data.caches.length && !(data.maps || []).length) { drop('caches'); return; }
  table(byId('caches-box'), [
    {name: 'structure', show: row => row.name},
    {name: 'accesses', kind: 'n', show: row => number(row.accesses), sort: row => row.accesses},
    {name: 'misses', kind: 'n wide', show: row => row.misses === null ? '' : number(row.misses), sort: row => row.misses || 0},
    {name: '', kind: 'wide', show: row => row.misses === null ? '' : meter(row.misses, row.accesses, 'var(--bad)')},
    {name: 'missed', kind: 'n', show: row => row.misses === null ? '' : percent(row.misses, row.accesses),
     sort: row => row.misses / row.accesses || 0},
  ], data.caches);
}
function marks() {
  if (!data.marks.length) { drop('marks'); return; }
  const told = mark => `${mark.place}${mark.line ? ' (' + mark.line + ')' : ''}: ${mark.flags || 'no flags'}` +
    (mark.count === null ? '' : `, counted ${number(mark.count)}`) + (mark.interrupts ? `, ${number(mark.interrupts)} interrupts` : '');
  const most = Math.max(1, ...data.marks.map(mark => mark.count || mark.interrupts));
  byId('marks-map').append(...data.marks.map(mark => {
    const piece = element('button', {type: 'button', title: told(mark)});
    const value = mark.count || mark.interrupts;
    piece.setAttribute('aria-label', told(mark));
    piece.style.width = Math.min(12, 0.28 * Math.max(2, mark.bytes)) + 'rem';
    piece.style.setProperty('--heat', (value ? 12 + 88 * Math.log1p(value) / Math.log1p(most) : 0) + '%');
    piece.onclick = () => byId('marks-box').querySelectorAll('tbody tr').forEach(row =>
      row.classList.toggle('on', row.firstChild.textContent === mark.place));
    return piece;
  }));
  table(byId('marks-box'), [
    {name: 'place', kind: 'src', show: mark => mark.place},
    {name: 'line', kind: 'wide', show: mark => mark.line},
    {name: 'flags', show: mark => mark.flags + (mark.label ? ` label ${mark.label}` : '')},
    {name: 'bytes', kind: 'n wide', show: mark => number(mark.bytes), sort: mark => mark.bytes},
    {name: 'count', kind: 'n', show: mark => mark.count === null ? '' : number(mark.count), sort: mark => mark.count || 0},
    {name: 'interrupts', kind: 'n', show: mark => number(mark.interrupts), sort: mark => mark.interrupts},
  ], data.marks);
  if (data.marks_left_out)
    byId('marks-box').append(element('p', {className: 'muted', textContent: `and ${number(data.marks_left_out)} more`}));
}
function drop(name) {
  byId(name).remove();
  document.querySelector(`nav a[href="#${name}"]`).remove();
}

/* ---- another run beside it ---- */
function beside() {
  const other = data.beside;
  if (!other) { drop('beside'); return; }
  const sign = (value, digits = 0) => (value > 0 ? '+' : '') + value.toLocaleString('en-US',
    {minimumFractionDigits: digits, maximumFractionDigits: digits}).replace('-', '−');
  const change = row => !row.a ? row.b ? 'new' : '' : row.b >= 10 * row.a ? '× ' + number(row.b / row.a)
                                                     : sign(100 * (row.b - row.a) / row.a, 2) + ' %';
  const compare = (box, name, rows, show, few) => table(byId(box), [
    {name, show: row => row.depth === undefined ? row.name : causeName(row), kind: /routines|marks/.test(box) ? 'src' : ''},
    {name: 'A', kind: 'n', show: row => show(row.a, row), sort: row => row.a},
    {name: 'B', kind: 'n wide', show: row => show(row.b, row), sort: row => row.b},
    {name: 'B − A', kind: 'n', show: row => sign(row.b - row.a, row.digits), sort: row => row.b - row.a},
    {name: 'change', kind: 'n wide', show: change, sort: row => row.b / row.a || 0},
  ], rows, null, few);
  byId('beside-command').textContent = other.command;
  byId('beside').style.setProperty('--digits', sign(Math.max(data.slots[0]?.slots || 0, other.slots[0]?.slots || 0,
    data.instructions, other.instructions)).length);
  const ipc = run => run.cycles ? run.instructions / run.cycles : 0;
  compare('beside-run', '', [
    {name: 'instructions', a: data.instructions, b: other.instructions, digits: 0},
    {name: 'cycles', a: data.cycles, b: other.cycles, digits: 0},
    {name: 'instructions per cycle', a: ipc(data), b: ipc(other), digits: 3},
  ], (value, row) => row.digits ? value.toFixed(row.digits) : number(value));
  const least = Math.max(data.slots[0]?.slots || 0, other.slots[0]?.slots || 0) / 2000;
  const slots = data.slots.map((slot, at) => ({name: slot.name, depth: slot.depth, a: slot.slots, b: other.slots[at]?.slots || 0}))
    .filter(row => row.a >= least || row.b >= least);
  compare('beside-slots', 'cause', slots, number, 60);
  byId('beside-measure').textContent = words(other.measure || 'cycles');
  compare('beside-routines', 'routine', other.routines, number);
  if (other.marks.length)
    compare('beside-marks', 'mark', other.marks.sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a)), number);
  else
    byId('beside-marks-name').remove();
  if (other.settings.length)
    table(byId('beside-settings'), [
      {name: 'setting', show: row => row.key}, {name: 'A', kind: 'n', show: row => row.a}, {name: 'B', kind: 'n', show: row => row.b},
      {name: '', kind: 'n wide', show: () => ''}, {name: '', kind: 'n wide', show: () => ''},
    ], other.settings);
  else
    byId('beside-settings-name').remove();
}

/* ---- the course of the run: a strip each, over the same cycles ---- */
function course() {
  const rows = data.course.rows, used = data.course.words.filter((word, at) => rows.some(row => row[at + 1]));
  if (rows.length < 2) { drop('time'); return; }
  const total = rows.at(-1)[0], begin = at => at ? rows[at - 1][0] : 0;
  const cycles = row => data.course.words.reduce((sum, word, at) => sum + row[at + 1], 0);
  const word = (row, name) => row[data.course.words.indexOf(name) + 1] / (cycles(row) || 1);
  const event = (row, name) => row[data.course.words.length + 1 + data.course.events.indexOf(name)];
  const insns = row => event(row, 'insns_retired');
  const misses = data.course.events.filter(name => name !== 'insns_retired' && rows.some(row => event(row, name)));
  const ipc = at => insns(rows[at]) / (rows[at][0] - begin(at));
  const rate = (row, name) => insns(row) ? 1000 * event(row, name) / insns(row) : 0;
  const x = cycle => (1000 * cycle / total).toFixed(2);
  const area = (values, most, fill) => {
    const path = drawing('path', {d: 'M0 100' + values.map((value, at) =>
      `V${(100 - 100 * Math.min(1, value / (most || 1))).toFixed(2)}H${x(rows[at][0])}`).join('') + 'V100Z'});
    path.style.fill = fill;
    return path;
  };
  const box = byId('time-box');
  const strip = (name, most, tall, ...areas) => {
    const svg = drawing('svg', {viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true'}, ...areas);
    if (tall) svg.classList.add('tall');
    box.append(element('span', {}, name), svg, element('span', {className: 'most', textContent: most}));
    return svg;
  };
  const legend = element('span', {className: 'legend'}, ...used.slice().reverse().map(name => legendItem(name, words(name))));
  const below = at => rows.map(row => used.slice(0, at + 1).reduce((sum, name) => sum + word(row, name), 0));
  const first = strip(legend, '0 to 100 %', true, ...used.map((name, at) => area(below(at), 1, colour(name))).reverse());
  /* The last interval may be too short to say anything about the greatest value. */
  const greatest = values => Math.max(...values.filter((value, at) => 2 * (rows[at][0] - begin(at)) >= rows[0][0])) || Math.max(...values);
  const ipcs = rows.map((row, at) => ipc(at)), most = greatest(ipcs);
  strip('instructions per cycle', '0 to ' + most.toFixed(2), false, area(ipcs, most, 'var(--accent)'));
  for (const name of misses) {
    const rates = rows.map(row => rate(row, name)), top = greatest(rates);
    strip(words(name) + ', per 1,000 instructions', '0 to ' + (top > 0 && top < 1 ? top.toPrecision(2) : top.toFixed(1)),
      false, area(rates, top, 'var(--bad)'));
  }
  const cursor = element('div', {id: 'time-cursor', hidden: true});
  box.append(cursor);
  let shown = -1;
  const tell = at => {
    shown = Math.max(0, Math.min(rows.length - 1, at));
    const row = rows[shown], middle = (begin(shown) + row[0]) / 2 / total;
    cursor.hidden = false;
    cursor.style.left = first.getBoundingClientRect().left - box.getBoundingClientRect().left +
                        middle * first.getBoundingClientRect().width - 1 + 'px';
    byId('time-told').textContent = `cycles ${number(begin(shown))} to ${number(row[0])}: ` +
      [`${ipc(shown).toFixed(2)} instructions per cycle`, ...used.map(name => `${words(name)} ${percent(word(row, name), 1)}`),
       ...misses.map(name => `${words(name)} ${number(event(row, name))}`)].join(', ');
  };
  box.onpointermove = event => {
    const strip = first.getBoundingClientRect(), cycle = total * (event.clientX - strip.left) / strip.width;
    if (cycle >= 0 && cycle <= total) tell(rows.findIndex(row => row[0] >= cycle));
  };
  box.onkeydown = event => {
    const step = {ArrowRight: 1, ArrowLeft: -1, Home: -rows.length, End: rows.length}[event.key];
    if (!step) return;
    event.preventDefault();
    tell(shown + step);
  };
  byId('time-count').textContent = `${rows.length} intervals of ${number(rows[0][0])} cycles`;
}

/* ---- the call tree: stacks joined from the root on; what is deeper belongs to the deepest ---- */
const DEEPEST = 100;
function makeTree() {
  const root = {name: 'all', fn: -1, own: 0, all: 0, kids: new Map(), parent: null, depth: 0};
  const place = [];
  const nodeOf = frame => {
    const path = [];
    for (let at = frame; at; at = data.stacks.frames[at - 1][1]) {
      if (place[at]) { path.push(place[at]); break; }
      path.push(at);
    }
    let node = typeof path.at(-1) === 'object' ? path.pop() : root;
    while (path.length) {
      const at = path.pop(), fn = data.stacks.frames[at - 1][0];
      if (node.depth < DEEPEST && !node.kids.has(fn))
        node.kids.set(fn, {name: data.stacks.functions[fn], fn, own: 0, all: 0, kids: new Map(),
                           parent: node, depth: node.depth + 1});
      place[at] = node = node.depth < DEEPEST ? node.kids.get(fn) : node;
    }
    return node;
  };
  for (const [leaf, value] of data.stacks.samples) {
    const node = nodeOf(leaf);
    node.own += value;
    for (let at = node; at; at = at.parent) at.all += value;
  }
  return root;
}
const children = node => [...node.kids.values()].filter(kid => kid.all).sort((a, b) => b.all - a.all);

/* ---- flame graph ---- */
const flame = {root: null, zoom: null, box: byId('flame-box'), search: '', shown: new Map()};
const FLAME_ROW = 22, FLAME_LEAST = 1.5;
function flameDraw(focus) {
  const width = flame.box.clientWidth, pieces = [];
  const put = (node, left, wide, row, above) => {
    const text = `${node.name}: ${number(node.all)} ${data.stacks.unit}, ${percent(node.all, flame.root.all)}`;
    const piece = element('button', {type: 'button', title: text, textContent: wide > 26 ? node.name : '',
                                     className: (above ? 'above ' : '') + (wide <= 26 ? 'thin' : '')});
    piece.setAttribute('aria-label', text);
    piece.style.cssText = `left:${left}px;top:${row * FLAME_ROW}px;width:${Math.max(1, wide - 1)}px;` +
                          `background:var(--flame-${(node.fn + 5) % 5})`;
    piece.tabIndex = node === (focus || flame.zoom) ? 0 : -1;
    if (flame.search && node.name.toLowerCase().includes(flame.search)) piece.classList.add('found');
    piece.onclick = () => flameZoom(node);
    piece.onfocus = piece.onmouseenter = () => flameTell(node);
    piece.onkeydown = event => flameKey(event, node);
    flame.shown.set(node, piece);
    pieces.push(piece);
  };
  flame.shown.clear();
  const above = [];
  for (let at = flame.zoom.parent; at; at = at.parent) above.unshift(at);
  above.forEach((node, row) => put(node, 0, width, row, true));
  let depth = above.length;
  const walk = (node, left, wide, row) => {
    put(node, left, wide, row, false);
    depth = Math.max(depth, row);
    for (const kid of children(node)) {
      const part = wide * kid.all / node.all;
      if (part >= FLAME_LEAST) walk(kid, left, part, row + 1);
      left += part;
    }
  };
  walk(flame.zoom, 0, width, above.length);
  flame.box.style.height = (depth + 1) * FLAME_ROW + 'px';
  flame.box.replaceChildren(...pieces);
  byId('flame-reset').disabled = flame.zoom === flame.root;
  if (focus && flame.shown.has(focus)) flame.shown.get(focus).focus({preventScroll: true});
}
function flameZoom(node) { flame.zoom = node; flameDraw(node); flameTell(node); }
function flameTell(node) {
  const path = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at.name);
  byId('flame-told').textContent = `${path.join(' › ') || 'all'}: ${number(node.all)} ${data.stacks.unit} ` +
    `(${percent(node.all, flame.root.all)}), of its own ${number(node.own)}`;
}
function flameKey(event, node) {
  const siblings = node.parent ? children(node.parent) : [node], at = siblings.indexOf(node);
  const step = {ArrowDown: () => children(node)[0], ArrowUp: () => node.parent,
                ArrowRight: () => siblings[at + 1], ArrowLeft: () => siblings[at - 1]}[event.key];
  if (event.key === 'Escape') { flameZoom(flame.root); return; }
  if (!step) return;
  event.preventDefault();
  const next = step();
  if (!next || !flame.shown.has(next)) return;
  flame.shown.get(node).tabIndex = -1;
  flame.shown.get(next).tabIndex = 0;
  flame.shown.get(next).focus();
}
function flameBegin() {
  flame.root = flame.zoom = makeTree();
  if (!flame.root.all) { drop('flame'); drop('graph'); return false; }
  byId('flame-unit').textContent = data.stacks.unit;
  byId('flame-search').oninput = event => { flame.search = event.target.value.trim().toLowerCase(); flameDraw(); };
  byId('flame-reset').onclick = () => flameZoom(flame.root);
  new ResizeObserver(() => flameDraw()).observe(flame.box);
  flameDraw();
  return true;
}

/* ---- call graph: a routine between its callers and its callees ---- */
const graph = {routine: new Map()};
function graphCollect() {
  const of = fn => {
    if (!graph.routine.has(fn))
      graph.routine.set(fn, {fn, name: data.stacks.functions[fn], own: 0, all: 0, callers: new Map(), callees: new Map()});
    return graph.routine.get(fn);
  };
  const seen = new Map(), edges = new Map();
  const enter = (map, key, by) => { map.set(key, (map.get(key) || 0) + by); return map.get(key); };
  const walk = node => {
    const routine = of(node.fn), edge = node.parent.fn + ' ' + node.fn;
    routine.own += node.own;
    if (enter(seen, node.fn, 1) === 1) routine.all += node.all;     /* recursion counts once */
    if (enter(edges, edge, 1) === 1 && node.parent.fn >= 0) {
      enter(routine.callers, node.parent.fn, node.all);
      enter(of(node.parent.fn).callees, node.fn, node.all);
    }
    for (const kid of node.kids.values()) walk(kid);
    enter(seen, node.fn, -1);
    enter(edges, edge, -1);
  };
  for (const kid of flame.root.kids.values()) walk(kid);
}
function graphShow(fn, focus) {
  const routine = graph.routine.get(fn), total = flame.root.all;
  const list = (title, map) => {
    const items = [...map].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([other, value]) => {
      const mark = element('i', {});
      mark.style.width = 100 * value / (routine.all || 1) + '%';
      return element('li', {}, element('button', {type: 'button', onclick: () => graphShow(other, true),
          title: data.stacks.functions[other]},
        element('span', {className: 'name', textContent: data.stacks.functions[other]}),
        element('span', {className: 'part', textContent: percent(value, total)}), mark));
    });
    return element('div', {}, element('h3', {textContent: title}), items.length
      ? element('ul', {}, ...items) : element('p', {className: 'muted', textContent: 'none'}));
  };
  const self = element('div', {className: 'self', tabIndex: -1}, element('b', {textContent: routine.name}),
    element('dl', {}, element('dt', {textContent: 'with callees'}), element('dd', {textContent: percent(routine.all, total)}),
      element('dt', {textContent: 'of its own'}), element('dd', {textContent: percent(routine.own, total)}),
      element('dt', {textContent: data.stacks.unit}), element('dd', {textContent: number(routine.all)})));
  byId('graph-box').replaceChildren(list('callers', routine.callers), self, list('callees', routine.callees));
  byId('graph-pick').value = routine.name;
  if (focus) self.focus({preventScroll: true});
}
function graphBegin() {
  graphCollect();
  const all = [...graph.routine.values()].sort((a, b) => b.all - a.all);
  byId('graph-names').append(...all.slice(0, 500).map(routine => element('option', {value: routine.name})));
  byId('graph-pick').onchange = event => {
    const found = all.find(routine => routine.name === event.target.value) ||
                  all.find(routine => routine.name.includes(event.target.value));
    if (found) graphShow(found.fn);
  };
  graphShow(all.slice().sort((a, b) => b.own - a.own)[0].fn);
}

/* ---- routines, lines, code ---- */
const first = data.columns[0], total = data.total[first];
/* Words of the top-down tree divide a bar, everything else is a column. */
const pieces = data.columns.filter(column => column in colours || column === 'idle');
const divided = row => {
  if (!pieces.length) return meter(row[first], total);
  const box = element('span', {className: 'meter'});
  for (const word of pieces) {
    const piece = element('i', {});
    piece.style.cssText = `width:${100 * row[word] / (row[first] || 1)}%;background:${colour(word)}`;
    box.append(piece);
  }
  box.title = pieces.map(word => `${words(word)} ${percent(row[word], row[first])}`).join('\n');
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', box.title);
  return box;
};
const columns = (name, show) => [
  {name, show: show, kind: 'src'},
  {name: words(first), kind: 'n', show: row => number(row[first]), sort: row => row[first]},
  {name: pieces.length ? 'went to' : '', kind: 'wide', show: divided},
  {name: 'share', kind: 'n', show: row => percent(row[first], total)},
  ...data.columns.slice(1).filter(column => !pieces.includes(column)).map(column => ({name: words(column), kind: 'n wide', sort: row => row[column],
    show: row => row[column] ? number(row[column]) : ''})),
];
function code(routine) {
  const box = byId('code-box'), whole = routine[first] || 1;
  const sums = new Map(routine.lines.map(line => [line.file + ':' + line.line, line]));
  let last = null, hot = 0, most = 0;
  const rows = [];
  const put = (values, text, kind) => {
    const value = values[first] || 0;
    rows.push(element('div', {className: kind + (value / whole >= 0.1 ? ' hot' : '')},
      element('span', {textContent: value ? percent(value, whole) : ''}),
      element('span', {textContent: value ? number(value) : ''}), element('span', {textContent: text})));
  };
  for (const insn of routine.instructions || []) {
    const place = insn.file + ':' + insn.line, line = sums.get(place);
    if (place !== last && insn.file)
      put({}, `${insn.file.split('/').at(-1)}:${insn.line}  ${line && line.source || ''}`, 'line');
    last = place;
    if (insn[first] > most) [most, hot] = [insn[first], rows.length];
    put(insn, `${insn.address.slice(2).padStart(8)}  ${insn.text}`, '');
  }
  if (!routine.instructions)
    for (const line of routine.lines)
      put(line, line.file ? `${line.file.split('/').at(-1)}:${line.line}  ${line.source || ''}` : '(no line)', 'line');
  byId('code-name').textContent = `${routine.name}: ${number(routine[first])} ${words(first)}, ${percent(routine[first], total)}`;
  box.replaceChildren(...rows);
  const hottest = rows[(routine.instructions || []).length ? hot : 0];
  box.scrollTop = hottest ? hottest.offsetTop - box.offsetTop - 100 : 0;
}
function showCode(routine) {
  if (routine.lines) code(routine);
  byId('code').scrollIntoView({block: 'nearest'});
}
function routines() {
  if (!data.routines.length) { drop('routines'); drop('lines'); return; }
  if (pieces.length)
    document.querySelector('#routines .note').textContent += ' A bar divides its cycles by the words of the top-down tree, ' +
      'in their colours.';
  table(byId('routines-box'), columns('routine', row => row.name), data.routines.slice(0, 40),
        {can: row => Boolean(row.lines), act: showCode});
  const lines = new Map();
  for (const routine of data.routines)
    for (const line of routine.lines || []) {
      if (!line.file) continue;
      const key = line.file + ':' + line.line;
      const sum = lines.get(key) || {place: line.file.split('/').at(-1) + ':' + line.line, source: line.source || '', routine};
      for (const column of data.columns) sum[column] = (sum[column] || 0) + line[column];
      lines.set(key, sum);
    }
  const hot = [...lines.values()].filter(line => line[first]).sort((a, b) => b[first] - a[first]).slice(0, 40);
  if (hot.length)
    table(byId('lines-box'), columns('line', row => `${row.place}  ${row.source.trim()}`), hot,
          {can: () => true, act: row => showCode(row.routine)});
  else
    byId('lines-box').append(element('p', {className: 'muted', textContent: 'The program has no debug information about lines.'}));
  code(data.routines[0]);
}

/* ---- the pipeline around an instruction: a box for each stage, from its letter to the next one ---- */
function pipeline() {
  const picture = data.picture;
  if (!picture) { drop('pipeline'); return; }
  const letters = picture.stages.map(stage => stage.letter);
  const row = (head, line, text, name) => {
    const boxes = line.match(/[A-Z][.=]*|x|[^A-Zx]+/g) || [];
    return element('div', {className: name}, element('span', {textContent: head.padStart(12) + ' '}),
      ...boxes.map(box => element('span', {textContent: box, className: box[0] === 'x' ? 'gone' :
        letters.includes(box[0]) ? 'stage stage-' + box[0] : ''})),
      element('span', {className: 'text', textContent: ' ' + text}));
  };
  byId('pipeline-title').textContent = picture.title;
  if (picture.taken === undefined) byId('pipeline-taken').remove();
  byId('pipeline-stages').replaceChildren(...picture.stages.map(stage => element('span', {},
    element('span', {className: 'code stage stage-' + stage.letter, textContent: stage.letter}), ' ' + stage.name)));
  byId('pipeline-box').append(
    ...picture.scale.map((line, at) => element('div', {className: 'scale', textContent: (at ? '' : 'cycle').padStart(12) + ' ' + line})),
    ...picture.instructions.map((insn, at) => row(insn.address.slice(2), insn.line, insn.text, at === picture.focus ? 'focus' : '')));
}

/* ---- keyboard, colours ---- */
const PART_KEYS = '1234567890abcdef';   /* of the parts of the page, in order */
function theme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
}
byId('theme').onclick = theme;
byId('keys').onclick = () => byId('help').showModal();
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const links = [...document.querySelectorAll('nav a')];
  const link = event.key.length === 1 ? links[PART_KEYS.indexOf(event.key)] : undefined;
  if (link) {
    const target = document.querySelector(link.getAttribute('href'));
    target.scrollIntoView();
    target.querySelector('h2').focus({preventScroll: true});
  } else if (event.key === '/' && byId('flame-search')) {
    event.preventDefault();
    byId('flame-search').focus();
  } else if (event.key === 't') {
    theme();
  } else if (event.key === '?') {
    byId('help').showModal();
  }
});
byId('title').textContent = document.title = data.title;
byId('command').textContent = data.command;
summary();
topdown();
beside();
course();
threads();
if (flameBegin()) graphBegin();
routines();
caches();
maps();
marks();
profilers();
pipeline();
document.querySelectorAll('h2').forEach(head => { head.tabIndex = -1; });
document.querySelectorAll('nav a').forEach((link, at) => link.prepend(element('kbd', {textContent: PART_KEYS[at]})));
