// Names and values as SQL text.

/** A string literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The name of a column. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The name of a table, with or without a schema. */
export const qualified = (name: string): string => name.split('.').map(identifier).join('.');
