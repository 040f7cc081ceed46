// The types of `ws` that the WebSocket recipe uses. The package contains no types.

declare module 'ws' {
  import type { IncomingMessage, Server } from 'node:http';

  export class WebSocket {
    constructor(address: string | URL, options?: { headers?: Record<string, string> });
    send(text: string, done?: () => void): void;
    close(code?: number): void;
    terminate(): void;
    on(event: 'close', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    once(event: 'open' | 'close' | 'message' | 'error', listener: (about: unknown) => void): this;
  }

  export class WebSocketServer {
    constructor(options: {
      server: Server;
      path?: string;
      maxPayload?: number;
      // A union, as in `@types/ws`, so an inline callback must declare the type of its parameter.
      verifyClient?:
        | ((info: { req: IncomingMessage }) => boolean)
        | ((info: { req: IncomingMessage }, callback: (isAllowed: boolean) => void) => void);
    });
    readonly clients: Set<WebSocket>;
    on(event: 'connection', listener: (socket: WebSocket, request: IncomingMessage) => void): this;
    once(event: 'connection', listener: (socket: WebSocket) => void): this;
    close(): void;
  }
}
