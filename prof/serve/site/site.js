'use strict';
/* The pages of the service, from its API. Every text goes into the page as text. */

const main = document.getElementById('main'), status = document.getElementById('status');
const leave = document.getElementById('leave');
const PAGE = 25;

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'on') for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter(child => child != null));
  return made;
}

/* ---- asking ---- */

class Refused extends Error {}

async function ask(path, parameters, options) {
  const query = new URLSearchParams(Object.entries(parameters || {}).filter(([, value]) => value !== '' && value != null));
  const answer = await fetch(path + (query.size ? '?' + query : ''), options);
  if (answer.status === 401 || answer.status === 403) throw new Refused((await answer.json()).error);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({error: answer.statusText}))).error);
  return answer.status === 204 ? null : answer.json();
}

async function costs(selection) {
  const found = [];
  let after = 0;
  do {
    const page = await ask('/v1/costs', {...selection, after});
    found.push(...page.functions);
    after = page.next;
  } while (after != null && found.length < 500);
  return found;
}

/* ---- numbers ---- */

function short(value) {
  if (!Number.isFinite(value)) return '?';
  if (value !== 0 && Math.abs(value) < 100 && !Number.isInteger(value)) return value.toFixed(1);
  for (const [limit, unit] of [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
    if (Math.abs(value) >= limit) return (value / (limit === 1e4 ? 1e3 : limit)).toFixed(1) + ' ' + unit;
  return Math.round(value).toLocaleString('en');
}
function time(value, unit) {
  if (unit !== 'ns') return `${short(value)} ${unit}`;
  for (const [limit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']])
    if (value >= limit) return `${(value / limit).toFixed(1)} ${name}`;
  return `${value} ns`;
}
const MOST = '18446744073709551615';
const mean = row => row.sum === MOST ? NaN : Number(row.sum) / row.count;
function deviation(row) {
  if (row.sum === MOST || row.sum_of_squares === MOST) return NaN;
  return Math.sqrt(Math.max(0, Number(row.sum_of_squares) / row.count - mean(row) ** 2));
}
function range(slot) {
  if (slot === 0) return '0';
  const first = 2n ** BigInt(slot - 1), last = 2n * first - 1n;
  return first === last ? String(first) : `${first.toLocaleString('en')} to ${last.toLocaleString('en')}`;
}
const slot = bucket => bucket.bucket == null ? 0 : bucket.bucket + 1;
function span(rows) {
  const used = rows.flatMap(row => row.buckets.map(slot));
  return used.length ? [Math.min(...used), Math.max(...used)] : [0, 0];
}

/* ---- pictures ---- */

/* From cold to hot; the word beside it says the same. */
function heat(at, [first, last]) {
  const part = last > first ? (at - first) / (last - first) : 0;
  return `hsl(${230 - 220 * part} 75% calc(var(--heat) + ${(8 * Math.sin(Math.PI * part)).toFixed(1)}%))`;
}

/* A spectrum: a column for each bucket, its colour from cheap to expensive, its thickness by calls. */
function strip(row, over, long) {
  const counts = new Map(row.buckets.map(bucket => [slot(bucket), bucket.count]));
  const most = Math.max(1, ...counts.values()), columns = [];
  const made = el('div', {class: long ? 'strip long' : 'strip', role: 'img', 'aria-label':
    'spectrum: ' + row.buckets.map(bucket => `${bucket.count} of ${range(slot(bucket))}`).join(', ')});
  for (let at = over[0]; at <= over[1]; at++) {
    const column = el('i', {title: `${range(at)}: ${(counts.get(at) || 0).toLocaleString('en')}`});
    if (counts.has(at)) {
      column.style.height = Math.max(12, 100 * counts.get(at) / most) + '%';
      column.style.background = heat(at, over);
    }
    columns.push(column);
  }
  made.append(...columns);
  return made;
}

function histogram(row) {
  const over = span([row]), counts = new Map(row.buckets.map(bucket => [slot(bucket), bucket.count]));
  const most = Math.max(1, ...counts.values()), made = el('div', {class: 'bars', role: 'img',
    'aria-label': 'histogram'});
  for (let at = over[0]; at <= over[1]; at++) {
    const count = counts.get(at) || 0, bar = el('i');
    bar.style.width = 100 * count / most + '%';
    bar.style.background = count ? heat(at, over) : 'transparent';
    made.append(el('span', {}, range(at)), el('span', {class: 'number'}, count.toLocaleString('en')), bar);
  }
  return made;
}

const cell = (label, text, more) => el('td', {class: 'number', 'data-label': label, ...more}, text);
const head = (...names) => el('thead', {}, el('tr', {}, names.map(name => el('th', {scope: 'col', class: name.startsWith('#') && 'number'}, name.replace('#', '')))));
const hash = (page, parameters) => '#/' + page + '?' + new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
const facts = pairs => el('dl', {class: 'facts'}, pairs.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));

function picker(label, name, values, chosen, go) {
  const select = el('select', {name, on: {change: event => go({[name]: event.target.value})}},
    values.map(([value, text]) => el('option', {value, selected: value === chosen}, text)));
  return el('label', {}, label, select);
}
const plain = values => values.map(value => [value, value]);

/* ---- pages ---- */

let names = null;

function filters(page, parameters, wanted) {
  const go = change => { location.hash = hash(page, {...parameters, offset: '', ...change}); };
  const versions = names.programs.filter(p => p.program === parameters.program && p.version).map(p => p.version);
  const all = {
    search: () => el('label', {class: 'wide'}, 'Search', el('input', {type: 'search', name: 'search', id: 'search', value: parameters.search || '',
      placeholder: page === 'hangs' ? 'a frame of a stack' : 'a part of a name', on: {change: event => go({search: event.target.value})}})),
    program: () => picker('Program', 'program', [['', 'all'], ...plain([...new Set(names.programs.map(p => p.program))])], parameters.program || '', change => go({...change, version: ''})),
    version: () => versions.length > 1 ? picker('Version', 'version', [['', 'all'], ...plain(versions)], parameters.version || '', go) : null,
    module: () => names.modules.length > 1 ? picker('Module', 'module', [['', 'all'], ...plain(names.modules.filter(m => m))], parameters.module || '', go) : null,
    cost: () => picker('Cost', 'cost', plain(names.costs), parameters.cost, go),
    scope: () => picker('Scope', 'scope', plain(['inclusive', 'exclusive']), parameters.scope, go),
    sort: () => picker('Order', 'sort', [['sum', 'largest sum'], ['mean', 'largest mean'], ['count', 'most calls'], ['name', 'by name']], parameters.sort || 'sum', go),
  };
  return el('form', {class: 'card filters', role: 'search', on: {submit: event => {
    event.preventDefault();
    go({search: event.target.elements.search ? event.target.elements.search.value : ''});
  }}}, wanted.map(name => all[name]()));
}

function pages(page, parameters, count) {
  const offset = Number(parameters.offset || 0);
  return el('div', {class: 'row'},
    offset > 0 ? el('a', {href: hash(page, {...parameters, offset: Math.max(0, offset - PAGE) || ''})}, '← before') : null,
    count === PAGE ? el('a', {href: hash(page, {...parameters, offset: offset + PAGE})}, 'more →') : null);
}

async function showFunctions(parameters) {
  const by = {cost: names.costs.includes('cycles') ? 'cycles' : names.costs[0] || '', scope: 'inclusive', ...parameters};
  const found = (await ask('/v1/functions', {...by, limit: PAGE})).functions;
  const rows = found.map(row => {
    const spectrum = el('td', {class: 'whole'}, el('div', {class: 'strip'}));
    const shown = el('tr', {}, el('td', {class: 'name'}, el('a', {href: hash('function', {function: row.function, module: row.module, program: by.program, version: by.version})}, row.function),
      row.module ? el('small', {}, row.module) : null),
    spectrum, cell('calls', row.count.toLocaleString('en')), cell('mean', short(mean(row))), cell('deviation', short(deviation(row))), cell('sum', short(Number(row.sum))));
    return {row, shown, spectrum};
  });
  main.append(el('h1', {}, 'What functions cost'), filters('', by, ['search', 'program', 'version', 'module', 'cost', 'scope', 'sort']),
    found.length ? el('div', {class: 'card scroll'}, el('table', {class: 'stacked'}, head('Function', 'Spectrum, cheap to expensive', '#Calls', '#Mean', '#Deviation', '#Sum'),
      el('tbody', {}, rows.map(r => r.shown)))) : el('p', {class: 'card quiet'}, names.programs.length ? 'No function is like this.' : 'Nothing was submitted yet.'),
    pages('', parameters, found.length));
  return async still => {
    const details = [];
    for (const {row, spectrum} of rows) {
      if (!still()) return;
      const one = (await costs({function: row.function, cost: by.cost, scope: by.scope, program: by.program, version: by.version})).find(r => r.module === row.module);
      if (one) details.push([one, spectrum]);
    }
    const over = span(details.map(([one]) => one));
    for (const [one, spectrum] of details) spectrum.replaceChildren(strip(one, over));
  };
}

async function showFunction(parameters) {
  const found = (await costs(parameters)).filter(row => row.module === (parameters.module || ''));
  const section = row => el('section', {class: 'card'}, el('h2', {}, `${row.cost}, ${row.scope}`),
    facts([['calls', row.count.toLocaleString('en')], ['mean', short(mean(row))], ['deviation', short(deviation(row))], ['sum', short(Number(row.sum))]]),
    strip(row, span([row]), true), histogram(row));

  found.sort((a, b) => (b.cost === 'cycles') - (a.cost === 'cycles'));
  main.append(el('h1', {}, parameters.function || '?'),
    el('p', {class: 'quiet'}, [parameters.module && `module ${parameters.module}`, parameters.program ? `measured by ${parameters.program} ${parameters.version || ''}` : 'measured by all programs'].filter(Boolean).join(', ')),
    el('p', {}, el('a', {href: hash('compare', {function: parameters.function, module: parameters.module})}, 'Compare versions')));
  main.append(found.length ? el('div', {class: 'pairs'}, found.map(section)) : el('p', {class: 'card quiet'}, 'Nothing is known of it.'));
}

async function showCompare(parameters) {
  const by = {cost: names.costs.includes('cycles') ? 'cycles' : names.costs[0] || '', scope: 'inclusive', ...parameters};
  const ask_for = el('form', {class: 'card filters', on: {submit: event => {
    event.preventDefault();
    location.hash = hash('compare', {...by, function: event.target.elements.function.value});
  }}}, el('label', {class: 'wide'}, 'Function', el('input', {name: 'function', id: 'search', value: by.function || '', placeholder: 'its whole name; empty: all of the module or namespace'})),
  picker('Cost', 'cost', plain(names.costs), by.cost, change => { location.hash = hash('compare', {...by, ...change}); }),
  picker('Scope', 'scope', plain(['inclusive', 'exclusive']), by.scope, change => { location.hash = hash('compare', {...by, ...change}); }),
  el('button', {class: 'primary'}, 'Compare'));
  const found = (await ask('/v1/costs', {...by, group: 'version'})).groups, over = span(found);
  const age = new Map(names.programs.map((p, at) => [`${p.program}\n${p.version}`, at]));
  const age_of = row => age.get(`${row.program}\n${row.version}`) ?? age.size;
  const first = new Map();

  found.sort((a, b) => age_of(a) - age_of(b));
  const rows = found.map(row => {
    const base = first.get(row.program), change = base == null ? NaN : mean(row) / base - 1;
    if (base == null) first.set(row.program, mean(row));
    return el('tr', {}, el('td', {class: 'name'}, row.program, el('small', {}, row.version || '(no version)')), el('td', {class: 'whole'}, strip(row, over)),
      cell('calls', row.count.toLocaleString('en')), cell('mean', short(mean(row))),
      cell('change', Number.isFinite(change) ? `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %` : 'first',
        {class: 'number ' + (change > 0.05 ? 'worse' : change < -0.05 ? 'better' : '')}));
  });
  main.append(el('h1', {}, 'Versions compared'), ask_for,
    rows.length ? el('div', {class: 'card scroll'}, el('table', {class: 'stacked'}, head('Program and version', 'Spectrum, cheap to expensive', '#Calls', '#Mean', '#Mean against the first'), el('tbody', {}, rows)))
      : el('p', {class: 'card quiet'}, 'Nothing is known of it.'));
}

const when = seconds => new Date(1000 * seconds).toISOString().slice(0, 16).replace('T', ' ');

async function showHangs(parameters) {
  const found = (await ask('/v1/hangs', {...parameters, limit: PAGE})).groups;
  const rows = found.map(group => el('tr', {}, el('td', {class: 'name'}, el('a', {href: hash('hang', {group: group.group})}, group.tag), el('small', {}, `${group.program} ${group.version}`)),
    cell('reports', group.reports.toLocaleString('en')), cell('longest', time(group.longest, group.unit)), cell('last', when(group.last_seen), {class: 'number whole'}),
    el('td', {class: 'whole'}, el('ol', {class: 'stack'}, group.stack.slice(-4).reverse().map(frame => el('li', {}, frame)),
      group.stack.length > 4 ? el('li', {class: 'rest'}, `… ${group.stack.length - 4} more`) : null))));
  main.append(el('h1', {}, 'What hangs'), filters('hangs', parameters, ['search', 'program', 'version']),
    rows.length ? el('div', {class: 'card scroll'}, el('table', {class: 'stacked'}, head('Tag', '#Reports', '#Longest', '#Last (UTC)', 'Stack, leaf first'), el('tbody', {}, rows)))
      : el('p', {class: 'card quiet'}, 'No hangs were reported.'), pages('hangs', parameters, found.length));
}

async function showHang(parameters) {
  const group = await ask('/v1/hangs/' + encodeURIComponent(parameters.group));
  main.append(el('h1', {}, group.tag), el('p', {class: 'quiet'}, `${group.program} ${group.version}`),
    el('section', {class: 'card'}, facts([['reports', group.reports.toLocaleString('en')], ['longest', time(group.longest, group.unit)], ['first', when(group.first_seen)], ['last', when(group.last_seen)]]),
      el('h2', {}, 'Stack, leaf first'), el('ol', {class: 'stack'}, [...group.stack].reverse().map(frame => el('li', {}, frame)))),
    el('section', {class: 'card'}, el('h2', {}, 'Last reports'), group.last_reports.map(report =>
      el('details', {}, el('summary', {}, `report ${report.number}, ${when(report.received)}`), el('pre', {}, JSON.stringify(report.report, null, 2))))));
}

async function showControl(parameters) {
  const programs = [...new Set(names.programs.map(p => p.program))], program = parameters.program || programs[0] || '';
  const text = program ? await ask('/v1/control/' + encodeURIComponent(program)) : {schema: 1, tags: []};
  const area = el('textarea', {'aria-label': 'control file', spellcheck: 'false'});
  area.value = JSON.stringify({schema: 1, tags: text.tags}, null, 2);
  main.append(el('h1', {}, 'Control files'),
    el('form', {class: 'card filters', on: {submit: event => event.preventDefault()}}, picker('Program', 'program', plain(programs), program, change => { location.hash = hash('control', change); })),
    el('section', {class: 'card'}, el('p', {class: 'quiet'}, 'For each tag: a threshold such as 5M (cycles) or 2ms, or "" for the program’s own; none, light or full reports; how many times. The tag * is for all others.'), area,
      el('div', {class: 'row'}, el('button', {class: 'primary', type: 'button', on: {click: async () => {
        try {
          await ask('/v1/control/' + encodeURIComponent(program), {}, {method: 'PUT', body: area.value});
          status.textContent = 'Stored.';
        } catch (error) { status.textContent = error.message; }
      }}}, 'Store'))));
}

function showLogin() {
  leave.hidden = true;
  const input = el('input', {type: 'password', name: 'token', autocomplete: 'off', required: true, 'aria-label': 'token'});
  main.append(el('h1', {}, 'A token is needed'), el('form', {class: 'card', on: {submit: async event => {
    event.preventDefault();
    const answer = await fetch('/login', {method: 'POST', body: input.value.trim()});
    if (answer.ok) {
      localStorage.setItem('has token', '1');
      show();
    } else status.textContent = (await answer.json()).error;
  }}}, el('p', {class: 'quiet'}, 'The service printed one when it made its database. This browser keeps it until you forget it.'),
  el('div', {class: 'row'}, input, el('button', {class: 'primary'}, 'Read'))));
  input.focus();
}

/* ---- moving ---- */

const shown = {'': showFunctions, function: showFunction, compare: showCompare, hangs: showHangs, hang: showHang, control: showControl};
let turn = 0, goes_to_row = false;

async function show() {
  const mine = ++turn, [page, query] = location.hash.replace(/^#\/?/, '').split('?');
  const still = () => mine === turn;
  status.textContent = 'Loading…';
  for (const link of document.querySelectorAll('nav a')) {
    const is_here = link.dataset.page === ({'': 'functions', function: 'functions', hang: 'hangs'}[page] || page);
    if (is_here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  try {
    names = await ask('/v1/names');
    if (!still()) return;
    main.replaceChildren();
    const more = await (shown[page] || showFunctions)(Object.fromEntries(new URLSearchParams(query || '')));
    if (!still()) return;
    leave.hidden = localStorage.getItem('has token') === null;
    (goes_to_row && main.querySelector('tbody a') || main).focus({preventScroll: true});
    goes_to_row = false;
    status.textContent = '';
    if (more) await more(still);
  } catch (error) {
    if (!still()) return;
    main.replaceChildren();
    status.textContent = error instanceof Refused ? '' : error.message;
    if (error instanceof Refused) showLogin();
  }
}

leave.addEventListener('click', async () => {
  await fetch('/login', {method: 'POST', body: ''});
  localStorage.removeItem('has token');
  show();
});

document.addEventListener('keydown', event => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === '/' && !typing) {
    const search = document.getElementById('search');
    if (search) { event.preventDefault(); search.focus(); search.select(); }
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target.tagName !== 'SELECT' && event.target.tagName !== 'TEXTAREA') {
    const links = [...main.querySelectorAll('tbody a')], typed = event.target;
    if (typed.id === 'search' && typed.value !== typed.defaultValue) {
      event.preventDefault();         /* the rows of what was typed come first */
      goes_to_row = true;
      typed.form.requestSubmit();
      return;
    }
    if (!links.length) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement), next = event.key === 'ArrowDown' ? at + 1 : Math.max(0, at - 1);
    links[Math.min(next, links.length - 1)].focus();
  }
});

addEventListener('hashchange', show);
show();
