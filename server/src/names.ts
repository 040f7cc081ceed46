// What may name an audience or a client (D-HUB-2). Pure.

/** The longest name, in UTF-16 units. */
const maxLength = 128;
/**
 * Control characters, and halves of surrogate pairs: those are no characters, and whatever writes them in UTF-8 (an address, Redis, a database)
 * makes U+FFFD of each, so that names that differ here would be one there.
 */
const noCharacter = /[\p{Cc}\p{Cs}]/u;

/** Whether it can name an audience or a client: 1 to 128 UTF-16 units without control characters. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length >= 1 && value.length <= maxLength && !noCharacter.test(value)
  );
}

/** What `isName` asks for, in words. */
export const nameRule = '1 to 128 characters without control characters';
