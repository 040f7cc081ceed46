// The Standard Schema interface, which many validation libraries implement.

/** A validator with the Standard Schema interface (zod, valibot, arktype, and others). */
export interface StandardSchema {
  /** The interface that the validation library implements. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Validates a payload. A thrown error counts as an issue. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The result of a validation: a value, or issues. */
export type StandardResult =
  | {
      /** The payload, as the schema returned it. This value is cached. */
      readonly value: unknown;
      /** Absent. */
      readonly issues?: undefined;
    }
  | {
      /** The issues. The request fails with their messages. */
      readonly issues: readonly {
        /** The description of the issue. */
        readonly message: string;
        /** The path to the value, from the outside in. Absent: the whole payload. */
        readonly path?:
          | readonly (
              | PropertyKey
              | {
                  /** One step of the path. */
                  readonly key: PropertyKey;
                }
            )[]
          | undefined;
      }[];
    };
