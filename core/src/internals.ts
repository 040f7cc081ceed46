// What a data layer offers the packages and adapters that build on it, beside its public operations.

/** A custom source, as `configureDirectiveSource` received it. */
export interface CustomSource {
  /** The name that the source gave itself, such as `websocket`. */
  readonly type: string;
  /** `connect` was called, and the connection has not been ended since. */
  readonly isConnected: boolean;
}

/** Not for applications, and not covered by semver. */
export interface Internals {
  /** The custom source, or null while directives arrive by the event stream. */
  readonly customSource: () => CustomSource | null;
  /** Whether a directive was applied already, on any path. */
  readonly hasAppliedDirectives: () => boolean;
  /**
   * Another cache contains data that was requested this long ago (milliseconds). The first connection then asks the hub for everything that
   * was emitted since. Returns whether it is too late for that: the stream asked for less already, or there was a gap.
   */
  readonly noteRequest: (ageMs: number) => boolean;
  /** Aborts when the data layer is disposed. */
  readonly disposed: AbortSignal;
}
