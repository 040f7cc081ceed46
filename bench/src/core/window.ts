// Defines a `window`, because the libraries detect a browser by it. On a server, most of them neither watch nor discard unused data. This
// module must be imported before the libraries.

Object.assign(globalThis, { window: {} });
export {};
