// The libraries look for a `window` to tell a browser from a server, where most of them neither watch nor collect. They are
// measured as in a browser. Imported before them.

Object.assign(globalThis, { window: {} });
export {};
