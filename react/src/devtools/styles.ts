// The style sheet of the panel. It is in the shadow root, so short class names cannot collide with those of the page. Colors are pairs
// that follow `color-scheme`. Every text color has a contrast of at least 4.5 on its surfaces.

const tokens = `
:host { all: initial; }
.root {
  --page: light-dark(#f6f8f9, #11171a);
  --surface: light-dark(#ffffff, #171e22);
  --hover: light-dark(#eef3f5, #1e272c);
  --line: light-dark(#dfe5e8, #2a343a);
  --line-strong: light-dark(#87949b, #66747c);
  --text: light-dark(#17212a, #e8eef0);
  --quiet: light-dark(#52606a, #a4b1b8);
  --accent: light-dark(#0b6673, #62cfd8);
  --on-accent: light-dark(#ffffff, #0c2429);
  --selected: light-dark(#e1f1f3, #12333a);
  --directive: light-dark(#6a3fb5, #c5a8fb);
  --directive-soft: light-dark(#f1ebfb, #2d2545);
  --request: light-dark(#1c5bb0, #8fbcfa);
  --request-soft: light-dark(#e7f0fb, #1b2d47);
  --commit: light-dark(#1a6e42, #7ed3a3);
  --commit-soft: light-dark(#e4f4ea, #17342a);
  --stream: light-dark(#8a5200, #efbd6d);
  --stream-soft: light-dark(#fbf0dd, #392c18);
  --bad: light-dark(#b3261e, #ff9c92);
  --bad-soft: light-dark(#fbeae9, #431f1d);
  --neutral-soft: light-dark(#eaeef0, #263036);
  --shadow: 0 8px 30px light-dark(rgb(20 40 50 / 0.18), rgb(0 0 0 / 0.55));
  color-scheme: light dark;
  color: var(--text);
  font: 13px/1.45 -apple-system, BlinkMacSystemFont, 'Segoe UI Variable Text', 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif;
  font-variant-numeric: tabular-nums;
  -webkit-font-smoothing: antialiased;
}
.root[data-theme='light'] { color-scheme: light; }
.root[data-theme='dark'] { color-scheme: dark; }
`;

const base = `
*, ::before, ::after { box-sizing: border-box; }
h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; font: inherit; }
ul, ol { list-style: none; }
button, input, select { font: inherit; color: inherit; margin: 0; }
button { background: none; border: 0; padding: 0; cursor: pointer; }
button:disabled { cursor: default; opacity: 0.55; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 6px; }
svg { flex: none; display: block; }
code, .mono, pre, .time, time { font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace; font-size: 12px; }
.quiet, .note, .time, .age, time { color: var(--quiet); }
.bad { color: var(--bad); }
.grow { flex: 1 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.push { flex: 1; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.empty { padding: 28px 24px; color: var(--quiet); text-wrap: balance; text-align: center; }
.button .rest { margin-left: -2px; }
.button, .chip, input, select {
  display: inline-flex; align-items: center; gap: 6px; height: 28px; padding: 0 10px; border-radius: 7px;
  border: 1px solid var(--line); background: var(--surface); white-space: nowrap;
}
.button { font-weight: 550; }
.button:hover, .chip:hover { background: var(--hover); }
.button.strong { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.strong:hover { filter: brightness(1.08); }
.button.strong:focus-visible { outline-offset: 2px; }
.button[aria-pressed='true'] { border-color: var(--accent); color: var(--accent); }
.icon { display: grid; place-items: center; width: 28px; height: 28px; border-radius: 7px; color: var(--quiet); flex: none; }
.icon:hover { background: var(--hover); color: var(--text); }
.chip { height: 26px; border-radius: 13px; color: var(--quiet); border-style: dashed; background: none; }
.chip[aria-pressed='true'] { border-style: solid; border-color: transparent; background: var(--neutral-soft); color: var(--text); }
input { border-color: var(--line-strong); padding: 0 8px; min-width: 90px; max-width: 230px; flex: 1 1 90px; }
input::placeholder { color: var(--quiet); opacity: 1; }
select { border-color: var(--line-strong); padding: 0 4px 0 8px; }
`;

const frame = `
.toggle {
  position: fixed; z-index: 2147483000; bottom: 14px; right: 14px; display: flex; align-items: center; gap: 8px; height: 38px;
  padding: 0 13px 0 10px; border-radius: 19px; border: 1px solid var(--line); background: var(--surface); box-shadow: var(--shadow);
  font-weight: 600;
}
.root[data-position='left'] .toggle { right: auto; left: 14px; }
/* A modal dialog of the page hides everything else. */
:host([aria-hidden='true']) .toggle { display: none; }
.toggle:hover { background: var(--hover); }
.toggle:focus-visible { border-radius: 19px; outline-offset: 2px; }
.dot { width: 8px; height: 8px; border-radius: 50%; flex: none; background: var(--line-strong); }
.dot[data-status='open'] { background: light-dark(#1f9455, #5ccb8d); }
.dot[data-status='connecting'], .dot[data-status='waiting'] { background: light-dark(#c27a07, #efb04e); animation: pulse 1.2s ease-in-out infinite alternate; }
@keyframes pulse { to { opacity: 0.35; } }
.panel {
  position: fixed; z-index: 2147483000; display: flex; flex-direction: column; background: var(--surface);
  container-type: inline-size; box-shadow: var(--shadow); animation: appear 0.16s ease-out;
}
@keyframes appear { from { opacity: 0; transform: translateY(8px); } }
.root[data-position='bottom'] .panel { inset: auto 0 0 0; height: min(420px, 60vh); max-height: calc(100vh - 24px); border-top: 1px solid var(--line); }
.root[data-position='right'] .panel { inset: 0 0 0 auto; width: min(520px, 100vw); max-width: 100vw; border-left: 1px solid var(--line); }
.root[data-position='left'] .panel { inset: 0 auto 0 0; width: min(520px, 100vw); max-width: 100vw; border-right: 1px solid var(--line); }
.handle { position: absolute; z-index: 2; touch-action: none; }
.handle:hover, .handle:focus-visible { background: var(--accent); outline: 0; border-radius: 0; }
.root[data-position='bottom'] .handle { inset: -4px 0 auto 0; height: 6px; cursor: row-resize; }
.root[data-position='right'] .handle { inset: 0 auto 0 -4px; width: 6px; cursor: col-resize; }
.root[data-position='left'] .handle { inset: 0 -4px 0 auto; width: 6px; cursor: col-resize; }
.bar { display: flex; align-items: center; gap: 8px; height: 44px; padding: 0 8px 0 14px; border-bottom: 1px solid var(--line); flex: none; }
.brand { display: flex; align-items: center; gap: 8px; font-weight: 650; font-size: 14px; letter-spacing: -0.01em; }
.tabs { display: flex; align-self: stretch; margin-left: 10px; gap: 2px; flex: 1; min-width: 0; overflow-x: auto; scrollbar-width: none; }
.tabs button { flex: none; padding: 0 11px; color: var(--quiet); font-weight: 550; border-bottom: 2px solid transparent; border-top: 2px solid transparent; }
.tabs button:hover { color: var(--text); }
.tabs [aria-selected='true'] { color: var(--text); border-bottom-color: var(--accent); }
.stream { display: flex; align-items: center; gap: 8px; flex: none; }
.pill { display: inline-flex; align-items: center; gap: 7px; color: var(--quiet); padding: 0 4px; white-space: nowrap; }
.pill .rest { margin-left: -7px; }
.view { flex: 1; min-height: 0; display: flex; flex-direction: column; }
`;

const views = `
.split { flex: 1; min-height: 0; display: flex; }
.side { flex: 1 1 58%; min-width: 0; display: flex; flex-direction: column; }
.tools { display: flex; align-items: center; gap: 6px; padding: 8px 10px; border-bottom: 1px solid var(--line); flex: none; flex-wrap: wrap; }
.ends { display: flex; gap: inherit; margin-left: auto; }
.chip[data-topic][aria-pressed='true']::before { content: ''; width: 7px; height: 7px; border-radius: 2px; background: var(--quiet); }
.chip[data-topic='directive'][aria-pressed='true']::before { background: var(--directive); }
.chip[data-topic='request'][aria-pressed='true']::before { background: var(--request); }
.chip[data-topic='commit'][aria-pressed='true']::before { background: var(--commit); }
.chip[data-topic='stream'][aria-pressed='true']::before { background: var(--stream); }
.chip[data-topic='error'][aria-pressed='true'] { background: var(--bad-soft); color: var(--bad); }
.chip[data-topic='error'][aria-pressed='true']::before { background: var(--bad); }
.topics { padding-top: 6px; padding-bottom: 6px; }
.tools + .topics { border-top: 0; }
.tools:has(+ .topics) { border-bottom: 0; padding-bottom: 0; }
.axis { display: flex; gap: 10px; padding: 3px 14px; border-bottom: 1px solid var(--line); color: var(--quiet); font-size: 11.5px; justify-content: flex-end; flex: none; }
.scale { display: flex; justify-content: space-between; width: 34%; }
.took { flex: none; width: 56px; text-align: right; color: var(--quiet); }
.span { flex: none; position: relative; width: 34%; height: 8px; background: linear-gradient(90deg, transparent calc(50% - 0.5px), var(--line) 0 calc(50% + 0.5px), transparent 0); box-shadow: -1px 0 var(--line), 1px 0 var(--line); }
.span > span { position: absolute; top: 0; bottom: 0; min-width: 3px; border-radius: 4px; background: var(--request); }
.span > [data-outcome='error'] { background: var(--bad); }
.span > [data-outcome='aborted'] { background: var(--line-strong); }
.span > [data-outcome='open'] { background: repeating-linear-gradient(115deg, var(--request) 0 5px, var(--request-soft) 5px 9px); }
.row > time { flex: none; width: 84px; }
.row > time[data-first='false'] { text-align: right; }
.link[data-span] { flex-wrap: wrap; row-gap: 3px; }
.link[data-span] > .span { width: 100%; height: 4px; border-radius: 4px; background: var(--neutral-soft); box-shadow: none; }
.link[data-span] > .grow { flex: 1 1 0; }
.changed { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2px; }
.changed > li { display: flex; align-items: baseline; gap: 10px; flex-wrap: wrap; padding: 5px 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--surface); }
.changed > li > .grow { flex: 1 1 0; }
.diff { width: 100%; display: grid; gap: 6px; }
.diff dt { font: 12px ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace; }
.diff dd { display: grid; gap: 2px; margin-top: 2px; text-align: left; }
.diff del, .diff ins { display: block; padding: 1px 8px; border-radius: 5px; text-decoration: none; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace; }
.diff del { background: var(--bad-soft); color: var(--bad); }
.diff ins { background: var(--commit-soft); color: var(--commit); }
.diff del::before { content: '− '; }
.diff ins::before { content: '+ '; }
.block > .diff { padding: 8px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
.block h3 .quiet { font-weight: 400; margin-left: 6px; }
textarea { width: 100%; margin-top: 8px; padding: 10px 12px; border-radius: 8px; border: 1px solid var(--line-strong); background: var(--surface); color: inherit; resize: vertical; font: 12px/1.55 ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace; }
form > [role='status'] { margin-top: 10px; }
select[data-fault], .button[data-warn] { border-color: var(--stream); color: var(--stream); background: var(--stream-soft); }
.card .actions { margin-bottom: 4px; }
.card .hidden { margin: 0; }
.list { flex: 1; min-height: 0; overflow: auto; overflow-anchor: none; outline-offset: -2px; scrollbar-width: thin; }
.list:focus-visible { border-radius: 0; }
.row { position: absolute; left: 0; right: 0; display: flex; align-items: center; gap: 10px; padding: 0 14px; cursor: default; border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
.row:hover { background: var(--hover); }
.row[aria-selected='true'] { background: var(--selected); box-shadow: inset 3px 0 var(--accent); }
.row > .note { flex: none; max-width: 45%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tag { flex: none; width: 68px; text-align: center; border-radius: 5px; font-size: 11.5px; font-weight: 600; line-height: 19px; background: var(--neutral-soft); color: var(--quiet); }
.tag[data-topic='directive'] { background: var(--directive-soft); color: var(--directive); }
.tag[data-topic='request'] { background: var(--request-soft); color: var(--request); }
.tag[data-topic='commit'] { background: var(--commit-soft); color: var(--commit); }
.tag[data-topic='stream'] { background: var(--stream-soft); color: var(--stream); }
.standing { flex: none; width: 68px; display: inline-flex; align-items: center; gap: 7px; font-size: 12px; font-weight: 550; color: var(--quiet); }
.standing::before { content: ''; width: 8px; height: 8px; border-radius: 50%; flex: none; border: 2px solid var(--line-strong); }
.standing[data-standing='fresh'] { color: var(--commit); }
.standing[data-standing='fresh']::before { background: currentColor; border-color: currentColor; }
.standing[data-standing='stale'] { color: var(--stream); }
.standing[data-standing='stale']::before { border-color: currentColor; }
.standing[data-standing='loading'] { color: var(--request); }
.standing[data-standing='loading']::before { border-color: currentColor; border-right-color: transparent; animation: turn 0.9s linear infinite; }
.standing[data-standing='failed'] { color: var(--bad); }
.standing[data-standing='failed']::before { background: currentColor; border-color: currentColor; border-radius: 2px; }
@keyframes turn { to { transform: rotate(1turn); } }
.watchers { flex: none; width: 46px; display: inline-flex; align-items: center; gap: 5px; }
.watchers[data-none='true'] { color: var(--quiet); }
.age { flex: none; width: 52px; text-align: right; }
.groups { flex: none; width: 168px; overflow: auto; padding: 8px; border-right: 1px solid var(--line); background: var(--page); scrollbar-width: thin; }
.groups h2 { padding: 10px 8px 4px; font-size: 11.5px; font-weight: 600; color: var(--quiet); }
.groups button { display: flex; gap: 8px; width: 100%; height: 28px; align-items: center; padding: 0 8px; border-radius: 6px; text-align: left; }
.groups button:hover { background: var(--hover); }
.groups [aria-pressed='true'] { background: var(--selected); color: var(--accent); font-weight: 600; }
.size { color: var(--quiet); font-weight: 400; }
.detail { flex: 0 1 42%; min-width: 0; overflow: auto; border-left: 1px solid var(--line); background: var(--page); padding: 12px 16px 20px; scrollbar-width: thin; }
.head { display: flex; align-items: center; gap: 10px; }
.head h2 { flex: 1; min-width: 0; font-size: 14.5px; font-weight: 650; overflow-wrap: anywhere; }
.head .standing { width: auto; }
.facts { display: flex; align-items: baseline; flex-wrap: wrap; gap: 2px 0; margin: 4px 0 0 -18px; clip-path: inset(0 0 0 18px); color: var(--quiet); }
.facts > * { position: relative; padding-left: 18px; }
.facts > *::before { content: '·'; position: absolute; left: 7px; }
.actions { display: flex; gap: 8px; margin-top: 12px; flex-wrap: wrap; }
.error, .issues { margin-top: 8px; padding: 6px 10px; border-radius: 7px; background: var(--bad-soft); color: var(--bad); overflow-wrap: anywhere; }
.block { margin-top: 16px; }
.block h3, .card h2 { font-weight: 600; margin-bottom: 6px; }
pre { max-height: 320px; overflow: auto; padding: 10px 12px; border-radius: 8px; border: 1px solid var(--line); background: var(--surface); line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; scrollbar-width: thin; }
[data-json='key'] { color: var(--request); }
[data-json='string'] { color: var(--commit); }
[data-json='literal'] { color: var(--stream); }
.targets { display: flex; flex-wrap: wrap; gap: 4px; }
.targets li { padding: 1px 8px; border-radius: 5px; background: var(--neutral-soft); font-size: 12px; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.targets .more { background: none; color: var(--quiet); padding: 1px 4px; }
.links { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2px; }
.link { display: flex; align-items: center; gap: 10px; width: 100%; min-height: 30px; padding: 3px 10px; border-radius: 7px; text-align: left; background: var(--surface); border: 1px solid var(--line); }
.link:hover { border-color: var(--line-strong); }
.link > :not(.grow) { flex: none; }
.trace { margin-top: 16px; }
.step { position: relative; padding: 0 0 16px 24px; --at: var(--quiet); }
.step::before { content: ''; position: absolute; left: 3px; top: 5px; width: 9px; height: 9px; border-radius: 50%; background: var(--at); box-shadow: 0 0 0 3px color-mix(in srgb, var(--at) 20%, transparent); }
.step:not(:last-child)::after { content: ''; position: absolute; left: 7px; top: 21px; bottom: 0; width: 1px; background: var(--line-strong); opacity: 0.6; }
.step:last-child { padding-bottom: 0; }
.step[data-topic='directive'] { --at: var(--directive); }
.step[data-topic='request'] { --at: var(--request); }
.step[data-topic='commit'] { --at: var(--commit); }
.step h3 { display: flex; justify-content: space-between; font-weight: 600; margin-bottom: 5px; }
.step .quiet { margin-bottom: 4px; }
.step h3 .time { font-weight: 400; padding-right: 11px; }
.step .targets + .quiet { margin-top: 6px; }
.cards { flex: 1; overflow: auto; display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); gap: 12px; padding: 14px; align-content: start; background: var(--page); }
.card { padding: 12px 14px; border-radius: 10px; border: 1px solid var(--line); background: var(--surface); }
.fact { display: flex; justify-content: space-between; gap: 16px; padding: 4px 0; }
.fact + .fact { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
dt { color: var(--quiet); flex: none; }
dd { text-align: right; overflow-wrap: anywhere; }
`;

const narrow = `
@container (max-width: 760px) {
  .scale, .row > .span { width: 26%; }
  .split { flex-direction: column; }
  .split[data-detail='false'] .detail { display: none; }
  .side { flex: 1 1 0; min-height: 0; }
  .detail { flex: 1 1 0; min-height: 0; border-left: 0; border-top: 1px solid var(--line-strong); }
  .groups { width: auto; display: flex; align-items: center; gap: 4px; border-right: 0; border-bottom: 1px solid var(--line); padding: 6px 8px; }
  .groups h2 { display: none; }
  .groups button { width: auto; flex: none; }
  .row > time { display: none; }
  .pill .rest { display: none; }
}
@container (max-width: 560px) {
  .brand > span { display: none; }
  .tabs { margin-left: 0; }
  .tabs button { padding: 0 7px; }
  .row { padding: 0 10px; gap: 8px; }
  .tools { padding: 6px 8px; gap: 4px; }
  .topics { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .topics > .chip { flex: none; }
  .tools .button { height: 26px; }
  .chip { padding: 0 8px; gap: 5px; }
  .button .rest { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stream .pill { font-size: 0; gap: 0; }
  .bar { padding-left: 10px; gap: 4px; }
}
@container (max-width: 400px) {
  .brand { display: none; }
  .bar { padding-left: 4px; }
  .tabs { gap: 0; font-size: 12px; }
  .tabs button { padding: 0 4px; }
}
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  .dot, .standing::before, .step::before, .span > span { forced-color-adjust: none; }
  .tabs [aria-selected='false'] { border-color: Canvas; }
  .row[aria-selected='true'], .groups [aria-pressed='true'] { outline: 2px solid Highlight; outline-offset: -2px; }
}
`;

/** The whole style sheet. */
export const sheet: string = tokens + base + frame + views + narrow;
