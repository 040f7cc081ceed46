// The types of `pg` that the guide to the outbox uses. The package is not installed here.

declare module 'pg' {
  export interface PoolClient {
    query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
    release(error?: boolean): void;
    on(event: 'notification' | 'error' | 'end', listener: () => void): this;
    off(event: 'error', listener: () => void): this;
  }

  export interface Pool {
    options: { max: number };
    connect(): Promise<PoolClient>;
    query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  }
}
