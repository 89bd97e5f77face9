'use strict';
// The page around the engine: two editors, a worker that can be ended at any time, and the answer in a frame in which
// no script runs. What the engine says reaches the frame as text only.

const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const fields = ['script', 'binding', 'scenario', 'limit', 'contract'];
const patience = 5000; // ms without a sign of progress, after which a worker is ended; a script ends itself before
const cellTime = 10000; // ms for one scenario of all: clients that are told to retry at once ask for ever
const alarm = 3; // report.Alarm
const linkVersion = 1;
const longestLink = 1 << 20; // characters of what is in one

// What is on the screen, as the engine gave it.
let answer = null, examination = null, cells = new Map(), cellsOf = '', examinedFor = '';

// ---- The engine.

let module = null, worker = null, ready = null, beat = 0;
let asked = null; // what the worker is busy with: {part, began, done, failed}

// The engine's bytes are packed; some hosts unpack such a file on their own.
async function load() {
  if (typeof WebAssembly !== 'object') throw new Error('This browser has no WebAssembly, in which the engine runs; take another one, or the programs.');
  if (typeof DecompressionStream !== 'function') throw new Error('This browser is too old to unpack the engine; take a newer one, or the programs.');
  let bytes;
  if (data.engine) {
    const response = await fetch(data.engine);
    if (!response.ok) throw new Error(`The engine did not come: ${data.engine} gives ${response.status}; load the page again.`);
    const parts = [];
    let have = 0;
    for (const reader = response.body.getReader(); ;) {
      const {done, value} = await reader.read();
      if (done) break;
      parts.push(value);
      have += value.length;
      $('progress').value = Math.min(1, have / data.size);
      say(`Loading the engine: ${(have / 1e6).toFixed(1)} MB`);
    }
    bytes = new Uint8Array(have);
    parts.reduce((at, part) => { bytes.set(part, at); return at + part.length; }, 0);
  } else {
    bytes = Uint8Array.from(atob($('engine').textContent), (c) => c.charCodeAt(0));
    $('engine').remove();
  }
  say('Preparing the engine');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    bytes = await new Response(through(bytes, new DecompressionStream('gzip'))).arrayBuffer();
  }
  module = await WebAssembly.compile(bytes);
}

// through is a stream of bytes behind a transformation. Browsers may keep a large Blob in a place of which they run out.
function through(bytes, transform) {
  const writer = transform.writable.getWriter();
  writer.write(bytes).catch(() => {}); // the reader hears of it
  writer.close().catch(() => {});
  return transform.readable;
}

// start makes a worker, which is ready when its engine says so.
function start() {
  if (worker) worker.terminate();
  worker = new Worker(URL.createObjectURL(new Blob([$('boot').textContent], {type: 'text/javascript'})));
  const mine = worker;
  ready = new Promise((resolve) => {
    mine.onmessage = ({data: text}) => {
      const at = text.indexOf(' '), kind = text.slice(0, at), part = JSON.parse(text.slice(at + 1));
      beat = performance.now();
      if (mine !== worker || kind === 'beat') return;
      if (kind === 'ready') return resolve();
      if (kind === 'ended') return end(/out of memory/.test(part) ? 'The script took more than 512 MB of memory; it was ended.' : `The engine ended: ${part.split('\n')[0]}`);
      const {done, failed} = asked;
      asked = null;
      kind === 'error' ? failed(new Error(part)) : done(part);
    };
  });
  mine.postMessage(module);
}

// end ends what is being worked on, with a sentence, and prepares the next worker.
function end(sentence) {
  const was = asked;
  asked = null;
  start();
  if (was) was.failed(new Error(sentence));
}

setInterval(() => {
  if (asked?.part === 'cell' && performance.now() - asked.began > cellTime) end('it takes longer than ten seconds here; the programs decide it');
  if (asked && performance.now() - beat > patience) end('The script gave no answer for five seconds: it loops, or is far too slow; it was ended.');
}, 250);

async function ask(part, question) {
  await ready;
  return new Promise((done, failed) => {
    beat = performance.now();
    asked = {part, began: beat, done, failed};
    worker.postMessage(JSON.stringify({...question, part}));
  });
}

// ---- One run: the answer first, then what standard traffic shows, then the figure of each scenario.

let run = 0; // counts runs: what an earlier one still hears is not shown

async function start_run() {
  const mine = ++run, current = () => mine === run;
  if (!module) return;
  if (asked) end('');
  const question = Object.fromEntries(fields.map((f) => [f, $(f).value]));
  question.limit = question.limit.trim();
  fail('');
  $('stop').disabled = false;
  say('Running');
  const began = performance.now();
  try {
    const found = await ask('play', question);
    if (!current()) return;
    answer = found;
    say(`Answered in ${((performance.now() - began) / 1000).toFixed(1)} s; examining the script`);
    const what = JSON.stringify([question.script, question.binding, question.contract]);
    const examined = JSON.stringify([what, question.scenario, question.limit]);
    if (cellsOf !== what) [cellsOf, cells] = [what, new Map()];
    if (examinedFor !== examined) [examinedFor, examination] = [examined, null];
    draw();
    const {top} = $('answers').getBoundingClientRect();
    if (top < 0 || top > innerHeight * 0.6) $('answers').scrollIntoView();
    if (!examination) {
      const found = await ask('examine', question).catch((e) => ({lead: [`Not examined: ${e.message}`], findings: [], tried: []}));
      if (!current()) return;
      examination = found;
      draw();
    }
    const left = [...data.scenarios].sort((a, b) => a.requests - b.requests).filter((s) => !cells.has(s.name));
    for (const s of left) {
      say(`In every scenario: ${cells.size} of ${data.scenarios.length}`);
      const cell = await ask('cell', {...question, scenario: s.name}).catch((e) => ({Text: '-', why: e.message}));
      if (!current()) return;
      cells.set(s.name, cell);
      show(s);
    }
    finish('Done: every scenario is decided');
  } catch (e) {
    if (!current()) return;
    answer = null;
    draw();
    fail(e.message);
    finish('');
  }
}

const finish = (word) => { $('stop').disabled = true; say(word); };

function stop() {
  run++;
  if (asked) end('');
  finish('Stopped');
}

function say(text) {
  $('said').textContent = text;
}

// fail shows an error, and marks the line that it names.
function fail(text) {
  $('error').hidden = !text;
  $('error').textContent = text;
  if (text) $('error').scrollIntoView({block: 'nearest'});
  const at = /\bmy\.(lua|yaml):(\d+)/.exec(text) || /()(?:\bline:? ?|user_script:)(\d+)/.exec(text) || /()()at EOF/.exec(text);
  for (const editor of editors) editor.mark(at && editor.id === (at[1] === 'yaml' ? 'binding' : 'script') ? Number(at[2] || Infinity) : 0);
}

// ---- The editors: a textarea over coloured text.

// Each pattern takes time in proportion to the text: an open quote matches to the end of its line, and a name begins once.
const lua = /(--.*)|("(?:[^"\\]|\\.?)*"?|'(?:[^'\\]|\\.?)*'?)|\b(and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|return|then|true|until|while)\b|\b(\d[\w.]*|KEYS|ARGV|redis|cjson)\b/g;
const yaml = /(#.*)|("(?:[^"\\]|\\.?)*"?|'[^']*'?)|(?<![\w-])([\w-]+(?=:))|\b(\d[\w.]*)\b/g;

const longestColoured = 100000; // characters; a browser takes long for more lines and words than that

function highlighted(text, words) {
  const line = make('div');
  let from = 0;
  for (const m of text.matchAll(words)) {
    line.append(text.slice(from, m.index), make('span', 'csk n'.replace(' ', '')[m.slice(1).findIndex((g) => g !== undefined)], m[0]));
    from = m.index + m[0].length;
  }
  line.append(text.slice(from));
  return line;
}

class Editor {
  constructor(id, words) {
    [this.id, this.words, this.area, this.pre, this.wrong] = [id, words, $(id), $(id).previousElementSibling, 0];
    this.area.addEventListener('input', () => { this.mark(0); $('example').value = ''; });
    this.area.addEventListener('scroll', () => this.pre.scrollTo(this.area.scrollLeft, this.area.scrollTop));
  }
  set(text) {
    this.area.value = text;
    this.mark(0);
  }
  mark(named) {
    const text = this.area.value, lines = text.split('\n');
    const line = Math.min(named, lines.length); // an end that is missing is named beyond it
    if (text.length > longestColoured) this.pre.replaceChildren(text);
    else this.pre.replaceChildren(...lines.map((text, i) => {
      const one = highlighted(text, this.words);
      if (i + 1 === line) one.className = 'wrong';
      return one;
    }));
    if (line) this.area.scrollTop = Math.max(0, (line - 5) * 19.5);
    this.pre.scrollTo(this.area.scrollLeft, this.area.scrollTop);
    this.area.setAttribute('aria-invalid', String(line > 0));
  }
}

// ---- The answer, in its frame.

function make(name, className, ...inside) {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...inside);
  return e;
}

function draw() {
  const all = make('main', 'answer');
  if (answer) {
    const faults = examination ? examination.findings.filter((f) => f.fault).map((f) => f.name).join(', ') : '';
    const colour = !answer.holds || faults ? 'bad' : examination ? 'good' : ''; // a fault may yet be found
    all.append(make('h1', colour, answer.sentence + (faults && `; fault: ${faults}`) + '.'), ...answer.lead.map((l) => make('p', 'quiet', l)));
    answer.tables.forEach((t, i) => all.append(make('div', 'scroll', table(t, i === 0))));
    all.append(...answer.notes.map((n) => make('p', '', n)));
    if (answer.chart) all.append(figure(answer.chart, $('frame').clientWidth - 8));
    if (examination) all.append(...examined(examination));
    $('command').textContent = `go run ./cmd/${answer.command}`;
    URL.revokeObjectURL($('figures').href);
    $('figures').href = URL.createObjectURL(new Blob([answer.document], {type: 'application/json'}));
  }
  $('rest').hidden = !answer;
  data.scenarios.forEach(show);
  $('frame').contentDocument.body.replaceChildren(all);
}

function table(t, first) {
  const head = make('tr', '', ...t.columns.map((c, i) => Object.assign(make('th', '', c), {title: t.help[i], scope: 'col'})));
  return make('table', '', make('thead', '', head), make('tbody', '', ...t.rows.map((row, i) =>
    make('tr', first && i === 0 ? 'mine' : '', ...row.map((c) => make('td', c.Style === alarm ? 'bad' : '', c.Text))))));
}

function examined(x) {
  const list = make('ul', '', ...x.findings.map((f) => {
    const item = make('li', '', make('b', f.fault ? 'bad' : '', f.fault ? 'fault' : 'property'), f.text);
    if (f.scenario) item.append(make('details', '', make('summary', '', `The traffic that shows it: ${f.file}`), make('pre', 'plain', f.scenario)));
    if (f.chart) item.append(figure(f.chart, $('frame').clientWidth - 8));
    return item;
  }));
  const rest = x.checked ? [make('p', 'quiet', x.checked)] : [];
  return [make('h2', '', 'What a corpus of traffic shows'), ...x.lead.map((l, i) => make('p', i ? 'quiet' : '', l)), list, ...rest];
}

// ---- Every scenario: a row of buttons, each with the script's figure in it. Left and right go along it.

const legend = '1.98: the peak, as a multiple of the limit. -7%: less than an exact limiter admits. ok: neither. Each scenario has its own limit; press one to run it.';
const buttons = new Map(data.scenarios.map((s, i) => [s.name, Object.assign(make('button'), {type: 'button', value: s.name, tabIndex: i ? -1 : 0})]));

function show({name, question}) {
  const c = cells.get(name), b = buttons.get(name);
  b.className = !c ? '' : c.Shade > 0 ? `shade${c.Shade}` : c.Shade < 0 ? `lack${-c.Shade}` : '';
  b.replaceChildren(make('b', '', c ? c.Text : '\u2026'), name);
  b.title = b.ariaLabel = `${name}: ${c ? c.why || c.Text : 'not decided yet'}. ${question}`;
}

// ---- The chart: what was admitted in the last window, at each moment.

function shape(name, attributes, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

// step is a round distance of about most marks up to top: 1, 2 or 5 times a power of ten.
function step(top, most) {
  const ten = 10 ** Math.floor(Math.log10(top / most));
  return [1, 2, 5, 10].map((f) => f * ten).find((s) => top / s <= most);
}

function clock(us, stepUS) {
  const [size, unit] = [[3600e6, 'h'], [60e6, 'min'], [1e6, 's'], [1e3, 'ms']].find(([s]) => stepUS >= s) || [1, 'µs'];
  return `${Number((us / size).toFixed(3))} ${unit}`;
}

function figure(c, room) {
  const width = Math.max(280, Math.min(900, room)), height = Math.max(220, Math.min(340, width * 0.45));
  const [left, right, top, bottom] = [52, 12, 20, 26];
  const highest = Math.max(c.Allowed, ...c.Curves.flatMap((l) => l.Values)) * 1.06;
  const x = (us) => left + (us - c.FromUS) / (c.EndUS - c.FromUS) * (width - left - right);
  const y = (v) => height - bottom - v / highest * (height - top - bottom);
  const svg = shape('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${c.Caption}. ${c.Curves.map((l) => `${l.Label}: ${l.Fact}`).join('; ')}`});
  for (let v = 0, s = Math.max(1, step(highest, 5)); v <= highest; v += s) {
    svg.append(shape('line', {x1: left, x2: width - right, y1: y(v), y2: y(v), stroke: 'var(--rule)'}),
      shape('text', {x: left - 6, y: y(v) + 4, 'text-anchor': 'end'}, v.toLocaleString('en')));
  }
  const s = step((c.EndUS - c.FromUS) / 1e6, width / 90) * 1e6, unit = s >= 60e6 ? Math.ceil(s / 60e6) * 60e6 : s;
  for (let t = Math.ceil(c.FromUS / unit) * unit; t <= c.EndUS; t += unit) {
    const anchor = t === c.FromUS ? 'start' : x(t) > width - 32 ? 'end' : 'middle';
    svg.append(shape('text', {x: anchor === 'end' ? width : x(t), y: height - 6, 'text-anchor': anchor}, clock(t, unit)));
  }
  const line = (l, style) => svg.append(shape('path', {fill: 'none', 'stroke-linejoin': 'round', ...style,
    d: 'M' + l.Values.map((v, i) => `${x(Math.min(c.EndUS, c.FromUS + (i + 0.5) * c.BinUS)).toFixed(1)},${y(v).toFixed(1)}`).join('L')}));
  const [mine, ...others] = c.Curves;
  const own = {stroke: 'var(--mine)', 'stroke-width': 2.5};
  const look = (l) => ({stroke: data.colours[l.Label.split(':')[0]] || 'var(--quiet)', 'stroke-width': 1.5, 'stroke-dasharray': l.Label.includes(':') ? '5 3' : 'none'});
  for (const l of others) line(l, look(l));
  line(mine, own);
  svg.append(shape('line', {x1: left, x2: width - right, y1: y(c.Allowed), y2: y(c.Allowed), stroke: 'var(--over)', 'stroke-dasharray': '6 4', 'stroke-width': 1.5}),
    shape('text', {x: width - right, y: y(c.Allowed) - 5, 'text-anchor': 'end'}, `${c.Allows}: ${c.Allowed.toLocaleString('en')}`));
  svg.append(shape('text', {x: left, y: 12, class: 'own'}, `${mine.Label}: ${mine.Fact}`));
  const swatch = (style) => {
    const e = shape('svg', {width: 18, height: 8});
    e.append(shape('line', {x1: 0, x2: 18, y1: 4, y2: 4, ...style}));
    return e;
  };
  const names = make('p', 'names', ...c.Curves.map((l) => make('span', '', swatch(l === mine ? own : look(l)), l.Label)));
  return make('figure', '', make('figcaption', '', c.Caption), svg, names);
}

// ---- Links: the page's fields, deflated, after the # of its address.

async function link() {
  const text = JSON.stringify(fields.map((f) => $(f).value));
  const packed = new Uint8Array(await new Response(through(new TextEncoder().encode(text), new CompressionStream('deflate'))).arrayBuffer());
  const coded = btoa(Array.from(packed, (b) => String.fromCharCode(b)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
  history.replaceState(null, '', `#${linkVersion}:${coded}`);
  $('shared').hidden = false;
  $('address').value = location.href;
  $('address').select();
  await navigator.clipboard?.writeText(location.href).then(() => say('The link is copied.'), () => {});
}

// opened fills the fields with what an address holds, and runs nothing. It reports whether there was anything.
async function opened() {
  const [, version, coded] = /^#(?:(\d+):)?(.*)$/.exec(location.hash) || [];
  if (!coded) return false;
  fail('');
  say('');
  try {
    if (version !== undefined && Number(version) !== linkVersion) throw new Error(`This link is of version ${version}, and this page reads version ${linkVersion}; ask for a new link.`);
    let values = null, text = '';
    try {
      const packed = Uint8Array.from(atob(coded.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
      const decoder = new TextDecoder();
      for (const reader = through(packed, new DecompressionStream('deflate')).getReader(); text.length < longestLink;) {
        const {done, value} = await reader.read();
        if (done) break;
        text += decoder.decode(value, {stream: true});
      }
      values = JSON.parse(text);
    } catch {}
    const whole = Array.isArray(values) && values.length === fields.length && values.every((v) => typeof v === 'string');
    if (!whole) throw new Error('This link is cut or damaged; ask for it again.');
    if (!data.scenarios.some((s) => s.name === values[2])) throw new Error(`This link names the scenario ${values[2].slice(0, 40)}, which this version of the page lacks; ask for a new link.`);
    stop();
    [answer, examination] = [null, null];
    draw();
    fill(values);
    $('example').value = '';
    say('This script came with the link. Read it, then press Run.');
  } catch (e) {
    fail(e.message);
  }
  return true;
}

function fill([script, binding, scenario, limit, contract]) {
  editors[0].set(script);
  editors[1].set(binding);
  [$('scenario').value, $('limit').value, $('contract').value] = [scenario, limit, contract];
  hint();
}

// hint shows what the scenario asks, and its limit.
function hint() {
  const s = data.scenarios.find((s) => s.name === $('scenario').value);
  $('scenario').title = s.question;
  $('limit').placeholder = s.limit;
}

// ---- The beginning.

const editors = [new Editor('script', lua), new Editor('binding', yaml)];
$('scenario').append(...data.scenarios.map((s) => new Option(s.name)));
$('example').append(Object.assign(new Option('none: your own', ''), {hidden: true}), ...data.examples.map((e, i) => new Option(e.name, i)));
$('form').addEventListener('submit', (e) => { e.preventDefault(); start_run(); });
$('cells').append(...buttons.values());
$('named').textContent = legend;
$('cells').addEventListener('keydown', (e) => ({ArrowRight: e.target.nextElementSibling, ArrowLeft: e.target.previousElementSibling})[e.key]?.focus());
for (const type of ['focusin', 'focusout', 'mouseover', 'mouseout']) $('cells').addEventListener(type, ({target}) => {
  $('named').textContent = /in|over/.test(type) && target.title || legend;
  if (type === 'focusin') for (const b of buttons.values()) b.tabIndex = b === target ? 0 : -1;
});
$('cells').addEventListener('click', (e) => { if (e.target.value) { $('scenario').value = e.target.value; hint(); start_run(); } });
$('stop').addEventListener('click', stop);
$('link').addEventListener('click', link);
$('scenario').addEventListener('change', hint);
$('example').addEventListener('change', () => {
  const e = data.examples[$('example').value];
  fill([e.script, e.binding, $('scenario').value, $('limit').value, $('contract').value]);
  fail('');
});
document.addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); start_run(); } });
window.addEventListener('hashchange', opened);

$('frame').addEventListener('load', () => {
  const inside = $('frame').contentDocument;
  new ResizeObserver(() => { $('frame').style.height = `${inside.documentElement.offsetHeight}px`; }).observe(inside.documentElement);
  let wide = $('frame').clientWidth;
  window.addEventListener('resize', () => {
    if (wide !== $('frame').clientWidth) draw();
    wide = $('frame').clientWidth;
  });
  begin();
}, {once: true});
$('frame').srcdoc = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The answer</title><style>${document.querySelector('style').textContent}</style><body class="inside">`;

async function begin() {
  const e = data.examples[1];
  $('example').value = 1;
  fill([e.script, e.binding, 'extreme-case-1', '', '']);
  const came = await opened();
  $('run').disabled = true;
  try {
    await load();
    start();
    await ready;
    $('progress').hidden = true;
    $('run').disabled = false;
    say(came ? 'This script came with the link. Read it, then press Run.' : `Ready in ${(performance.now() / 1000).toFixed(1)} s. Press Run, or Ctrl+Enter.`);
  } catch (e) {
    $('progress').hidden = true;
    say('');
    fail(e.message);
  }
}
