// Types of packages without their own, as far as the tests use them.

declare module 'node-fetch' {
  const fetch: typeof globalThis.fetch;
  export default fetch;
}

declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string, options: { url: string });
    readonly window: Window & typeof globalThis;
  }
}
