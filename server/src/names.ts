// The names of audiences, clients and users (D-HUB-2). Pure.

/** In UTF-16 units. */
const maxLength = 128;
/**
 * Control characters and lone surrogates. UTF-8 encoders (URLs, Redis, databases) replace every lone surrogate with U+FFFD, so different
 * names would become equal there.
 */
const noCharacter = /[\p{Cc}\p{Cs}]/u;

/** Whether the value can be the name of an audience, a client or a user: 1 to 128 UTF-16 units without control characters. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length >= 1 && value.length <= maxLength && !noCharacter.test(value)
  );
}

/** The rule of `isName`, for error messages. */
export const nameRule = '1 to 128 characters without control characters';
