'use strict';
/* Threads and harts over time, and the profilers beside the truth. */

const stateColours = {running: '--retiring', ready: '--back', lock: '--bad', sleep: '--other', io: '--front',
                      child: '--child', signal: '--signal', idle: '--bar', off: '--line'};
const stateTold = {ready: 'ready, and waits for a hart', lock: 'waits for a lock', sleep: 'sleeps', io: 'waits for input or output',
                   child: 'waits for a process', signal: 'waits for a signal', idle: 'idle', off: 'unknown: the records were off'};
const drawing = (tag, attributes, ...children) => {
  const made = byId('drawing').content.querySelector(tag).cloneNode(false);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

/* ---- tracks: a span knows where it begins; an exact one has a state, a merged one only cycles ---- */
function makeTrack(row, kind) {
  const sums = data.threads.states.map(() => 0);
  let begin = row.begin;
  const spans = row.spans.map(([end, second, ...rest]) => {
    const span = {begin, end, cycles: rest};
    if (rest.length === 1) {
      span.state = second;
      span.who = rest[0];
      span.cycles = data.threads.states.map((name, at) => at === second ? end - begin : 0);
    } else {
      span.changes = second;
    }
    span.cycles.forEach((cycles, at) => { sums[at] += cycles; });
    begin = end;
    return span;
  });
  return Object.assign({kind, name: `${kind} ${row.number}`, spans, sums, end: begin}, row, {spans});
}

const lanes = {box: null, tracks: [], from: 0, to: 1, at: 0, span: -1, few: 18, shown: 18};

function laneLabels(track, lane) {
  const wide = lane.clientWidth, scale = wide / (lanes.to - lanes.from);
  for (const span of track.spans) {
    const left = Math.max(0, (span.begin - lanes.from) * scale), right = Math.min(wide, (span.end - lanes.from) * scale);
    const texts = [`${track.kind === 'hart' ? 'thread' : 'hart'} ${span.who}`, `${span.who}`];
    const fits = span.state === 0 && texts.find(text => 8 * text.length + 4 <= right - left);
    if (!fits) continue;
    const label = element('span', {className: 'lane-label', textContent: fits});
    label.style.cssText = `left:${left}px;width:${right - left}px`;
    lane.append(label);
  }
}
/* A path for each state; a merged span is divided from the bottom up. */
function laneDraw(track, lane) {
  const x = cycle => Math.max(0, Math.min(1000, 1000 * (cycle - lanes.from) / (lanes.to - lanes.from)));
  const paths = data.threads.states.map(() => []), moves = [];
  let hart = null;
  for (const span of track.spans) {
    if (span.state === 0 && hart !== null && hart !== span.who && track.kind === 'thread' && span.begin >= lanes.from && span.begin < lanes.to)
      moves.push(`M${x(span.begin).toFixed(2)} 0V100`);
    if (span.state === 0) hart = span.who;
    if (span.end <= lanes.from || span.begin >= lanes.to) continue;
    const left = x(span.begin), wide = x(span.end) - left, gap = wide > 4 ? 0.8 : 0;
    let below = 100;
    span.cycles.forEach((cycles, state) => {
      if (!cycles) return;
      const high = 100 * cycles / (span.end - span.begin);
      paths[state].push(`M${left.toFixed(2)} ${below.toFixed(1)}v${(-high).toFixed(1)}h${(wide - gap).toFixed(2)}v${high.toFixed(1)}z`);
      below -= high;
    });
  }
  const svg = drawing('svg', {viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  paths.forEach((parts, state) => {
    if (!parts.length) return;
    const path = drawing('path', {d: parts.join('')});
    path.style.fill = `var(${stateColours[data.threads.states[state]] || '--other'})`;
    svg.append(path);
  });
  if (moves.length) svg.append(drawing('path', {d: moves.join(''), class: 'move'}));
  lane.replaceChildren(svg);
  laneLabels(track, lane);
}
function lanesDraw() {
  const shown = lanes.tracks.slice(0, lanes.shown);
  lanes.box.replaceChildren(...shown.flatMap(track => {
    track.lane = element('div', {className: 'lane'});
    const whole = track.kind === 'hart' ? data.threads.cycles : track.end - track.begin;
    return [...track === lanes.tracks[data.threads.harts.length] ? [element('div', {className: 'parting'})] : [],
            element('span', {textContent: track.name}), track.lane,
            element('span', {className: 'most', textContent: percent(track.sums[0], whole)})];
  }), element('span', {}), element('div', {className: 'axis'}, element('span', {textContent: number(lanes.from)}),
    element('span', {textContent: number(lanes.to) + ' cycles'})), element('span', {className: 'most'}));
  lanes.box.prepend(element('span', {}), element('span', {}), element('span', {className: 'most', textContent: 'running'}));
  shown.forEach(track => laneDraw(track, track.lane));
  const more = byId('threads-more');
  more.hidden = lanes.tracks.length <= lanes.few;
  more.textContent = lanes.shown < lanes.tracks.length ? `Show all ${lanes.tracks.length}` : 'Show fewer';
  byId('threads-out').disabled = byId('threads-all').disabled = lanes.from === 0 && lanes.to === data.threads.cycles;
  lanesMark();
}
function lanesMark() {
  const track = lanes.tracks[lanes.at], span = track.spans[lanes.span];
  lanes.box.querySelectorAll('.lane-cursor').forEach(old => old.remove());
  if (!span || !track.lane || lanes.at >= lanes.shown) return;
  const part = cycle => 100 * Math.max(0, Math.min(1, (cycle - lanes.from) / (lanes.to - lanes.from)));
  const cursor = element('div', {className: 'lane-cursor'});
  cursor.style.cssText = `left:${part(span.begin)}%;width:max(4px, ${part(span.end) - part(span.begin)}%)`;
  track.lane.append(cursor);
}
function laneTold(track, span) {
  const when = `cycles ${number(span.begin)} to ${number(span.end)} (${number(span.end - span.begin)})`;
  if (span.changes)
    return `${track.name}, ${when}, ${number(span.changes)} spans merged: ` + data.threads.states.map((name, at) => [name, span.cycles[at]])
      .filter(([, cycles]) => cycles).map(([name, cycles]) => `${name} ${percent(cycles, span.end - span.begin)}`).join(', ');
  const state = data.threads.states[span.state];
  return `${track.name}, ${when}: ` + (state !== 'running' ? stateTold[state] || state
    : track.kind === 'hart' ? `runs thread ${span.who}` : `runs on hart ${span.who}`);
}
function laneTell(at, span) {
  if (lanes.at === at && lanes.span === span) return;
  lanes.at = at;
  lanes.span = span;
  lanesMark();
  const track = lanes.tracks[at];
  byId('threads-told').textContent = track.spans[span] ? laneTold(track, track.spans[span]) : '\u00a0';
}
/* The span at this cycle, or the nearest one. */
function spanAt(track, cycle) {
  const found = track.spans.findIndex(span => span.end > cycle);
  return found < 0 ? track.spans.length - 1 : found;
}
const lanesMiddle = () => {
  const span = lanes.tracks[lanes.at].spans[lanes.span];
  return span ? (Math.max(span.begin, lanes.from) + Math.min(span.end, lanes.to)) / 2 : (lanes.from + lanes.to) / 2;
};
/* `by` times as much as now, with the chosen span in its place; never less than ten cycles. */
function lanesZoom(by) {
  const all = data.threads.cycles, middle = lanesMiddle(), wide = Math.min(all, Math.max(10, (lanes.to - lanes.from) * by));
  const part = Math.max(0, Math.min(1, (middle - lanes.from) / (lanes.to - lanes.from)));
  lanes.from = Math.round(Math.max(0, Math.min(all - wide, middle - part * wide)));
  lanes.to = Math.min(all, lanes.from + Math.round(wide));
  lanesDraw();
}
function lanesAll() { lanes.from = 0; lanes.to = data.threads.cycles; lanesDraw(); }
/* The window follows a span that is chosen outside of it. */
function lanesFollow() {
  const span = lanes.tracks[lanes.at].spans[lanes.span], wide = lanes.to - lanes.from;
  if (!span || (span.begin < lanes.to && span.end > lanes.from)) return;
  lanes.from = Math.round(Math.max(0, Math.min(data.threads.cycles - wide, span.begin - wide / 4)));
  lanes.to = lanes.from + wide;
  lanesDraw();
}
function lanesKey(event) {
  const track = lanes.tracks[lanes.at], most = Math.min(lanes.shown, lanes.tracks.length) - 1;
  const other = to => laneTell(to, spanAt(lanes.tracks[to], lanesMiddle()));
  const act = {ArrowRight: () => laneTell(lanes.at, Math.min(track.spans.length - 1, lanes.span + 1)),
               ArrowLeft: () => laneTell(lanes.at, Math.max(0, lanes.span - 1)),
               ArrowDown: () => other(Math.min(most, lanes.at + 1)), ArrowUp: () => other(Math.max(0, lanes.at - 1)),
               Home: () => laneTell(lanes.at, 0), End: () => laneTell(lanes.at, track.spans.length - 1),
               '+': () => lanesZoom(1 / 2), '=': () => lanesZoom(1 / 2), '-': () => lanesZoom(2), Escape: lanesAll}[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
  lanesFollow();
}
function threadsTable() {
  const states = data.threads.states, rows = lanes.tracks.filter(track => track.kind === 'thread');
  const sum = name => ({name, kind: 'n' + (name === 'running' || name === 'ready' ? '' : ' wide'),
                        show: row => row.sums[states.indexOf(name)] ? number(row.sums[states.indexOf(name)]) : '',
                        sort: row => row.sums[states.indexOf(name)]});
  const count = (name, of, kind = 'n wide') => ({name, kind, show: row => of(row) ? number(of(row)) : '', sort: of});
  const counts = [count('switches', row => row.switches, 'n'), count('preempted', row => row.preempted), count('migrations', row => row.migrations)];
  table(byId('threads-table'), [
    {name: 'thread', show: row => row.number},
    ...states.filter((name, at) => name !== 'idle' && rows.some(row => row.sums[at])).map(sum),
    ...counts.filter(column => rows.some(column.sort)),
    count('mean wait', row => row.waits ? row.waited / row.waits : 0), count('longest wait', row => row.longest_wait),
  ], rows, null, 18);
}
function threads() {
  if (!data.threads) { drop('threads'); return; }
  lanes.tracks = [...data.threads.harts.map(row => makeTrack(row, 'hart')), ...data.threads.threads.map(row => makeTrack(row, 'thread'))];
  lanes.box = byId('threads-box');
  lanes.to = data.threads.cycles;
  const used = data.threads.states.filter((name, at) => lanes.tracks.some(track => track.sums[at]));
  byId('threads-legend').append(...used.map(name => {
    const swatch = element('i', {});
    swatch.style.background = `var(${stateColours[name] || '--other'})`;
    return element('span', {}, swatch, name);
  }));
  if (lanes.tracks.some(track => track.migrations))
    byId('threads-legend').append(element('span', {}, element('i', {className: 'move'}), 'on another hart than before'));
  if (data.threads.grain)
    byId('threads-note').textContent += ` Neighbours shorter than ${number(data.threads.grain)} cycles are merged, to keep the page small: ` +
      'such a span is divided from the bottom up by the time in each state. The numbers below are exact.';
  if (data.threads.left_out)
    byId('threads-note').textContent += ` The ${number(data.threads.left_out)} threads that ran least have no line.`;
  lanes.box.onkeydown = lanesKey;
  lanes.box.onpointermove = event => {
    const at = lanes.tracks.findIndex(track => track.lane && track.lane.contains(event.target));
    if (at < 0) return;
    const place = lanes.tracks[at].lane.getBoundingClientRect();
    laneTell(at, spanAt(lanes.tracks[at], lanes.from + (lanes.to - lanes.from) * (event.clientX - place.left) / place.width));
  };
  lanes.box.ondblclick = () => lanesZoom(1 / 4);
  byId('threads-in').onclick = () => lanesZoom(1 / 2);
  byId('threads-out').onclick = () => lanesZoom(2);
  byId('threads-all').onclick = lanesAll;
  byId('threads-more').onclick = () => { lanes.shown = lanes.shown < lanes.tracks.length ? lanes.tracks.length : lanes.few; lanesDraw(); };
  let wide = 0;
  new ResizeObserver(() => { if (lanes.box.clientWidth !== wide) { wide = lanes.box.clientWidth; lanesDraw(); } }).observe(lanes.box);
  lanesDraw();
  threadsTable();
}

/* ---- profilers beside the truth: bias as a bar, the interval of chance as a line, the error as a mark ---- */
function profilers() {
  const all = data.profilers;
  if (!all || !all.schemes.length) { drop('profilers'); return; }
  const most = Math.max(0.01, ...all.schemes.map(row => Math.max(row.instruction_error, row.interval_high || 0, row.bias || 0)));
  const x = share => (1000 * share / most).toFixed(1);
  const share = value => (100 * value).toFixed(2) + ' %';
  const noise = row => row.interval_high === undefined ? 'none'
    : row.interval_low === undefined ? `at most ${share(row.interval_high)}` : `${(100 * row.interval_low).toFixed(2)} to ${share(row.interval_high)}`;
  const chart = row => {
    const bias = row.bias === undefined ? row.instruction_error : row.bias;
    const svg = drawing('svg', {viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
      drawing('path', {d: `M0 22H${x(bias)}V78H0Z`, class: 'bias'}));
    if (row.interval_high !== undefined)
      svg.append(drawing('path', {d: `M${x(row.interval_low === undefined ? bias : row.interval_low)} 50H${x(row.interval_high)}`, class: 'noise'}));
    svg.append(drawing('path', {d: `M${x(row.instruction_error)} 4V96`, class: 'error'}));
    return svg;
  };
  const has = all.schemes.some(row => row.bias !== undefined);
  table(byId('profilers-box'), [
    {name: 'profiler', kind: 'scheme', show: row => element('span', {}, element('b', {textContent: row.scheme}),
      element('span', {className: 'muted', textContent: data.charged[row.scheme] || ''}))},
    {name: `0 to ${share(most)}`, kind: 'chart wide', show: chart},
    {name: 'error', kind: 'n', show: row => share(row.instruction_error), sort: row => row.instruction_error},
    ...has ? [{name: 'bias', kind: 'n', show: row => row.bias === undefined ? '' : share(row.bias), sort: row => row.bias || 0},
              {name: 'with noise', kind: 'n wide', show: noise, sort: row => row.interval_high || 0}] : [],
    {name: 'error by block', kind: 'n wide', show: row => share(row.block_error), sort: row => row.block_error},
    {name: 'error by routine', kind: 'n wide', show: row => share(row.function_error), sort: row => row.function_error},
    {name: 'bits in hardware', kind: 'n wide', show: row => number(row.storage_bits), sort: row => row.storage_bits},
    {name: 'cycles of handlers', kind: 'n wide', show: row => row.handler_cycles ? number(row.handler_cycles) : '', sort: row => row.handler_cycles},
  ], all.schemes, null, 20);
  byId('profilers-samples').textContent = `${number(all.samples)} samples, one every ${number(all.period)} cycles` +
    (all.dither ? ` and up to ${number(all.dither)} more` : '');
  byId('profilers-legend').textContent = has
    ? 'Bar: the bias, which is the error with a sample in every cycle. Line: the noise, between which ends the errors of 95 in 100 profiles ' +
      'of as many samples are. Mark: the error of this profile; outside of the line the samples keep step with the program.'
    : 'Bar and mark: the error of this profile. The bias was not measured.';
}
