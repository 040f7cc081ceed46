// The interface by which validators of any library are taken.

/** A validator by the Standard Schema interface (zod, valibot, arktype and others have it). */
export interface StandardSchema {
  /** The interface itself, as the validator's library provides it. */
  readonly '~standard': {
    /** Of the Standard Schema interface. */
    readonly version: 1;
    /** The validator's library. */
    readonly vendor: string;
    /** Looks at a payload. A throw is an issue too. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The answer of a Standard Schema: a value, or issues. */
export type StandardResult =
  | {
      /** The payload, converted where the schema converts; it is what the cache holds. */
      readonly value: unknown;
      /** None. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong; the fetch fails with these messages. */
      readonly issues: readonly {
        /** What was expected. */
        readonly message: string;
        /** Where, from the outside in; none: the whole payload. */
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
