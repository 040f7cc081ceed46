// Splits TypeScript into a few kinds of tokens, for quiet colors.

export type TokenKind = 'comment' | 'string' | 'keyword' | 'name' | 'plain';

export interface Token {
  kind: TokenKind;
  text: string;
}

const pattern =
  /(?<comment>\/\/.*)|(?<string>'[^'\n]*'|"[^"\n]*"|`[^`]*`)|\b(?<keyword>as|async|await|const|else|export|from|function|if|import|interface|let|new|null|return|throw|type|void)\b|(?<name>\b[A-Za-z_]\w*(?=\())/g;

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) found.push({ kind: 'plain', text: text.slice(end, match.index) });
    found.push({ kind: kindOf(match.groups ?? {}), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: 'plain', text: text.slice(end) });
  return found;
}

function kindOf({ comment, string, keyword }: Record<string, string | undefined>): TokenKind {
  if (comment !== undefined) return 'comment';
  if (string !== undefined) return 'string';
  return keyword === undefined ? 'name' : 'keyword';
}
