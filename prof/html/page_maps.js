/* Caches and shadow frames at the end of the run, as maps: columns are sets, rows are ways. In a large
 * cache a column is several sets, and shows of each way what most matters. */
const MAP_COLUMNS = 256;
const MAP_LINES = {s: ['shared', '--signal'], c: ['clean', '--front'], M: ['modified', '--bad'], '~': ['on its way', '--back']};
function maps() {
  const all = data.maps || [], box = byId('maps-box');
  if (!all.length) { byId('maps')?.remove(); return; }
  const harts = new Set(all.map(map => map.hart)).size;
  const order = '.scM~', shadowOrder = '.+#', seen = new Set();
  const greater = (a, b, letters) => letters.indexOf(a) > letters.indexOf(b) ? a : b;
  for (const map of all) {
    const merged = Math.ceil(map.sets / MAP_COLUMNS), columns = Math.ceil(map.sets / merged);
    const path = {}, count = {};
    const add = (kind, column, way, from) => {
      path[kind] = (path[kind] || '') + `M${column} ${way + from}h.9V${way + .9}h-.9z`;
      seen.add(kind);
    };
    for (let column = 0; column < columns; column++)
      for (let way = 0; way < map.ways; way++) {
        let line = '.', shadow = '.';
        for (let set = column * merged; set < Math.min(map.sets, (column + 1) * merged); set++) {
          const at = set * map.ways + way, mark = map.shadows ? map.shadows[at] : '.';
          line = greater(map.lines[at], line, order);
          shadow = greater(mark, shadow, shadowOrder);
          count[map.lines[at]] = (count[map.lines[at]] || 0) + 1;
          if (mark !== '.') count[mark] = (count[mark] || 0) + 1;
        }
        if (line !== '.') add(line, column, way, 0);
        if (shadow !== '.') add(shadow, column, way, shadow === '#' ? .2 : .55);
      }
    const told = [`${number(map.lines.length - (count['.'] || 0))} of ${number(map.lines.length)} lines`,
      count.M && `${number(count.M)} modified`, (count['+'] || count['#']) &&
      `${number((count['+'] || 0) + (count['#'] || 0))} with metadata, ${number(count['#'] || 0)} of these with counts`,
      merged > 1 && `${merged} sets a column`].filter(Boolean).join(', ');
    const svg = drawing('svg', {viewBox: `0 0 ${columns} ${map.ways}`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `${map.name}: ${told}`}, ...Object.keys(path).map(kind => {
        const drawn = drawing('path', {d: path[kind]});
        drawn.style.fill = `var(${MAP_LINES[kind] ? MAP_LINES[kind][1] : '--child'})`;
        return drawn;
      }));
    svg.style.height = `${Math.min(8, Math.max(2.4, map.ways * .55))}rem`;
    svg.style.maxWidth = `${columns * 1.1}rem`;
    box.append(element('figure', {}, element('figcaption', {},
      element('b', {textContent: map.name + (harts > 1 && map.shadows ? ` of hart ${map.hart}` : '')}), ` ${told}`), svg));
  }
  const swatch = (colour, text, height = 1) => {
    const mark = element('i', {});
    mark.style.background = `linear-gradient(to top, ${colour} ${100 * height}%, var(--front) 0)`;
    return element('span', {}, mark, text);
  };
  byId('maps-legend').append(...Object.keys(MAP_LINES).filter(kind => seen.has(kind)).map(kind =>
      swatch(`var(${MAP_LINES[kind][1]})`, MAP_LINES[kind][0])),
    ...(seen.has('+') ? [swatch('var(--child)', 'with metadata', .4)] : []),
    ...(seen.has('#') ? [swatch('var(--child)', 'with metadata that has counted', .8)] : []));
}
