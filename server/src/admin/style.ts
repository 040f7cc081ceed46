// The style of the admin page, in light and dark. It needs no script, font or image, because the page's policy allows none.

/** Colors have a contrast of at least 4.5 to 1 on the surfaces that they are used on. */
export const adminStyle = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #fff; --line: #d9dde3; --text: #1b1f26; --muted: #59616e; --link: #1d5bbf;
  --good: #14713a; --good-back: #e1f4e8; --warn: #8a5300; --warn-back: #fdf0d8; --bad: #b3261e; --bad-back: #fde7e5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1d2128; --line: #343a44; --text: #e6e9ee; --muted: #a0a8b5; --link: #8ab4f8;
    --good: #7fd6a0; --good-back: #173624; --warn: #f2c063; --warn-back: #3a2c10; --bad: #f5a39c; --bad-back: #421d1a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 20px 24px 48px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; margin-bottom: 16px; }
h1 { margin: 0; font-size: 20px; }
h2 { margin: 0; font-size: 15px; }
header p { margin: 0; color: var(--muted); }
nav { display: flex; gap: 16px; margin-left: auto; }
a { color: var(--link); }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.badge { display: inline-block; padding: 1px 8px; border-radius: 10px; font-size: 12px; font-weight: 600; }
.good { color: var(--good); background: var(--good-back); }
.warn { color: var(--warn); background: var(--warn-back); }
.bad { color: var(--bad); background: var(--bad-back); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; margin: 0; }
dl div, .scroll, .none { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
dl div { padding: 8px 12px; }
dt { color: var(--muted); font-size: 12px; }
dd { margin: 0; font-size: 18px; font-weight: 600; font-variant-numeric: tabular-nums; }
dd.alert { color: var(--bad); }
section { margin-top: 24px; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; margin-bottom: 8px; }
.title span, .none, .empty { color: var(--muted); }
.none { margin: 0; padding: 12px; }
.scroll { overflow: auto; max-height: 420px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 12px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
th { position: sticky; top: 0; background: var(--card); color: var(--muted); font-size: 12px; white-space: nowrap; }
td { max-width: 420px; overflow-wrap: break-word; }
td:first-child { min-width: 150px; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
ol { margin: 0; padding: 0; list-style: none; }
li { padding: 8px 12px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
li:last-child { border-bottom: 0; }
.head { color: var(--muted); font-size: 12px; font-variant-numeric: tabular-nums; }
.head b, .head .badge { margin: 0 6px; }
.head b { color: var(--text); }
code { display: block; font: 12px/1.5 ui-monospace, monospace; padding-left: 2ch; text-indent: -2ch; }
@media (max-width: 600px) {
  main { padding: 16px 12px 32px; }
  nav { margin-left: 0; width: 100%; }
  dl { grid-template-columns: repeat(2, 1fr); }
  th, td { padding: 6px 8px; }
}
`;
